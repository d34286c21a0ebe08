// A locked feed: its owner's consent by a code, by a token in the feed, or by unlocking it.
import assert from "node:assert/strict";
import { assertError, podcast, sql } from "../harness.ts";
import { emailsTo } from "../inbox.ts";
import { newUserName } from "./images.ts";
import {
  type As,
  done,
  emailedCode,
  episodes,
  type Feed,
  feed,
  get,
  locked,
  newAddress,
  post,
  serving,
  start,
} from "./imports.ts";

/** Of a code that is not `code`. */
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

/** An import of a locked feed that does not move. */
async function waiting(from: Feed, title = "Locked") {
  const show = await podcast(title, newUserName("locked"));
  const data = done(await start(show, from.url));
  assert.equal(data.status, "verification_required");
  return { show, id: data.importId as string, data };
}

const byCode = (email: string) => feed(episodes(3), locked(email));
const statusOf = async (id: string) => done(await get(id)).status;
const verify = (id: string, code: unknown, as?: As) => post(id, "verify-ownership", { code }, as);

Deno.test("POST verify-ownership moves an import to preview with the emailed code", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  const data = done(await verify(id, await emailedCode(email)));
  assert.equal(data.status, "preview");
  const { status, verification_method, total_items } = done(await get(id));
  assert.deepEqual([status, verification_method, total_items], ["preview", null, 3]);
});

Deno.test("POST verify-ownership returns 400 for a wrong code, and for one that is not six digits", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  assertError(await verify(id, other(await emailedCode(email))), 400, { code: "INVALID" });
  for (const code of [undefined, 123456, "12345", "1234567", "12345a", " 12345", "１２３４５６", "123456\n"]) {
    assertError(await verify(id, code), 400, { details: /^code/ });
  }
});

Deno.test("POST resend-code returns how the code is sent, and 429 with the time within a minute", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  const { importId: _, ...data } = done(await post(id, "resend-code"));
  assert.deepEqual(data, { status: "verification_required", method: "email_code", ownerEmail: "o***@f***.test" });
  assertError(await post(id, "resend-code"), 429, { rate_limit_reset_at: /^\d{4}-.+Z$/, code: "RATE_LIMITED" });
});

Deno.test("the ownership email names the feed, the podcast and the expiry", async () => {
  const email = newAddress(), title = `<i>"Moved"</i>`;
  await using from = await serving(byCode(email));
  await waiting(from, title);
  const code = await emailedCode(email), [mail] = await emailsTo(email);
  assert.equal(mail.Subject, `Your verification code for ${title}`);
  for (const part of [mail.Text, mail.HTML].map((part) => part.replaceAll("\u2060", ""))) {
    assert.ok(part.includes(code) && part.includes(from.source.host), part);
  }
  for (const part of [mail.Text, mail.HTML]) {
    assert.ok(!part.includes(from.source.host), "the feed's URL is not a link");
  }
  assert.match(mail.Text, /^The code expires at \d?\d:\d\d [AP]M \(UTC\)\./m);
  assert.match(mail.HTML, /&lt;i&gt;/);
  assert.doesNotMatch(mail.HTML, /<i>/);
});

Deno.test("neither the database nor the queue contains the ownership code", async () => {
  const email = newAddress();
  await using from = await serving(byCode(email));
  const { id } = await waiting(from);
  const code = await emailedCode(email);
  const [{ found }] = await sql`
    select exists (select from private.import_owner_verifications o where o.import_id = ${id} and (o::text like ${`%${code}%`}
        or o.code_hash = sha256(convert_to(${code}, 'UTF8'))))
      or exists (select from public.podcast_imports i where i.id = ${id} and i::text like ${`%${email}%`})
      or exists (select from pgmq.q_ownership_codes q where q.message::text like ${`%${code}%`}) as found`;
  assert.equal(found, false);
});

Deno.test("POST recheck-feed moves an import to preview when the feed is unlocked", async () => {
  for (const owner of [newAddress(), undefined]) {
    await using from = await serving(feed(episodes(2), locked(owner)));
    const { id } = await waiting(from);
    from.setText(feed(episodes(2)));
    const data = done(await post(id, "recheck-feed"));
    assert.equal(data.status, "preview");
    const { status, is_locked_source, verification_method } = done(await get(id));
    assert.deepEqual([status, is_locked_source, verification_method], ["preview", false, null]);
  }
});

Deno.test("POST recheck-feed bypasses caches", async () => {
  await using from = await serving(feed(episodes(2), locked()));
  const { id } = await waiting(from);
  for (let n = 0; n < 2; n++) assertError(await post(id, "recheck-feed"), 400, { code: "STILL_LOCKED" });
  const paths = from.source.requests.map((request) => /^GET (\S+)/.exec(request)![1]);
  assert.equal(paths.length, 3);
  assert.equal(new Set(paths).size, 3, `${paths}`);
  for (const path of paths.slice(1)) assert.match(path, /^\/feed\.xml\?show=1&castbase=[\w-]{36}$/);
});

Deno.test("POST recheck-feed keeps the query of a signed URL", async () => {
  await using from = await serving(feed(episodes(1), locked()));
  for (const query of ["?flag&by=a%20b+c&for=x%2Fy~z*(1)&Sig=AbC%2b%3D%3D", ""]) {
    const show = await podcast("Signed", newUserName("signed"));
    const { importId } = done(await start(show, `${from.source.url}feed${query}`));
    assertError(await post(importId, "recheck-feed"), 400, { code: "STILL_LOCKED" });
    const [first, again] = from.source.requests.slice(-2).map((request) => /^GET (\S+)/.exec(request)![1]);
    assert.equal(first, `/feed${query}`);
    assert.equal(again.replace(/castbase=[\w-]{36}$/, ""), `${first}${query ? "&" : "?"}`);
  }
});

Deno.test("POST recheck-feed accepts the token in any podcast:txt and keeps the source locked", async () => {
  for (const txt of [`<podcast:txt purpose="verify">TOKEN</podcast:txt>`, "<podcast:txt>so: TOKEN </podcast:txt>"]) {
    await using from = await serving(feed(episodes(2), locked()));
    const { id, data: { verificationToken } } = await waiting(from);
    from.setText(feed(episodes(2), locked() + txt.replace("TOKEN", `castbase-verify-${crypto.randomUUID()}`)));
    assertError(await post(id, "recheck-feed"), 400, { code: "STILL_LOCKED" });
    from.setText(feed(episodes(2), locked() + txt.replace("TOKEN", verificationToken)));
    assert.equal(done(await post(id, "recheck-feed")).status, "preview");
    const { is_locked_source, verification_method } = done(await get(id));
    assert.deepEqual([is_locked_source, verification_method], [true, null]);
  }
});

Deno.test("POST recheck-feed returns the feed's error and keeps the import waiting", async () => {
  await using from = await serving(feed(episodes(2), locked()));
  const { id } = await waiting(from);
  from.setText("<!doctype html><html><body>Moved</body></html>");
  assertError(await post(id, "recheck-feed"), 400, { code: "NOT_XML" });
  assert.equal(await statusOf(id), "verification_required");
});
