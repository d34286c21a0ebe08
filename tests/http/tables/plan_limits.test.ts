// Hourly limits of a plan, by RPC and by route.
import assert from "node:assert/strict";
import { assertError, callRpc, person, podcast, sendRequest, sql } from "../harness.ts";

const busy = await person("busy");

/** Counts `busy` up to the limit, so that the next call is over it. */
async function exhaust(name: string) {
  await sql`
    insert into private.rate_limits (key, window_started_at, expires_at, request_count) values (${name} || ':' || ${busy.id}, now(), now() + interval '1 day', 1000000)
    on conflict (key) do update set request_count = excluded.request_count`;
}

Deno.test("create_podcast and an insert return 429 with rate_limit_reset_at over the hourly limit", async () => {
  await exhaust("podcasts");
  const calls = [
    busy.client.rpc("create_podcast", { title: "Over" }),
    busy.client.from("podcasts").insert({ title: "Over" }),
  ];
  for (const { status, error } of await Promise.all(calls)) {
    assert.deepEqual([status, error?.code, error?.hint], [429, "PT429", "RATE_LIMITED"]);
    const wait = Date.parse(JSON.parse(error!.details).rate_limit_reset_at) - Date.now();
    assert.ok(wait > 0 && wait <= 3_600_000, error!.details);
  }
  await sql`delete from private.rate_limits where key = 'podcasts:' || ${busy.id}`;
  await callRpc(busy, "create_podcast", { title: "Within" });
});

Deno.test("POST /api/imports/podcast returns 429 with rate_limit_reset_at over the hourly limit", async () => {
  const show = await podcast("Too many imports", "busy");
  await exhaust("feed_imports");
  const json = { podcast_id: show.id, feed_url: "https://feeds.example/" };
  const response = await sendRequest({ method: "POST", path: "/api/imports/podcast", as: { token: busy.token }, json });
  assertError(response, 429, { code: "RATE_LIMITED", rate_limit_reset_at: /^\d{4}-.*Z$/ });
  const [{ opened }] =
    await sql`select count(*)::int as opened from public.podcast_imports where podcast_id = ${show.id}`;
  assert.equal(opened, 0);
});
