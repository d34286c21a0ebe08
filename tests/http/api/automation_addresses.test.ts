// /api/automations/addresses: addresses outside the team whose holders agreed to the emails of automations.
import assert from "node:assert/strict";
import { assertError, assertKeys, newPerson, podcast, scheduleDeletion, sendRequest, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { BASE, emailTo, newTemplate, ruleOf, send } from "./automations.ts";
import { emailNumber } from "./bookings.ts";
import { emailsTo } from "../inbox.ts";

const show = await podcast("Addresses & more");
const PATH = "/addresses";
const FIELDS = ["id", "podcast_id", "email", "confirmed_at", "email_status", "email_due_at", "created_at"];
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

async function tokenFor(id: string, expiresAt = "2999-01-01T00:00:00Z"): Promise<string> {
  const token = crypto.randomUUID();
  await sql`
    insert into private.access_tokens (digest, kind, subject_id, expires_at)
    values (sha256(${token}::text::bytea), 'automation_address', ${id}, ${expiresAt})`;
  return token;
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

Deno.test("POST addresses/confirm returns 401 for an unknown, expired or foreign token and a deleted address", async () => {
  const error = /^The link is invalid or has expired/;
  const id = await insertAddress(), deleted = await insertAddress();
  const expired = await tokenFor(id, "2020-01-01T00:00:00Z"), lost = await tokenFor(deleted);
  await send("DELETE", `${PATH}/${deleted}`);
  const [{ token: foreign }] = await sql`
    with made as (select gen_random_uuid()::text as token)
    insert into private.access_tokens (digest, kind, subject_id, expires_at)
    select sha256(token::bytea), 'booking', ${id}, 'infinity' from made
    returning (select token from made)`;
  for (const token of ["none", "", "x".repeat(5000), expired, lost, foreign]) {
    assertError(await confirm(token), 401);
  }
  assertError(await confirm(lost), 401, { error });
  assertError(await confirm(1), 400, { details: /^accessToken: / });
  const [{ confirmed_at }] = await sql`select confirmed_at from public.automation_addresses where id = ${id}`;
  assert.equal(confirmed_at, null);
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

Deno.test("DELETE addresses returns success alone, and automations no longer send to the address", async () => {
  const email = newAddress(), id = await insertAddress(email), template = await newTemplate(show);
  assert.equal((await confirm(await tokenFor(id))).status, 200);
  const { status, body } = await send("DELETE", `${PATH}/${id}`);
  assert.deepEqual([status, body], [200, { success: true }]);
  assertError(await send("DELETE", `${PATH}/${id}`), 404, { error: "Address not found" });
  assertError(await send("POST", "/rules", ruleOf(show, { actions: [emailTo(email, template)] })), 400);
});

Deno.test("addresses return 400 for invalid fields and 404 for unknown ids", async () => {
  for (const email of ["", "nobody", "a@b.test, c@d.test", "a@b.test\r\nBcc: eve@evil.test"]) {
    assertError(await request(email), 400, { error: "email must be an email address" });
  }
  const email = newAddress();
  for (
    const [json, details] of [
      [{ email }, /^podcast_id: /],
      [{ podcast_id: show.id }, /^email: /],
      [{ podcast_id: show.id, email, confirmed_at: "2026-01-01T00:00:00Z" }, 'Unrecognized key: "confirmed_at"'],
    ] as const
  ) {
    assertError(await send("POST", PATH, json), 400, { details });
  }
  assertError(await send("GET", PATH), 400, { details: /^podcast_id: / });
  assertError(await send("DELETE", `${PATH}/nonsense`), 400, { details: /^id: / });
  assertError(await send("DELETE", `${PATH}/${crypto.randomUUID()}`), 404, { error: "Address not found" });
  for (
    const response of [
      await request(email, { id: crypto.randomUUID(), slug: "" }),
      await send("GET", `${PATH}?podcast_id=${crypto.randomUUID()}`),
    ]
  ) {
    assertError(response, 404, { error: "Podcast not found" });
  }
});

Deno.test("addresses return 409 at fifty addresses and while the podcast's deletion is scheduled", async () => {
  const own = await podcast("Full of addresses");
  await sql`
    insert into public.automation_addresses (podcast_id, email)
    select ${own.id}, 'full' || n || '@outside.test' from generate_series(1, 50) n`;
  assertError(await request(newAddress(), own), 409, { code: "TOO_MANY_AUTOMATIONS", error: /at most 50/ });
  assert.equal((await request("full1@outside.test", own)).status, 200, "a known address needs no further row");
  const { addresses: [{ id }] } = await list(own);
  await scheduleDeletion(own);
  const code = "PODCAST_PENDING_DELETION";
  assertError(await request(newAddress(), own), 409, { code });
  assertError(await send("DELETE", `${PATH}/${id}`), 409, { code });
  assert.equal((await list(own)).total, 50);
});

Deno.test("POST addresses returns 429 over twenty requests an hour of a user", async () => {
  const eager = await newPerson("eager"), name = eager.email.split("@")[0], own = await podcast("Eager", name);
  for (let n = 0; n < 20; n++) assert.equal((await request(newAddress(), own, eager)).status, 200);
  assertError(await request(newAddress(), own, eager), 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
});

Deno.test("POST addresses returns 429 with the time for a fourth email of a podcast to an address in thirty days", async () => {
  const own = await podcast("Insistent"), email = newAddress();
  for (let n = 0; n < 3; n++) assert.equal((await request(email, own)).status, 200);
  const response = await request(email, own);
  assertError(response, 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
  assert.ok(Date.parse(response.body.rate_limit_reset_at) > Date.now() + 29 * 86_400_000, response.text);
  await sql`select private.enqueue_due_deliveries()`;
  const [{ count }] = await sql`select count(*)::int from private.delivery_addresses where email = ${email}`;
  assert.equal(count, 3);
});
