// The head of listen pages: what search engines, previews of other sites and feed readers find there.
import assert from "node:assert/strict";
import { decodeEntities } from "../../../functions/text/plain_text.ts";
import { put } from "../api/audio.ts";
import { callRpc, episode, person, podcast, sendRequest, sql, stackInfo } from "../harness.ts";

const HOSTILE = `Night </script><!--<script>alert(1)</script> "trains" & 'more'`;
const owner = await person("owner"), show = await podcast(HOSTILE), pilot = await episode(show, `Pilot ${HOSTILE}`);
await put(show, pilot, { query: { duration: "3725" } });
await sql`
  update public.podcasts set description = ${`About "trains"`}, author = 'Ana', explicit = true, link = 'https://x.example/',
    cover_image_url = 'https://images.example/cover.png',
    categories = '[{"category":"Society & Culture","subcategory":"Places & Travel"},{"category":"History"}]'
  where id = ${show.id}`;
await sql`
  update public.episodes set summary = ${`On "trains" & ${"long ".repeat(100)}`}, season_number = 2, episode_number = 5
  where id = ${pilot.id}`;
await callRpc(owner, "add_episode_person", {
  ...{ episode_id: pilot.id, source_type: "external", name: HOSTILE.slice(0, 40), role_label: "Editor" },
});
await callRpc(owner, "publish_episode", { episode_id: pilot.id });

const path = `/public/listen/${show.slug}`;
const get = async (path: string) => (await sendRequest({ method: "GET", path })).text;
const [showPage, episodePage] = await Promise.all([get(path), get(`${path}/${pilot.slug}`)]);
const { body: { data } } = await sendRequest({ method: "GET", path: `/public/v1/episodes/${pilot.id}` });
const { body: { data: podcastData } } = await sendRequest({ method: "GET", path: `/public/v1/podcasts/${show.slug}` });

/** The values of meta elements by name or property. */
const metaOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)">/g)].map((
      [, name, value],
    ) => [name, decodeEntities(value)]),
  );

/** Attributes of the link elements with this relation. */
const linksOf = (text: string, rel: string) =>
  [...text.matchAll(new RegExp(`<link rel="${rel}"([^>]*)>`, "g"))].map(([, attributes]) =>
    Object.fromEntries(
      [...attributes.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name, value]) => [name, decodeEntities(value)]),
    )
  );

function linkedDataOf(text: string) {
  const blocks = [...text.matchAll(/<script type="application\/ld\+json">([^]*?)<\/script>/g)];
  assert.equal(blocks.length, 1);
  assert.doesNotMatch(blocks[0][1], /</);
  return JSON.parse(blocks[0][1]);
}

