// /api/automations/addresses: addresses outside the team whose holders agreed to the emails of automations.
import assert from "node:assert/strict";
import { assertError, assertKeys, podcast, sendRequest, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { BASE, emailTo, newTemplate, ruleOf, send } from "./automations.ts";
import { emailNumber } from "./bookings.ts";
import { emailsTo } from "../inbox.ts";
import { sendEmail } from "./sent_email.ts";

const show = await podcast("Addresses & more");
const PATH = "/addresses";
const FIELDS = [
  "id",
  "podcast_id",
  "email",
  "status",
  "confirmed_at",
  "unsubscribed_at",
  "email_status",
  "email_due_at",
  "created_at",
];
const newAddress = () => `vera-${crypto.randomUUID()}@outside.test`;

const request = (email: string, to = show, as: Parameters<typeof send>[3] = "admin") =>
  send("POST", PATH, { podcast_id: to.id, email }, as);
const confirm = (accessToken: unknown) =>
  sendRequest({ method: "POST", path: `${BASE}${PATH}/confirm`, json: { accessToken } });
const list = async (of = show) => (await send("GET", `${PATH}?podcast_id=${of.id}`)).body;

async function insertAddress(email = newAddress(), to = show): Promise<string> {
  const [{ id }] = await sql`
    insert into public.automation_addresses (podcast_id, email) values (${to.id}, ${email}) returning id`;
  return id;
}

const ROUTES: Record<string, () => Promise<{ path: string; json?: unknown }>> = {
  "GET": () => Promise.resolve({ path: `${BASE}${PATH}?podcast_id=${show.id}` }),
  "POST": () => Promise.resolve({ path: BASE + PATH, json: { podcast_id: show.id, email: "kept@outside.test" } }),
  "DELETE /:id": async () => ({ path: `${BASE}${PATH}/${await insertAddress()}` }),
};
for (const [name, options] of Object.entries(ROUTES)) {
  const [method, path = ""] = name.split(" "), route = `${method} ${BASE}${PATH}${path}`;
  assertAccessMatrix(route, options, { anon: 401, stranger: 403, member: 403 });
}

Deno.test("a requested address confirms by the link of its email, and automations may then send to it", async () => {
  const email = newAddress(), template = await newTemplate(show);
  const { status, body } = await request(` ${email.toUpperCase()} `);
  assert.equal(status, 200);
  assertKeys(body, "address");
  assertKeys(body.address, ...FIELDS);
  assert.deepEqual([body.address.podcast_id, body.address.email, body.address.confirmed_at], [show.id, email, null]);
  const rule = ruleOf(show, { actions: [emailTo(email, template)] });
  assertError(await send("POST", "/rules", rule), 400, { details: /an address that its holder confirmed/ });

  const message = await emailNumber(1, email);
  assert.equal(message.Subject, "Receive emails of Addresses & more?");
  const [, url, token] = message.Text.match(/^Confirm address:\s+(https?:\/\/\S+)#token=([\w-]{43})$/m)!;
  assert.ok(url.endsWith("/automations/confirm-address"), url);
  for (let n = 0; n < 2; n++) { // safe to repeat
    const confirmed = await confirm(token);
    assert.equal(confirmed.status, 200, confirmed.text);
    assert.deepEqual(confirmed.body, { email, podcast: { id: show.id, slug: show.slug, title: "Addresses & more" } });
  }
  const listed = (await list()).addresses.find(({ id }: { id: string }) => id === body.address.id);
  assert.match(listed.confirmed_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal((await send("POST", "/rules", rule)).status, 201);

  const again = await request(email);
  assert.deepEqual([again.status, again.body.address], [200, listed]);
  await sql`select private.enqueue_due_deliveries()`;
  const [{ count }] = await sql`select count(*)::int from private.delivery_addresses where email = ${email}`;
  assert.equal(count, 1, "a confirmed address gets no further request");
  assert.equal((await emailsTo(email)).length, 1);
});

Deno.test("an address shows that its holder unsubscribed, and confirms again by the link of a new request", async () => {
  const own = await podcast("Returning"), email = newAddress();
  const tokenOf = async (n: number) => /#token=([\w-]{43})/.exec((await emailNumber(n, email)).Text)![1];
  const stateOf = async () => {
    const [address] = (await list(own)).addresses;
    return [address.status, address.unsubscribed_at !== null];
  };
  await request(email, own);
  assert.deepEqual(await stateOf(), ["pending", false]);
  assert.equal((await confirm(await tokenOf(1))).status, 200);
  assert.deepEqual(await stateOf(), ["confirmed", false]);

  const { tokens } = await sendEmail({ address: email, locale: "en", podcast: { id: own.id, title: "Returning" } }, {
    type: "automation.email",
  });
  await sendRequest({ method: "POST", path: `/api/notifications/email/unsubscribe/${tokens.unsubscribe}` });
  assert.deepEqual(await stateOf(), ["unsubscribed", true]);

  assert.equal((await request(email, own)).body.address.status, "unsubscribed");
  assert.equal((await confirm(await tokenOf(2))).status, 200);
  assert.deepEqual(await stateOf(), ["confirmed", false]);
});

Deno.test("GET addresses lists a podcast's addresses, newest first", async () => {
  const own = await podcast("Listed addresses");
  assert.deepEqual(await list(own), { addresses: [], total: 0 });
  const ids = [await insertAddress(newAddress(), own), await insertAddress(newAddress(), own)];
  const { addresses, total, ...rest } = await list(own);
  assert.deepEqual([total, rest], [2, {}]);
  assert.deepEqual(addresses.map(({ id }: { id: string }) => id), ids.reverse());
  for (const address of addresses) assertKeys(address, ...FIELDS);
});

Deno.test("POST addresses/confirm returns 401 for an unknown token, and DELETE addresses success alone", async () => {
  assertError(await confirm("x".repeat(5000)), 401, { error: /^The link is invalid or has expired/ });
  assertError(await confirm(1), 400, { details: /^accessToken: / });
  const { status, body } = await send("DELETE", `${PATH}/${await insertAddress()}`);
  assert.deepEqual([status, body], [200, { success: true }]);
});

Deno.test("addresses return 400 for invalid fields, 404 for unknown ids and 429 with the time", async () => {
  assertError(await request("a@b.test, c@d.test"), 400, { error: "email must be a valid email address" });
  assertError(await send("POST", PATH, { email: newAddress() }), 400, { details: /^podcast_id: / });
  assertError(await send("POST", PATH, { podcast_id: show.id }), 400, { details: /^email: / });
  assertError(await send("GET", PATH), 400, { details: /^podcast_id: / });
  assertError(await send("DELETE", `${PATH}/nonsense`), 400, { details: /^id: / });
  assertError(await send("DELETE", `${PATH}/${crypto.randomUUID()}`), 404, { error: "Address not found" });
  const unknown = { id: crypto.randomUUID(), slug: "" };
  assertError(await request(newAddress(), unknown), 404, { error: "Podcast not found" });
  assertError(await send("GET", `${PATH}?podcast_id=${unknown.id}`), 404, { error: "Podcast not found" });
  const own = await podcast("Insistent"), email = newAddress();
  for (let n = 0; n < 3; n++) assert.equal((await request(email, own)).status, 200);
  assertError(await request(email, own), 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
});
