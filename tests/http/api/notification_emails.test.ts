// /api/notifications/email: pixel, button and unsubscribe link of an email.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV } from "../../environment.ts";
import { startFunctions } from "../../functions.ts";
import { fetchDocumented } from "../documented_responses.ts";
import { type ApiResponse, assertError, newPerson, person, podcast, sendRequest, sql, stackInfo } from "../harness.ts";
import { expire, sendEmail, stateOf } from "./sent_email.ts";

const base = "/api/notifications/email";
const get = (path: string, headers?: Record<string, string>, method = "GET") =>
  fetchDocumented(`${stackInfo.functionsUrl}${base}/${path}`, { method, headers, redirect: "manual" });
const post = (token: string, body: BodyInit, headers?: Record<string, string>) =>
  sendRequest({ method: "POST", path: `${base}/unsubscribe/${token}`, body, headers });
const form = (fields: Record<string, string>) => new URLSearchParams(fields);
const oneClick = form({ "List-Unsubscribe": "One-Click" });
const appUrl = new URL((await sql`select private.get_setting('app_url') as url`)[0].url).href;
const preferenceOf = async ({ id }: { id: string }) =>
  (await sql`select email_chat_message as on from public.notification_preferences where user_id = ${id}`)[0].on;

/** Tokens that are none. The last ones are not even text. */
const strangeTokens = ["none", "x".repeat(8000), "%00", "a%2Fb", "%ff", "%F0%9F%98%80", "'--", ".", "%2e%2e"];

async function assertPixel(response: Response, what: string) {
  const bytes = new Uint8Array(await response.arrayBuffer());
  assert.equal(response.status, 200, what);
  assert.equal(new TextDecoder().decode(bytes.subarray(0, 6)), "GIF89a", what);
  assert.deepEqual([bytes[6], bytes[7], bytes[8], bytes[9]], [1, 0, 1, 0], "one by one pixel");
  assert.equal(bytes.at(-1), 0x3b, "the end of a GIF");
  assert.equal(response.headers.get("content-type"), "image/gif");
  assert.equal(response.headers.get("content-length"), String(bytes.length));
  assert.equal(response.headers.get("cache-control"), "private, no-store");
}

Deno.test("GET email/open returns the pixel and marks the delivery opened, once", async () => {
  const email = await sendEmail(await person("owner"));
  await assertPixel(await get(`open/${email.tokens.open}`), "first");
  assert.equal(await stateOf(email), "opened opened_at");
  const openedAt = async () =>
    (await sql`select opened_at from public.notification_deliveries where id = ${email.deliveryId}`)[0].opened_at;
  const before = await openedAt();
  await assertPixel(await get(`open/${email.tokens.open}`), "again");
  assert.deepEqual(await openedAt(), before);
});

Deno.test("GET email/open returns the pixel and marks nothing for another, unknown or expired token", async () => {
  const email = await sendEmail(await person("owner"));
  for (const token of [email.tokens.click, email.tokens.unsubscribe, ...strangeTokens]) {
    const response = await get(`open/${token}`);
    if (response.url.endsWith("/open/") || response.url.endsWith("/email/")) await response.body?.cancel(); // . and ..
    else await assertPixel(response, token.slice(0, 20));
  }
  await expire(email.tokens.open);
  await assertPixel(await get(`open/${email.tokens.open}`), "expired");
  assert.equal(await stateOf(email), "queued");
});

Deno.test("HEAD email/open has the pixel's headers and marks nothing", async () => {
  const email = await sendEmail(await person("owner"));
  const response = await get(`open/${email.tokens.open}`, {}, "HEAD");
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "image/gif"]);
  assert.equal(await stateOf(email), "queued");
});

async function assertRedirect(response: Response, location: string) {
  assert.equal(await response.text(), "");
  assert.deepEqual([response.status, response.headers.get("location")], [302, location]);
  assert.deepEqual([response.headers.get("cache-control"), response.headers.get("referrer-policy")], [
    "private, no-store",
    "no-referrer",
  ]);
}

