// GET /api/account/export and rpc export_account: everything that is held about the caller.
import assert from "node:assert/strict";
import { AccountExport } from "../../../types/account.ts";
import { requestTo, testBesideFaults, testWithFaults } from "../../faults/faulty_functions.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { assertError, callRpc, episode, newPerson, type Person, podcast, sendRequest, sql } from "../harness.ts";

const path = "/api/account/export";
const download = (as: Person, method = "GET") => sendRequest({ method, path, as });

assertAccessMatrix(`GET ${path}`, () => Promise.resolve({ path }), { anon: 401 });

/** Chat messages of a user who is on no team. */
async function writeMessages({ id }: Person, count: number, length: number) {
  const { id: episodeId } = await episode(await podcast("Chatty"));
  await sql`
    insert into public.episode_messages (episode_id, body, sender_user_id)
    select ${episodeId}, rpad(n || ' ', ${length}, 'x'), ${id} from generate_series(1, ${count}) n`;
}

testBesideFaults("GET /api/account/export returns one document with every section of the caller's data", async () => {
  const ada = await newPerson("ada");
  const { id: podcastId } = await callRpc<{ id: string }>(ada, "create_podcast", { title: "Ada's show" });
  const { status, headers, body, text } = await download(ada);
  assert.equal(status, 200, text);
  assert.deepEqual(
    ["content-type", "content-disposition", "cache-control"].map((name) => headers.get(name)),
    ["application/json", 'attachment; filename="account.json"', "private, no-store"],
  );
  const { exportedAt, ...sections } = AccountExport.parse(body);
  assert.ok(Math.abs(Date.parse(exportedAt) - Date.now()) < 60_000);
  const [{ expected }] = await sql`select private.export_sections() as expected`;
  assert.deepEqual(Object.keys(sections), expected);
  assert.deepEqual(sections.user.map(({ id, email }) => [id, email]), [[ada.id, ada.email]]);
  assert.deepEqual(sections.podcasts.map(({ id, title }) => [id, title]), [[podcastId, "Ada's show"]]);
  assert.equal(sections.sessions.length, 1);
  assert.deepEqual(sections.podcast_imports, []);
});

testBesideFaults("HEAD /api/account/export returns the headers and counts no export", async () => {
  const hal = await newPerson("hal");
  const { status, headers, text } = await download(hal, "HEAD");
  assert.deepEqual([status, headers.get("content-disposition"), text], [
    200,
    'attachment; filename="account.json"',
    "",
  ]);
  const counted = await sql`select from private.rate_limits where key = ${`account_exports:${hal.id}`}`;
  assert.equal(counted.length, 0);
});

testWithFaults(
  "GET /api/account/export is complete when the database connection is lost before a later page",
  async (functions) => {
    const ina = await newPerson("ina");
    await writeMessages(ina, 1200, 10);
    let cuts = 0;
    functions.database.cuts = (sent) => sent.includes("episode_messages/") && ++cuts === 1; // the cursor of a page
    const { text } = await requestTo(functions, { method: "GET", path, as: ina });
    assert.equal(AccountExport.parse(JSON.parse(text)).episode_messages.length, 1200);
    assert.equal(cuts, 3, "one page is read again");
  },
);

testWithFaults("GET /api/account/export breaks off without a valid end if a later page fails", async (functions) => {
  const gil = await newPerson("gil");
  await writeMessages(gil, 1200, 10);
  functions.database.cuts = (sent) => sent.includes("episode_messages/"); // the cursor of a page
  const response = await fetch(functions.url + path, { headers: { authorization: `Bearer ${gil.token}` } });
  assert.equal(response.status, 200);
  let text = "";
  await assert.rejects(async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) text += part;
  });
  assert.match(text, /^\{"exportedAt":/);
  assert.throws(() => JSON.parse(text), SyntaxError);
});

testBesideFaults("GET /api/account/export returns 429 over the hourly limit and 404 to a deleted account", async () => {
  const rob = await newPerson("rob");
  await sql`
    insert into private.rate_limits (key, window_started_at, expires_at, request_count)
    values (${`account_exports:${rob.id}`}, now(), now() + interval '1 day', private.get_setting('max_account_exports_per_hour')::int)`;
  const limited = await download(rob);
  assertError(limited, 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
  await sql`delete from auth.users where id = ${rob.id}`;
  assertError(await download(rob), 404, { error: "The account was deleted" });
});
