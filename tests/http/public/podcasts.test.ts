// GET /v1/podcasts/{slug} and …/episodes: published fields, keyset pages, validators.
import assert from "node:assert/strict";
import { DIRECTORIES, EpisodeResponse, ListEpisodesResponse, PodcastResponse } from "../../../types/public.ts";
import { assertError, assertKeys, callRpc, episode, person, podcast, sendRequest, sql, stackInfo } from "../harness.ts";
import { publishedEpisode, put } from "../api/audio.ts";
import { sendRaw } from "../raw_response.ts";

const owner = await person("owner");
const show = await podcast("In public");
const published: string[] = [];
for (const title of ["One", "Two", "Three"]) {
  published.unshift((await publishedEpisode(show, title)).id);
}
const draft = await episode(show, "Draft");
const one = `/public/v1/podcasts/${show.slug}`, list = `${one}/episodes`;
// A proxy that compresses makes the ETag weak, so the test requests identity encoding
const identity = { "accept-encoding": "identity" };
const get = (path: string, headers = {}) => sendRequest({ method: "GET", path, headers: { ...identity, ...headers } });

Deno.test("GET /v1/podcasts/{slug} returns published fields and counts published episodes", async () => {
  const { status, body, text } = await get(one);
  assert.equal(status, 200, text);
  assertKeys(body, "success", "data");
  PodcastResponse.parse(body);
  assert.deepEqual([body.data.id, body.data.slug, body.data.title, body.data.episodeCount], [
    show.id,
    show.slug,
    "In public",
    3,
  ]);
  assert.equal(body.data.feedUrl, `${stackInfo.functionsUrl}/public/feeds/${show.slug}.xml`);
});

Deno.test("a podcast appears with its first published episode and disappears with its last one", async () => {
  const appearing = await podcast("Soon"), first = await episode(appearing, "First");
  await put(appearing, first);
  const paths = ["", "/episodes", "/episodes/latest", `/episodes/${first.slug}`]
    .map((path) => `/public/v1/podcasts/${appearing.slug}${path}`).concat(`/public/v1/episodes/${first.id}`);
  const statuses = () => Promise.all(paths.map(async (path) => (await get(path)).status));
  assert.deepEqual(await statuses(), paths.map(() => 404));
  await callRpc(owner, "publish_episode", { episode_id: first.id });
  assert.deepEqual(await statuses(), paths.map(() => 200));
  await callRpc(owner, "unpublish_episode", { episode_id: first.id });
  assert.deepEqual(await statuses(), paths.map(() => 404));
  assertError(await get(paths[0]), 404, { error: "Podcast not found" });
  assertError(await get(paths[3]), 404, { error: "Episode not found" });
});

Deno.test("directory links that an admin stores with supabase-js appear in the order of the directories", async () => {
  const pages = {
    apple_podcasts: "https://podcasts.apple.com/us/podcast/in-public/id1510899104",
    spotify: "https://open.spotify.com/show/4rOoJ6Egrf8K2IrywzwOMk",
    youtube: "https://www.youtube.com/playlist?list=PL1",
    amazon_music: "https://music.amazon.de/podcasts/8a2",
    pocket_casts: "https://pca.st/q1w2",
    overcast: "https://overcast.fm/itunes1510899104",
    podcast_addict: "https://podcastaddict.com/podcast/in-public/1",
    castbox: "https://castbox.fm/channel/id1",
  };
  const links = DIRECTORIES.map((directory) => ({ directory, url: pages[directory] }));
  const store = (directory_links: object[]) =>
    owner.client.from("podcasts").update({ directory_links }).eq("id", show.id);
  assert.equal((await store(links.toReversed())).error, null);
  const { body } = await get(one);
  PodcastResponse.parse(body);
  assert.deepEqual(body.data.directoryLinks, links);
  const known = await sql<{ directory: string }[]>`select directory from private.directories()`;
  assert.deepEqual(known.map(({ directory }) => directory), DIRECTORIES);
  const { status, error } = await store([{ directory: "spotify", url: pages.castbox }]);
  assert.deepEqual([status, error!.message], [400, "directory_links[0].url must be a page of spotify"]);
});