Deno.test("an episode's page has OpenGraph metadata and a player card", () => {
  const meta = metaOf(episodePage);
  assert.match(meta.description, /^On "trains" & long.* long…$/);
  assert.ok([...meta.description].length <= 300);
  const expected = {
    "og:type": "article",
    "og:locale": "en_US",
    "og:title": data.title,
    "og:site_name": HOSTILE,
    "og:description": meta.description,
    "og:url": data.listenUrl,
    "og:image": "https://images.example/cover.png",
    "og:image:alt": HOSTILE,
    "og:audio": data.audioUrl,
    "og:audio:type": "audio/mpeg",
    "twitter:card": "player",
    "twitter:title": data.title,
    "twitter:player": data.embedUrl,
    "twitter:player:width": "600",
    "twitter:player:height": "180",
    "twitter:image": "https://images.example/cover.png",
    "twitter:image:alt": HOSTILE,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(meta[name], value, name);
  for (const name of ["og:image:width", "twitter:site"]) assert.equal(meta[name], undefined, name);
});

Deno.test("pages name the account of the setting twitter_site", async () => {
  for (const account of ["castbase", "@castbase"]) {
    await sql`select private.set_setting('twitter_site', ${account})`;
    assert.equal(metaOf(await get(path))["twitter:site"], "@castbase");
  }
  await sql`select private.set_setting('twitter_site', null)`;
});

Deno.test("a podcast's page has OpenGraph metadata and a summary card", () => {
  const meta = metaOf(showPage);
  assert.deepEqual(
    [meta["og:type"], meta["og:title"], meta["og:url"], meta["twitter:card"], meta["twitter:player"]],
    ["website", HOSTILE, podcastData.listenUrl, "summary", undefined],
  );
});

Deno.test("listen pages link to the canonical page, the feed, and oEmbed in both formats", () => {
  const feed = { type: "application/rss+xml", title: HOSTILE, href: podcastData.feedUrl };
  for (const [page, { listenUrl, title }] of [[showPage, podcastData], [episodePage, data]]) {
    const endpoint = `${stackInfo.functionsUrl}/public/v1/oembed?url=${encodeURIComponent(listenUrl)}`;
    assert.deepEqual(linksOf(page, "canonical"), [{ href: listenUrl }]);
    assert.deepEqual(linksOf(page, "alternate"), [
      feed,
      { type: "application/json+oembed", title, href: `${endpoint}&format=json` },
      { type: "text/xml+oembed", title, href: `${endpoint}&format=xml` },
    ]);
  }
});

Deno.test("players in frames preview as their episode with themselves as the card, and have oEmbed links", async () => {
  const base = `${stackInfo.functionsUrl}/public`, listenMeta = metaOf(episodePage);
  const paths = [`/ep/${pilot.id}`, `/latest/${encodeURIComponent(show.slug)}`];
  for (const address of [...paths, `${paths[0]}?theme=dark&lang=de&t=90&accent=0a6c74`]) {
    const text = await get(`/public${address}`), meta = metaOf(text);
    assert.deepEqual(meta, { ...listenMeta, "twitter:player": base + address });
    assert.deepEqual(linksOf(text, "canonical"), [{ href: data.listenUrl }]);
    const formats = linksOf(text, "alternate").filter(({ type }) => type.endsWith("oembed"));
    const endpoint = `${base}/v1/oembed?url=${encodeURIComponent(base + address)}`;
    assert.deepEqual(formats.map(({ href }) => href), [`${endpoint}&format=json`, `${endpoint}&format=xml`]);
    for (const { href } of formats) {
      const text = await (await fetch(href)).text(), [path, query = ""] = address.split("?");
      const src = decodeEntities(decodeEntities(/iframe src=\\?[^ ]*/.exec(text)![0]));
      assert.ok(src.includes(path + (query && `?${query}`)), `${href}: ${src}`);
    }
  }
});

Deno.test("the player of a show in a frame previews as its podcast, in the height of its list", async () => {
  const address = `/show/${encodeURIComponent(show.slug)}`, meta = metaOf(await get(`/public${address}?theme=pink`));
  assert.deepEqual(meta, {
    ...metaOf(showPage),
    "twitter:card": "player",
    "twitter:player": `${stackInfo.functionsUrl}/public${address}`,
    "twitter:player:width": "600",
    "twitter:player:height": "420",
  });
});

Deno.test("a podcast's page has the linked data of a PodcastSeries", () => {
  const linked = linkedDataOf(showPage);
  assert.deepEqual(
    { ...linked, contributor: undefined },
    {
      "@context": "https://schema.org",
      "@type": "PodcastSeries",
      "@id": podcastData.listenUrl,
      name: HOSTILE,
      description: `About "trains"`,
      url: podcastData.listenUrl,
      sameAs: "https://x.example/",
      webFeed: podcastData.feedUrl,
      image: "https://images.example/cover.png",
      inLanguage: "en",
      isFamilyFriendly: false,
      author: { "@type": "Organization", name: "Ana" },
      genre: ["Places & Travel", "History"],
      contributor: undefined,
    },
  );
});

Deno.test("an episode's page has the linked data of a PodcastEpisode, and no text ends its element", () => {
  const { contributor, description, ...linked } = linkedDataOf(episodePage);
  assert.ok(description.startsWith(`On "trains" & long`));
  assert.deepEqual(contributor.at(-1), { "@type": "Person", name: HOSTILE.slice(0, 40) });
  assert.deepEqual(linked, {
    "@context": "https://schema.org",
    "@type": "PodcastEpisode",
    "@id": data.listenUrl,
    name: data.title,
    url: data.listenUrl,
    datePublished: data.publishedAt,
    timeRequired: "PT3725S",
    image: "https://images.example/cover.png",
    inLanguage: "en",
    isFamilyFriendly: true,
    episodeNumber: 5,
    partOfSeason: { "@type": "PodcastSeason", seasonNumber: 2 },
    partOfSeries: {
      "@type": "PodcastSeries",
      name: HOSTILE,
      url: podcastData.listenUrl,
      webFeed: podcastData.feedUrl,
    },
    associatedMedia: {
      "@type": "AudioObject",
      contentUrl: data.audioUrl,
      encodingFormat: "audio/mpeg",
      contentSize: String(data.audioFileSizeBytes),
      duration: "PT3725S",
    },
  });
});

Deno.test("the player's data on pages are JSON that no title ends, without images of other hosts", async () => {
  for (const text of [episodePage, await get(`/public/ep/${pilot.id}`)]) {
    const [, json] = /<castbase-player[^>]*><script type="application\/json">([^]*?)<\/script>/.exec(text)!;
    assert.doesNotMatch(json, /</);
    const shown = JSON.parse(json);
    assert.equal(shown.episode.id, pilot.id);
    assert.deepEqual([shown.podcast.title, shown.episode.title], [HOSTILE, data.title]);
    assert.deepEqual([shown.podcast.coverImageUrl, shown.episode.coverImageUrl], [null, null]);
  }
  const [, json] = /<script type="application\/json" id="playable">([^]*?)<\/script>/.exec(showPage)!;
  assert.doesNotMatch(json, /</);
  assert.equal(JSON.parse(json).episodes[0].title, data.title);
});
