// What caches are told by each public route: how long they may keep a response, and the keys that purge it.
import assert from "node:assert/strict";
import { put as putAudio } from "../api/audio.ts";
import { uploaded } from "../api/transcripts.ts";
import { sendRaw } from "../raw_response.ts";
import { routes } from "../declared_routes.ts";
import { callRpc, episode, person, podcast, sendRequest, sql, stackInfo, waitFor } from "../harness.ts";

/** Responses that show no podcast. */
const KEYLESS = [
  "getPublicOpenApiDocument",
  "showApiDocs",
  "getDocsScript",
  "getDocsStyle",
  "getPlayerScript",
  "getPlayerTexts",
  "showGuestPage",
  "listPublicSitemaps",
  "countPublicSitemaps",
  "getFavicon",
  "showRootPage",
];

/** Addresses of routes that answer to few ones only. */
const addressOf: Record<string, string> = {
  getPlayerTexts: "/public/player/texts/de.json",
};

const FRESH = "public, max-age=60, stale-if-error=600, no-transform";

const owner = await person("owner"), show = await podcast("夜 kept"), pilot = await episode(show);
await putAudio(show, pilot);
await callRpc(owner, "publish_episode", { episode_id: pilot.id });
const { transcriptId } = await uploaded(show, pilot);
const chapters = JSON.stringify({ version: "1.2.0", chapters: [{ startTime: 1.5, title: "One" }] });
await uploaded(show, pilot, { type: "application/json+chapters", body: chapters });
const [{ key }] = await sql<{ key: string }[]>`select private.surrogate_key(${show.slug}) as key`;

interface Target {
  slug: string;
  episodeId: string;
  episodeSlug: string;
  transcriptId: string;
}
const found: Target = { slug: show.slug, episodeId: pilot.id, episodeSlug: pilot.slug, transcriptId };
const missing: Target = {
  slug: "missing",
  episodeId: crypto.randomUUID(),
  episodeSlug: "missing",
  transcriptId: crypto.randomUUID(),
};

/** The route's addresses of a target: a transcript has two, of its own format and of another, and so has oEmbed. */
function addresses(path: string, { slug, episodeId, episodeSlug, transcriptId }: Target): string[] {
  if (path.startsWith("/public/player/texts/")) return ["/public/player/texts/de.json"];
  if (path === "/public/v1/oembed") {
    const url = `${stackInfo.functionsUrl}/public/listen/${encodeURIComponent(slug)}/${episodeSlug}`;
    return ["json", "xml"].map((format) => `${path}?${new URLSearchParams({ url, format })}`);
  }
  const fill = (extension: string) =>
    path.replace(/\{(\w+)\}/g, (_, name) => {
      if (name === "file") return `${transcriptId}.${extension}`;
      return encodeURIComponent(name === "slug" ? slug : /^id$|^episodeId$/.test(name) ? episodeId : episodeSlug);
    });
  return [...new Set(["vtt", "srt"].map(fill))];
}

