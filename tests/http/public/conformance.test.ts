// The feeds of the running stack follow the rules of docs/feed-rules.md.
import assert from "node:assert/strict";
import { violations } from "../../feed_writer/conformance.ts";
import { put } from "../api/audio.ts";
import { callRpc, episode, person, podcast, sendRequest, waitFor } from "../harness.ts";

const served = (slug: string, expected: RegExp) =>
  waitFor(`the feed of ${slug}`, async () => {
    const { text } = await sendRequest({ method: "GET", path: `/public/feeds/${slug}.xml` });
    return expected.test(text) ? text : "";
  });

Deno.test("the demo feed follows every rule", async () => {
  assert.deepEqual(violations(await served("demo", /<item>/)), []);
});

Deno.test("a feed with hostile texts follows every rule", async () => {
  const owner = await person("owner");
  const show = await podcast("Rules & <b>markup</b>");
  const long = `<p>${"Wörter & <i>mehr</i>. ".repeat(400)}</p><script>alert(1)</script>`;
  const { error } = await owner.client.from("podcasts").update({
    description: long,
    language: "zh-Hans-TW",
    owner_name: "Ana",
    owner_email: "ana@example.com",
    ai_disclosure: "Only the music",
    medium: "music",
  }).eq("id", show.id);
  assert.equal(error, null);
  const made = await episode(show, "One <script>");
  await put(show, made);
  const transcript = { url: "https://x.example/ü.vtt", type: "text/vtt", language: "de-AT", rel: "captions" };
  const { error: rejected } = await owner.client.from("episode_transcripts")
    .insert({ ...transcript, episode_id: made.id });
  assert.equal(rejected, null);
  const { error: refused } = await owner.client.from("episodes").update({
    ...{
      description: long.slice(0, 9000),
      show_notes_html: long,
      chapters_url: "https://x.example/é.json",
    },
  }).eq("id", made.id);
  assert.equal(refused, null);
  await callRpc(owner, "publish_episode", { episode_id: made.id });
  const xml = await served(show.slug, /<content:encoded>/);
  assert.deepEqual(violations(xml), []);
  assert.doesNotMatch(xml, /itunes:owner|ana@example\.com/);
});