Deno.test("GET email/click redirects to the stored destination alone and marks the delivery clicked", async () => {
  const email = await sendEmail(await person("owner"), { destination: "https://app.test/café/x?a=1#b" });
  for (const query of ["", "?url=https://evil.test/", "?destination=//evil.test&redirect=https://evil.test"]) {
    await assertRedirect(
      await get(`click/${email.tokens.click}${query}`, { host: "evil.test", "x-forwarded-host": "evil.test" }),
      "https://app.test/caf%C3%A9/x?a=1#b",
    );
  }
  assert.equal(await stateOf(email), "clicked clicked_at");
});

Deno.test("GET email/click redirects to the app for another, unknown or expired token, and marks nothing", async () => {
  const email = await sendEmail(await person("owner"));
  const urls = ["https:%2F%2Fevil.test", "%2F%2Fevil.test"];
  for (const token of [email.tokens.open, email.tokens.unsubscribe, ...strangeTokens.slice(0, -2), ...urls]) {
    await assertRedirect(await get(`click/${token}`), appUrl);
  }
  await expire(email.tokens.click);
  await assertRedirect(await get(`click/${email.tokens.click}`), appUrl);
  assert.equal(await stateOf(email), "queued");
});

function assertPage({ status, headers, text }: ApiResponse, expected: number, language: string, title: string) {
  assert.equal(status, expected, text);
  assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(headers.get("cache-control"), "private, no-store");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.get("x-robots-tag"), "noindex");
  assert.match(
    headers.get("content-security-policy")!,
    /default-src 'none';.* form-action 'self'; frame-ancestors 'none'$/,
  );
  assert.match(text, new RegExp(`<html lang="${language}"`));
  assert.ok(text.includes(`<h1>${title}</h1>`), text);
}

const showPage = (token: string, headers?: Record<string, string>) =>
  sendRequest({ method: "GET", path: `${base}/unsubscribe/${token}`, headers });