async function read(path: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(stackInfo.functionsUrl + path, { method, headers, redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const publicRoutes = routes.filter(({ method, path }) => method === "GET" && path.startsWith("/public/"));
const cacheHeaders = ({ headers }: { headers: Headers }) => ({
  control: headers.get("cache-control"),
  keys: [headers.get("surrogate-key"), headers.get("cache-tag")],
});

Deno.test("the public routes are found", () => assert.ok(publicRoutes.length > 10, `${publicRoutes.length}`));

for (const { operationId, path } of publicRoutes) {
  if (KEYLESS.includes(operationId)) {
    Deno.test(`GET ${path} may be kept for a limited time, and carries no key`, async () => {
      const { control, keys } = cacheHeaders(await read(addressOf[operationId] ?? path));
      assert.match(control!, /^public, max-age=\d+(?:, stale-if-error=600)?(?:, immutable)?(?:, no-transform)?$/);
      assert.deepEqual(keys, [null, null]);
    });
    continue;
  }
  const expected = { control: FRESH, keys: [key, key] };

  Deno.test(`GET ${path} may be kept for a minute, and carries the key of its podcast`, async () => {
    await waitFor("the feed with all of the above", async () => {
      const { text } = await read(`/public/feeds/${show.slug}.xml`);
      return text.includes("<podcast:transcript") && text.includes("<podcast:chapters");
    });
    for (const address of addresses(path, found)) {
      for (const round of ["first", "second"]) {
        const response = await read(address);
        assert.ok([200, 302].includes(response.status), `${address} ${response.text}`);
        assert.deepEqual(cacheHeaders(response), expected, `${address}, ${round} request`);
        assert.deepEqual(cacheHeaders(await read(address, {}, "HEAD")), expected);
        const etag = response.headers.get("etag");
        if (!etag) continue; // a redirect to a file
        assert.match(etag, /^"/, "no host weakens the ETag");
        const conditional = await read(address, { "if-none-match": etag });
        assert.equal(conditional.status, 304, address);
        assert.deepEqual(cacheHeaders(conditional), expected);
      }
    }
  });

  Deno.test(`GET ${path} may not be kept when nothing is found`, async () => {
    for (const address of addresses(path, missing)) {
      for (const accept of ["*/*", "text/html"]) {
        const response = await read(address, { accept });
        assert.equal(response.status, 404, address);
        assert.deepEqual(cacheHeaders(response), { control: "private, no-store", keys: [null, null] }, address);
      }
    }
  });
}

for (const { path } of publicRoutes) {
  Deno.test(`GET ${path} has the same ETag and length as HEAD in each encoding`, async () => {
    for (const address of addresses(path, found)) {
      for (const encoding of ["", "identity", "gzip", "br", "br, gzip", "zstd, *;q=0.1"]) {
        const [got, head] = await Promise.all(
          ["GET", "HEAD"].map((method) => sendRaw(method, address, { "accept-encoding": encoding })),
        );
        if (!got.headers.has("etag")) {
          assert.doesNotMatch(path, /^\/public\/(?:v1|feeds|listen|ep|latest|guest)/);
          continue;
        }
        assert.deepEqual(
          ["etag", "content-encoding", "content-length"].map((name) => head.headers.get(name)),
          [got.headers.get("etag"), got.headers.get("content-encoding"), String(got.body.length)],
          `${address} ${encoding}`,
        );
        assert.match(got.headers.get("etag")!, /^"/);
      }
    }
  });
}

Deno.test("no cache may keep what the API returns to a signed-in caller", async () => {
  const found = routes.filter(({ method, path, security }) => method === "GET" && security && !path.includes("{"));
  assert.ok(found.length > 5, `${found.length}`);
  for (const { path } of found) {
    const { status, headers } = await sendRequest({ method: "GET", path, as: owner });
    assert.match(headers.get("cache-control") ?? "", /^private, no-store$/, `${path} ${status}`);
  }
});

Deno.test("the feed of a podcast that moves, or was deleted, carries the key of the podcast", async () => {
  const moving = await podcast("Kept moving"), path = `/public/feeds/${moving.slug}.xml`;
  const [{ key }] = await sql<{ key: string }[]>`select private.surrogate_key(${moving.slug}) as key`;
  const redirect_url = "https://new.example/feed";
  await callRpc(owner, "delete_podcast", { podcast_id: moving.id, confirm_name: "Kept moving", redirect_url });
  const moved = await read(path);
  assert.deepEqual([moved.status, cacheHeaders(moved)], [301, { control: FRESH, keys: [key, key] }]);
  await sql`update public.podcasts set deletion_redirect_url = null where id = ${moving.id}`;
  await sql`select private.delete_due_podcast(${moving.id}, now() + interval '91 days')`;
  const deleted = await read(path);
  assert.deepEqual([deleted.status, cacheHeaders(deleted)], [
    410,
    { control: "public, max-age=86400", keys: [key, key] },
  ]);
});