Deno.test("an episode is found by its slug, by its id, by its id alone and as the latest one", async () => {
  const [newest] = (await get(list)).body.data;
  for (
    const path of [
      `${list}/${newest.slug}`,
      `${list}/${newest.id}`,
      `${list}/latest`,
      `/public/v1/episodes/${newest.id}`,
    ]
  ) {
    const { status, body, text } = await get(path);
    assert.equal(status, 200, text);
    assertKeys(body, "success", "data");
    EpisodeResponse.parse(body);
    assert.deepEqual(body.data, newest);
  }
});

Deno.test("an episode of another podcast, a draft and an unknown episode return 404, and an invalid id returns 400", async () => {
  const foreign = await publishedEpisode(await podcast("Another"), "Foreign");
  for (const path of [`${list}/${foreign.id}`, `${list}/${draft.id}`, `${list}/${draft.slug}`, `${list}/nope`]) {
    assertError(await get(path), 404, { error: "Episode not found" });
  }
  for (const id of [draft.id, crypto.randomUUID()]) assertError(await get(`/public/v1/episodes/${id}`), 404);
  assertError(await get("/public/v1/episodes/latest"), 400, { details: "episodeId: must be a UUID" });
  assertError(await get(`${list}/%00`), 400, { details: /^idOrSlug:/ });
});

Deno.test("the episode list is newest first and without drafts", async () => {
  const { status, body, text } = await get(list);
  assert.equal(status, 200, text);
  assertKeys(body, "success", "data", "pagination");
  ListEpisodesResponse.parse(body);
  assert.deepEqual(body.data.map(({ id }: { id: string }) => id), published);
  assert.ok(!text.includes(draft.id));
  assert.deepEqual([body.data[0].durationSeconds, body.data[0].audioFileSizeBytes, body.data[0].podcastSlug], [
    90,
    10,
    show.slug,
  ]);
  assert.deepEqual(body.pagination, { nextCursor: null, hasMore: false });
});

Deno.test("the episode list continues after its cursor", async () => {
  const { body: { data, pagination } } = await get(`${list}?limit=2`);
  assert.equal(pagination.hasMore, true);
  const { body } = await get(`${list}?cursor=${encodeURIComponent(pagination.nextCursor)}`);
  assert.deepEqual([...data, ...body.data].map(({ id }: { id: string }) => id), published);
});

Deno.test("the episode list returns 400 for a limit outside 1 to 100 and for an invalid cursor", async () => {
  for (const limit of ["0", "101", "-1", "1.5", "many", "", "%00"]) {
    assertError(await get(`${list}?limit=${limit}`), 400, { details: /^limit:/ });
  }
  for (const cursor of ["x", "AAAA", btoa("0 not-an-id")]) {
    assertError(await get(`${list}?cursor=${cursor}`), 400, {
      error: "Invalid cursor; pass the cursor of the previous page",
    });
  }
  assertError(await get(`${list}?cursor=`), 400, { details: "cursor: must not be empty" });
  assertError(await get(`${list}?cursor=%00`), 400, { details: /^cursor: contains an unsupported character/ });
  for (const limit of ["1", "100"]) assert.equal((await get(`${list}?limit=${limit}`)).status, 200);
});

Deno.test("a search lists the episodes with its words, page by page, and returns 400 for other lengths", async () => {
  const search = async (query: string) => {
    const { status, body, text } = await get(`${list}?${query}`);
    assert.equal(status, 200, text);
    ListEpisodesResponse.parse(body);
    return [body.data.map(({ title }: { title: string }) => title), body.pagination.nextCursor];
  };
  assert.deepEqual(await search("q=two"), [["Two"], null]);
  assert.deepEqual(await search("q=%20T%20"), [[], null]);
  assert.deepEqual(await search("q=TW"), [["Two"], null]);
  assert.deepEqual(await search("q=draft"), [[], null]);
  const renamed = await publishedEpisode(show, "Two more");
  const [first, cursor] = await search("q=two&limit=1");
  assert.deepEqual(first, ["Two more"]);
  assert.deepEqual(await search(`q=two&limit=1&cursor=${encodeURIComponent(cursor)}`), [["Two"], null]);
  await callRpc(owner, "unpublish_episode", { episode_id: renamed.id });
  assert.deepEqual(await search("q=two"), [["Two"], null]);
  const { data } = await owner.client.rpc("list_public_episodes", { slug: show.slug, q: "two" });
  assert.deepEqual(data.data.map(({ title }: { title: string }) => title), ["Two"]);
  for (const q of ["", "%20", "x".repeat(201)]) {
    assertError(await get(`${list}?q=${q}`), 400, { details: "q: must have 1 to 200 characters" });
  }
  assertError(await get(`${list}?q=%00`), 400, { details: /^q:/ });
  assertError(await get(`${list}?q=a&q=b`), 400, { details: /^q:/ });
  assertError(await get(`/public/v1/podcasts/none/episodes?q=a`), 404, { error: "Podcast not found" });
});