Deno.test("GET email/unsubscribe turns the type's emails off; the page's forms turn them on and off again", async () => {
  const reader = await newPerson("reader"), { tokens } = await sendEmail(reader);
  const page = await showPage(tokens.unsubscribe);
  assertPage(page, 200, "en", "You&#39;re unsubscribed");
  assert.match(page.text, /<p>We won&#39;t send you these emails: messages about episodes\. /);
  assert.match(
    page.text,
    /<form method="post" class="buttons"><button class="button primary" name="emails" value="on">Turn emails on<\/button><\/form>/,
  );
  assert.equal(await preferenceOf(reader), false);

  const again = await post(tokens.unsubscribe, form({ emails: "on" }));
  assertPage(again, 200, "en", "You&#39;re subscribed again");
  assert.match(again.text, /<button class="button primary" name="emails" value="off">Turn emails off<\/button>/);
  assert.equal(await preferenceOf(reader), true);

  assertPage(await post(tokens.unsubscribe, form({ emails: "off" })), 200, "en", "You&#39;re unsubscribed");
  assert.equal(await preferenceOf(reader), false);
});

Deno.test("GET email/unsubscribe shows the page in the recipient's language, not the browser's", async () => {
  const { tokens } = await sendEmail({ address: `${crypto.randomUUID()}@people.test`, locale: "de-AT" });
  const page = await showPage(tokens.unsubscribe, { "accept-language": "en" });
  assertPage(page, 200, "de", "Du bekommst diese E-Mails nicht mehr");
  assert.match(page.text, />E-Mails einschalten</);
});

/** An automatic email of one of two podcasts, and the podcasts whose automatic emails its address does not get. */
async function automaticEmail() {
  const address = `${crypto.randomUUID()}@people.test`;
  const [show, other] = [await podcast("Trains & more"), await podcast("Boats")];
  const { tokens } = await sendEmail({ address, locale: "en", podcast: { id: show.id, title: "Trains & more" } }, {
    type: "automation.email",
  });
  const off = async () =>
    (await sql`select p.title from public.podcasts p where p.id in ${sql([show.id, other.id])}
      and private.is_email_suppressed(${address}, 'automation.email', p.id) order by p.title`)
      .map(({ title }) => title);
  return { off, token: tokens.unsubscribe };
}
const buttonsOf = ({ text }: ApiResponse) =>
  [...text.matchAll(/name="emails" value="([\w-]+)">([^<]+)</g)].map(([, value, label]) => `${value}: ${label}`);

Deno.test("the unsubscribe page of an automatic email ends a podcast's emails, or those of all podcasts", async () => {
  const { off, token } = await automaticEmail();
  const page = await showPage(token);
  assertPage(page, 200, "en", "You&#39;re unsubscribed");
  assert.match(page.text, /<p>Trains &amp; more no longer sends you these emails: automatic emails\. /);
  const both = ["on: Turn emails on", "all-off: Turn off emails of all podcasts"];
  assert.deepEqual(buttonsOf(page), both);
  assert.deepEqual(await off(), ["Trains & more"]);

  const ended = await post(token, form({ emails: "all-off" }));
  assertPage(ended, 200, "en", "You&#39;re unsubscribed");
  assert.match(ended.text, /<p>Podcasts no longer send you these emails: automatic emails\. /);
  assert.deepEqual(buttonsOf(ended), ["all-on: Turn emails on"]);
  assert.deepEqual(await off(), ["Boats", "Trains & more"]);

  const undone = await post(token, form({ emails: "all-on" }));
  assertPage(undone, 200, "en", "Emails of other podcasts are on again");
  assert.match(undone.text, /one by one stay off, like Trains &amp; more\.<\/p>/);
  assert.deepEqual(buttonsOf(undone), both);
  assert.deepEqual(await off(), ["Trains & more"]);

  const back = await post(token, form({ emails: "on" }));
  assertPage(back, 200, "en", "You&#39;re subscribed again");
  assert.deepEqual(buttonsOf(back), ["off: Turn emails off"]);
  assert.deepEqual(await off(), []);
  assert.deepEqual(buttonsOf(await post(token, form({ emails: "off" }))), both);
});

Deno.test("one click (RFC 8058) on an automatic email ends its podcast's emails alone, and HEAD none", async () => {
  const { off, token } = await automaticEmail();
  const head = await get(`unsubscribe/${token}`, {}, "HEAD");
  assert.deepEqual([head.status, await off()], [200, []]);
  const { status, body } = await post(token, oneClick);
  assert.equal(status, 200);
  assert.deepEqual([body.data.type, body.data.scope, body.data.isSubscribed], ["automation.email", "podcast", false]);
  assert.deepEqual([body.data.action, body.data.allAction], ["Turn emails on", "Turn off emails of all podcasts"]);
  assert.deepEqual(await off(), ["Trains & more"]);
});

Deno.test("HEAD email/click marks nothing", async () => {
  const email = await sendEmail(await person("owner"));
  const response = await get(`click/${email.tokens.click}`, {}, "HEAD");
  assert.deepEqual([response.status, response.headers.get("cache-control")], [200, "private, no-store"]);
  assert.equal(await stateOf(email), "queued");
});

Deno.test("HEAD email/unsubscribe turns nothing off", async () => {
  const reader = await newPerson("reader"), { tokens } = await sendEmail(reader);
  const response = await get(`unsubscribe/${tokens.unsubscribe}`, {}, "HEAD");
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  assert.equal(await preferenceOf(reader), true);
});

Deno.test("GET email/unsubscribe returns a page with 404 in the browser's language for any other token", async () => {
  const email = await sendEmail(await person("owner"));
  for (const token of [email.tokens.open, email.tokens.click, ...strangeTokens.slice(0, -2)]) {
    assertPage(await showPage(token), 404, "en", "This link doesn&#39;t work");
  }
  await expire(email.tokens.unsubscribe);
  const page = await showPage(email.tokens.unsubscribe, { "accept-language": "de-CH,de;q=0.9,en;q=0.8" });
  assertPage(page, 404, "de", "Dieser Link funktioniert nicht");
  assert.ok(!page.text.includes("<form"));
  assertPage(await showPage("none", { "accept-language": "*" }), 404, "en", "This link doesn&#39;t work");
  assertPage(await showPage("none", { "accept-language": "-".repeat(5000) }), 404, "en", "This link doesn&#39;t work");
  assertPage(await post("none", form({ emails: "on" })), 404, "en", "This link doesn&#39;t work");
});

Deno.test("POST email/unsubscribe unsubscribes by one click (RFC 8058), in both types of forms, again and again", async () => {
  const reader = await newPerson("reader"), { tokens } = await sendEmail(reader);
  const multipart = new FormData();
  multipart.set("List-Unsubscribe", "One-Click");
  for (const body of [oneClick, multipart, oneClick]) {
    const response = await post(tokens.unsubscribe, body);
    assert.equal(response.status, 200, response.text);
    assert.deepEqual([response.body.success, response.body.data.type, response.body.data.isSubscribed], [
      true,
      "chat.message",
      false,
    ]);
    assert.equal(await preferenceOf(reader), false);
    await sql`update public.notification_preferences set email_chat_message = true where user_id = ${reader.id}`;
  }
  const error = "This link is unknown or has expired; change your notification settings in the app";
  for (const token of ["none", "x".repeat(8000)]) assertError(await post(token, oneClick), 404, { error });
});

Deno.test("POST email/unsubscribe unsubscribes with any small body and returns 413 for more than 4 KB", async () => {
  const reader = await newPerson("reader"), { tokens } = await sendEmail(reader);
  const bodies: [BodyInit, string][] = [["", "text/plain"], ["{}", "application/json"], ["\xff\0", "x/y"], [
    "--a\r\nbroken",
    "multipart/form-data; boundary=a",
  ]];
  for (const [body, type] of bodies) {
    const response = await post(tokens.unsubscribe, body, { "content-type": type });
    assert.equal(response.status, 200, `${type}: ${response.text}`);
    assert.equal(await preferenceOf(reader), false, type);
    await sql`update public.notification_preferences set email_chat_message = true where user_id = ${reader.id}`;
  }
  assertError(await post(tokens.unsubscribe, form({ a: "x".repeat(4096) })), 413, {
    error: "Request body too large",
    details: "At most 4096 bytes are allowed",
  });
  assert.equal(await preferenceOf(reader), true);
});

Deno.test("without the database the pixel is returned, a click is 503, and the unsubscribe page asks for patience", async () => {
  await using functions = await startFunctions(stackInfo, { SUPABASE_DB_URL: UNREACHABLE_ENV.SUPABASE_DB_URL });
  const request = (path: string, init?: RequestInit) =>
    fetchDocumented(`${functions.url}${base}/${path}`, { redirect: "manual", ...init });
  await assertPixel(await request(`open/${"x".repeat(43)}`), "without the database");
  const click = await request(`click/${"x".repeat(43)}`);
  assert.deepEqual([click.status, (await click.json()).error], [503, "The database is unavailable"]);
  const post = (body: Record<string, string>) => ({ method: "POST", body: new URLSearchParams(body) });
  for (const form of [undefined, post({ emails: "on" })]) { // the link, and the button of its page
    const page = await request(`unsubscribe/${"x".repeat(43)}`, form), text = await page.text();
    assert.deepEqual([page.status, page.headers.get("retry-after")], [503, "1"]);
    assert.match(text, /<html lang="en"[^]*<h1>Back in a moment<\/h1>\n<p>This page isn&#39;t available right now\./);
  }
  const oneClick = await request(`unsubscribe/${"x".repeat(43)}`, post({ "List-Unsubscribe": "One-Click" }));
  assert.deepEqual([oneClick.status, (await oneClick.json()).error], [503, "The database is unavailable"]);
});
