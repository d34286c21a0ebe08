// Feeds behind Basic auth: who gets the login, and what the caller reads.
import assert from "node:assert/strict";
import { assertError, podcast, sendRequest, sql, waitFor } from "../harness.ts";
import { allBytes, mp3 } from "../../worker/source.ts";
import type { Visit } from "../../safe_fetch/peer.ts";
import { httpResponse, redirect, source } from "./artwork.ts";
import { BASE, done, episodes, feed, get, post, served } from "./imports.ts";
import { newUserName } from "./images.ts";

const PASSWORD = `päss:${crypto.randomUUID()}`, LOGIN = `Basic ${btoa(unescape(encodeURIComponent(`jo:${PASSWORD}`)))}`;
const audio = httpResponse(allBytes(mp3(2000)), { type: "audio/mpeg" });
const authorizationOf = (request: string) => /^authorization: (.*)\r$/m.exec(request)?.[1];

/** A host with a feed behind a login, whose second episode redirects elsewhere; and that other host. */
async function hosts() {
  const other = await source(({ send }: Visit) => send(audio));
  let text = "";
  const own = await source(({ request, send }: Visit) => {
    if (authorizationOf(request) !== LOGIN) return send(httpResponse(new Uint8Array(), { status: 401 }));
    if (request.startsWith("GET /moved")) return send(redirect(`${other.url}moved.mp3`));
    return send(request.startsWith("GET /feed") ? served(text) : audio);
  });
  const items = episodes(3, `${own.url}a.mp3`);
  items[1].audio = `${own.url}moved.mp3`;
  items[2].audio = `${other.url}elsewhere.mp3`;
  text = feed(items);
  return {
    own,
    other,
    async [Symbol.asyncDispose]() {
      await own[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

const startAt = async (json: Record<string, string>) => {
  const show = await podcast("Private", newUserName("private"));
  return await sendRequest({
    method: "POST",
    path: `${BASE}/podcast`,
    as: "admin",
    json: { podcast_id: show.id, ...json },
  });
};

Deno.test("POST podcast logs in at the feed's origin only, and shows the login nowhere", async () => {
  await using from = await hosts();
  const url = `${from.own.url}feed.xml`;
  const inUrl = url.replace("://", `://jo:${encodeURIComponent(PASSWORD)}@`);
  for (const json of [{ feed_url: inUrl }, { feed_url: url, feed_username: "jo", feed_password: PASSWORD }]) {
    const { importId } = done(await startAt(json as Record<string, string>));
    done(await post(importId, "confirm", {}));
    await waitFor("the import ends", async () => {
      await sql`update pgmq.q_import_items set vt = clock_timestamp()
        where message ->> 'import_id' = ${importId} and vt > clock_timestamp() and read_ct = 0`;
      return done(await get(importId)).status !== "running";
    }, 90);
    const { text, body } = await get(importId);
    assert.deepEqual([body.data.status, body.data.feed_url, body.data.completed_count], ["completed", url, 3]);
    assert.ok(!text.includes("päss") && !text.includes(encodeURIComponent(PASSWORD)));
  }
  assert.ok(from.own.requests.every((request) => authorizationOf(request) === LOGIN));
  assert.deepEqual(from.other.requests.map(authorizationOf), [undefined, undefined, undefined, undefined]);
});

Deno.test("POST podcast returns HTTP_ERROR with what is missing for a feed behind Basic auth", async () => {
  await using from = await hosts();
  const feed_url = `${from.own.url}feed.xml`;
  assertError(await startAt({ feed_url }), 400, {
    code: "HTTP_ERROR",
    error: "The feed requires a user name and a password (status 401)",
  });
  assertError(await startAt({ feed_url, feed_username: "jo", feed_password: "wrong" }), 400, {
    code: "HTTP_ERROR",
    error: "The feed's server rejects the user name or the password (status 401)",
  });
  assertError(await startAt({ feed_url: "http://jo:secret@a.example/feed.xml" }), 400, { code: "INVALID_URL" });
  assert.deepEqual([
    ...await sql`select from private.import_credentials c join public.podcast_imports i
    on i.id = c.import_id where i.feed_url = ${feed_url}`,
  ], []);
});