Deno.test("an unknown podcast and an unknown route return 404", async () => {
  for (
    const path of [
      "/v1/podcasts/none",
      "/v1/podcasts/none/episodes",
      "/v1/podcasts",
      "/v2/podcasts/none",
      "/v1/%E0%A4%A",
      `/v1/podcasts/${show.slug}//`,
      `/v1/podcasts//${show.slug}`,
    ]
  ) {
    assertError(await get(`/public${path}`), 404);
  }
  assertError(await get("/public/v1/podcasts/%00"), 400, { details: /^slug:/ });
  for (const path of ["/feeds/%00.xml", "/feeds/a%00b.xml", "/listen/%00", "/listen/x/%00"]) {
    const response = await get(`/public${path}`);
    assertError(response, response.status === 404 ? 404 : 400);
    assert.doesNotMatch(response.text, /UTF8|byte|encoding/);
  }
});

Deno.test("If-None-Match takes a list, weak tags and *, and HEAD of nothing returns 404", async () => {
  const etag = (await get(one)).headers.get("etag")!;
  assert.match(etag, /^"[^"]+"$/, "strong");
  for (const header of [`W/${etag}`, `"other", ${etag}`, "*"]) {
    const again = await get(one, { "if-none-match": header });
    assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag]);
    assert.equal(again.headers.get("access-control-allow-origin"), "*");
  }
  assert.equal((await get(one, { "if-none-match": '"other"' })).status, 200);
  assert.equal((await sendRequest({ method: "HEAD", path: "/public/v1/podcasts/none" })).status, 404);
});

Deno.test("the ETag changes with the content", async () => {
  const changing = await podcast("Before"), path = `/public/v1/podcasts/${changing.slug}`;
  await publishedEpisode(changing);
  const before = await get(path);
  const { error } = await owner.client.from("podcasts").update({ title: "After" }).eq("id", changing.id);
  assert.equal(error, null);
  const after = await get(path, { "if-none-match": before.headers.get("etag")! });
  assert.equal(after.status, 200);
  assert.equal(after.body.data.title, "After");
});

Deno.test("GET, HEAD and 304 of /v1 vary by Accept-Encoding alone, compressed or not", async () => {
  for (const encoding of ["gzip", "identity"]) {
    const headers = { "accept-encoding": encoding };
    const full = await sendRaw("GET", list, headers), head = await sendRaw("HEAD", list, headers);
    const again = await sendRaw("GET", list, { ...headers, "if-none-match": full.headers.get("etag")! });
    assert.deepEqual([full.status, head.status, again.status], [200, 200, 304]);
    for (const { headers } of [full, head, again]) {
      assert.equal(headers.get("vary")?.toLowerCase(), "accept-encoding", encoding);
    }
  }
});

Deno.test("/v1 ignores any Authorization header and unknown query parameters", async () => {
  for (const path of [one, list, `${list}/latest`, `/public/v1/episodes/${published[0]}`]) {
    for (const token of ["junk", stackInfo.publishableKey, "castbase_live_1234", "castbase_test_1234", owner.token]) {
      assert.equal(
        (await sendRequest({ method: "GET", path: `${path}?utm_source=x&limits=0&other=%00&%00=x`, as: { token } }))
          .status,
        200,
      );
    }
  }
});
