// /listen: where the feed's links lead, and where people press play.
import assert from "node:assert/strict";
import { ask, at, episode, isRefused, person, podcast, sql, verb } from "../harness.ts";
import { isReachable } from "../refuses.ts";
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

Deno.test("A published episode's page names its people, with a link and a picture where they have one", async () => {
  const add = (name: string, more = {}) =>
    verb(owner, "add_episode_person", { episode_id: made.id, source_type: "external", name, ...more });
  await add("Zoe <b>", {
    role_label: "Composer",
    avatar_url: "https://media.example/zoe.jpg",
    external_url: "https://zoe.example/?a=1&b=2",
  });
  await add("Ben", { role_label: "Editor" });
  const { data } = await owner.client.from("episodes").select("slug").eq("id", made.id).single();
  const { text } = await get(`${path}/${data!.slug}`);
  const people = [...text.matchAll(/<li>([^]*?)<\/li>/g)].map(([, person]) => person.replace(/\s+/g, " "));
  assert.equal(people.length, 3, "and its creator");
  assert.match(people[1], /<img src="https:\/\/media.example\/zoe.jpg" alt=""/);
  assert.match(
    people[1],
    /<a href="https:\/\/zoe.example\/\?a=1&amp;b=2">Zoe &lt;b&gt;<\/a> <span class="quiet">Composer</,
  );
  assert.match(people[2], /^ <span>Ben <span class="quiet">Editor</);
});

Deno.test("Drafts and unknown addresses have none", async () => {
  isRefused(await get(`${path}/${draft.id}`), 404);
  isRefused(await get(`${path}/nope`), 404);
  isRefused(await get("/public/listen/nope"), 404);
});

Deno.test("An episode's page leads to its show's, whatever script their titles are in", async () => {
  const [show, made] = await many(1, "夜行列車");
  const { text } = await get(`/public/listen/${show.slug}/${made.slug}`);
  const [, up] = /<a href="([^"]+)">夜行列車<\/a>/.exec(text)!;
  assert.equal(up, new URL(`${at.functionsUrl}/public/listen/${show.slug}`).href);
  const above = await fetch(up);
  assert.match(await above.text(), /<h1>夜行列車<\/h1>/);
});

Deno.test("A show's page leads to more episodes, as long as there are any", async () => {
  const [show] = await many(27);
  const first = await get(`/public/listen/${show.slug}`);
  const episodes = (text: string) => [...text.matchAll(/<li><a href="[^"]+">([^<]+)/g)].map(([, title]) => title);
  assert.equal(episodes(first.text).length, 25);
  const [, more] = /<a href="(\?cursor=[^"]+)" rel="next">More episodes</.exec(first.text)!;
  const second = await get(`/public/listen/${show.slug}${more}`);
  assert.equal(second.status, 200, second.text);
  assert.equal(new Set([...episodes(first.text), ...episodes(second.text)]).size, 27);
  assert.doesNotMatch(second.text, /More episodes/);
  for (const cursor of ["", "x", "AAAA"]) isRefused(await get(`/public/listen/${show.slug}?cursor=${cursor}`), 400);
});

/** A show with so many published episodes, straight into the database; and the newest of them. */
async function many(count: number, title = "Many") {
  const show = await podcast(title);
  const rows = await sql<{ id: string; slug: string }[]>`
    insert into public.episodes (podcast_id, title, status, published_at, audio_url, audio_file_size_bytes, audio_content_type)
    select ${show.id}, ${title} || ' ' || n, 'published', now() - n * interval '1 hour',
      'https://media.example/' || n || '.mp3', 10, 'audio/mpeg'
    from generate_series(1, ${count}::int) n returning id, slug`;
  return [show, rows[0]] as const;
}

const framed = await many(2, "Framed");
isReachable("GET /public/ep/:id", () => Promise.resolve({ path: `/public/ep/${framed[1].id}` }));
isReachable("GET /public/latest/:slug", () => Promise.resolve({ path: `/public/latest/${framed[0].slug}` }));

Deno.test("An episode can be framed by anyone, at its embedUrl and as the latest of its show", async () => {
  const [show, made] = framed;
  const { body } = await get(`/public/v1/podcasts/${show.slug}/episodes`);
  const [{ id, embedUrl }] = body.data;
  assert.equal(id, made.id);
  for (const address of [embedUrl, `${at.functionsUrl}/public/latest/${show.slug}`]) {
    const answer = await fetch(address);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    assert.match(text, /<h1>Framed 1<\/h1>/);
    assert.match(text, /<source src="https:\/\/media.example\/1.mp3" type="audio\/mpeg">/);
    assert.doesNotMatch(text, /<script|<a /);
    assert.match(answer.headers.get("content-security-policy")!, /frame-ancestors \*$/);
  }
  assert.match((await get(path)).headers.get("content-security-policy")!, /frame-ancestors 'self'$/);
});

Deno.test("What is not published cannot be framed", async () => {
  isRefused(await get(`/public/ep/${draft.id}`), 404);
  isRefused(await get(`/public/ep/${crypto.randomUUID()}`), 404);
  isRefused(await get("/public/ep/nope"), 400);
  isRefused(await get("/public/latest/nope"), 404);
  isRefused(await get(`/public/latest/${(await podcast("Quiet")).slug}`), 404);
});
