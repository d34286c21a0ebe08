// /listen: where the feed's links lead, and where people press play.
import assert from "node:assert/strict";
import { ask, episode, isRefused, person, podcast, verb } from "../harness.ts";
import { put } from "../api/audio.ts";

const owner = await person("owner");
const show = await podcast("Listen & learn");
const made = await episode(show, `A "quoted" <script>alert(1)</script> title`);
await put(show, made, { query: { duration: "125" } });
const draft = await episode(show, "Not yet");
const path = `/public/listen/${show.slug}`;
const get = (path: string) => ask({ method: "GET", path });

Deno.test("A show without published episodes has a page that says so", async () => {
  const { status, text, headers } = await get(path);
  assert.equal(status, 200, text);
  assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(text, /Nothing has been published yet/);
});

Deno.test("A published episode has a page with its audio, and stands on the show's page", async () => {
  await verb(owner, "publish_episode", { episode_id: made.id });
  const { data } = await owner.client.from("episodes").select("slug, audio_url").eq("id", made.id).single();
  const { status, text, headers } = await get(`${path}/${data!.slug}`);
  assert.equal(status, 200, text);
  assert.match(text, new RegExp(`<source src="${data!.audio_url}" type="audio/mpeg">`));
  assert.match(text, /A &quot;quoted&quot; &lt;script&gt;alert\(1\)&lt;\/script&gt; title/);
  assert.doesNotMatch(text, /<script/);
  assert.match(headers.get("content-security-policy")!, /^default-src 'none'/);
  assert.match((await get(path)).text, new RegExp(`href="[^"]*/listen/${show.slug}/${data!.slug}"`));
});

Deno.test("Drafts and unknown addresses have none", async () => {
  isRefused(await get(`${path}/${draft.id}`), 404);
  isRefused(await get(`${path}/nope`), 404);
  isRefused(await get("/public/listen/nope"), 404);
});
