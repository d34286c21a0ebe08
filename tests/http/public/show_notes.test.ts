// Show notes from the editor to anonymous readers: feed, /v1, rpc and listen page, through the running worker.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { ListEpisodesResponse } from "../../../types/public.ts";
import { put } from "../api/audio.ts";
import { callRpc, episode, person, podcast, sendRequest, sql, stackInfo, waitFor } from "../harness.ts";

const owner = await person("owner");
const show = await podcast("Show notes");
const anonymous = createClient(stackInfo.url, stackInfo.publishableKey, {
  auth: { persistSession: false, autoRefreshToken: false },
});
const get = async (path: string) => (await sendRequest({ method: "GET", path })).text;

const HOSTILE =
  `<p onclick="alert(1)">Read <a href="https://x.example/?a=1&b=2">more</a> <a href="javascript:alert(2)">x</a></p>` +
  `<script>alert(3)</script><img src=x onerror=alert(4)><iframe src="https://evil.example"></iframe>`;
const SAFE = `<p>Read <a href="https://x.example/?a=1&amp;b=2" rel="noopener nofollow ugc">more</a> <a>x</a></p>`;

async function published(title: string, changes: Record<string, unknown>) {
  const made = await episode(show, title);
  await put(show, made);
  const { error } = await owner.client.from("episodes").update(changes).eq("id", made.id);
  assert.equal(error, null);
  await callRpc(owner, "publish_episode", { episode_id: made.id });
  return made;
}

async function sanitized(id: string): Promise<string> {
  const row = await waitFor("sanitized notes", async () => {
    const [row] = await sql`
      select show_notes_safe_html as html from public.episodes where id = ${id} and show_notes_version > 0`;
    return row;
  });
  return row.html;
}

/** The page or document at a path, once it matches. */
const matching = (path: string, expected: RegExp) =>
  waitFor(`${path} with ${expected}`, async () => {
    const text = await get(path);
    return expected.test(text) ? text : "";
  });

const made = await published("Hostile", {
  show_notes_html: HOSTILE,
  description: "<p>All <script>x</script>of it</p>",
});
await sanitized(made.id);

Deno.test("the worker sanitizes a member's show notes and keeps the raw ones for the editor", async () => {
  const { data } = await owner.client.from("episodes").select("show_notes_html, show_notes_safe_html").eq("id", made.id)
    .single();
  assert.deepEqual(data, { show_notes_html: HOSTILE, show_notes_safe_html: SAFE });
});

Deno.test("/v1 and the public functions return sanitized notes, and the description as plain text", async () => {
  const { body } = await sendRequest({ method: "GET", path: `/public/v1/podcasts/${show.slug}/episodes` });
  ListEpisodesResponse.parse(body);
  const one = await anonymous.rpc("get_public_episode", { slug: show.slug, id_or_slug: made.id });
  const list = await anonymous.rpc("list_public_episodes", { slug: show.slug });
  for (const shown of [body.data[0], one.data.data, list.data.data[0]]) {
    assert.deepEqual([shown.showNotesHtml, shown.description], [SAFE, "All of it"]);
    assert.ok(!JSON.stringify(shown).includes("<script"));
  }
});

Deno.test("the listen page shows sanitized show notes as HTML, and its policy forbids scripts in them", async () => {
  const { text, headers } = await sendRequest({ method: "GET", path: `/public/listen/${show.slug}/${made.slug}` });
  assert.ok(text.includes(`<div class="notes" dir="auto">${SAFE}</div>`), text);
  assert.ok(text.includes(`<p class="text lead" dir="auto">All of it</p>`), text);
  assert.doesNotMatch(text, /onclick|onerror|<iframe|javascript:|alert\(/);
  const policy = headers.get("content-security-policy")!;
  assert.match(policy, /^default-src 'none';/);
  assert.doesNotMatch(policy, /unsafe|frame-src|object-src/);
});

Deno.test("the listen page omits a description that begins the show notes, and prefers it to the summary", async () => {
  const html = await published("Rich", { description: "<p>Rich <b>text</b></p>" });
  assert.equal(await sanitized(html.id), "<p>Rich <b>text</b></p>");
  const text = await get(`/public/listen/${show.slug}/${html.slug}`);
  assert.ok(text.includes(`<div class="notes" dir="auto"><p>Rich <b>text</b></p></div>`), text);
  assert.doesNotMatch(text, /class="text lead"/);
  const short = await published("Short", { description: "Long", summary: "<p>In <b>short</b></p>" });
  await sanitized(short.id);
  assert.match(
    await get(`/public/listen/${show.slug}/${short.slug}`),
    /<p class="text lead" dir="auto">Long<\/p>\s*<div class="notes" dir="auto"><p>In <b>short<\/b><\/p>/,
  );
});

Deno.test("a podcast's page shows an HTML description as plain text", async () => {
  await owner.client.from("podcasts").update({ description: "<p>A <i>b</i></p><script>x</script>" }).eq("id", show.id);
  const text = await matching(`/public/listen/${show.slug}`, /<div class="text" dir="auto"><p>A b<\/p>/);
  assert.doesNotMatch(text, /&lt;p|<script>x|script&gt;/);
  const { data } = await anonymous.rpc("get_public_podcast", { slug: show.slug });
  assert.equal(data.data.description, "A b");
});

Deno.test("the feed uses the description when the show notes are empty paragraphs", async () => {
  const made = await published("Empty notes", {
    show_notes_html: "<p><br></p>&nbsp;",
    description: "<p>All <i>of</i> it</p>",
  });
  assert.equal(await sanitized(made.id), "<p>All <i>of</i> it</p>");
});

Deno.test("content:encoded contains the whole summary that the description tag truncates", async () => {
  const summary = "夜行列車".repeat(400);
  const made = await published("Long summary", { summary });
  assert.equal(await sanitized(made.id), `<p>${summary}</p>`);
  const xml = await matching(`/public/feeds/${show.slug}.xml`, /[夜行列車]…<\/description>/);
  assert.ok(xml.includes(`&lt;p&gt;${summary}&lt;/p&gt;`), xml);
});

Deno.test("the text of the show notes is the description of an episode without one, and its page shows it once", async () => {
  const made = await published("Notes alone", {
    show_notes_html: "<p>It&#8217;s caf&eacute; &lt;b&gt;</p><p>Enjoy</p>",
  });
  await sanitized(made.id);
  const { data } = await anonymous.rpc("get_public_episode", { slug: show.slug, id_or_slug: made.id });
  assert.equal(data.data.description, "It’s café &lt;b>\nEnjoy");
  const text = await get(`/public/listen/${show.slug}/${made.slug}`);
  assert.equal(/<main>[^]*<\/main>/.exec(text)![0].split("Enjoy").length, 2, text);
});
