// What pages may load: the content security policy, and the images that they show.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import playerAsset from "../../../functions/built/player.json" with { type: "json" };
import { uploaded } from "../api/transcripts.ts";
import { put } from "../api/audio.ts";
import { callRpc, episode, person, podcast, sendRequest, sql, stackInfo, waitFor } from "../harness.ts";

const owner = await person("owner"), show = await podcast("Foreign pictures"), pilot = await episode(show, "Two words");
await put(show, pilot);
const own = `${stackInfo.url}/storage/v1/object/public/media/podcasts/${show.id}/e/${pilot.id}/images/a.png`;
const foreign = "https://images.example/a.png";
await sql`update public.podcasts set cover_image_url = ${foreign} where id = ${show.id}`;
await callRpc(owner, "publish_episode", { episode_id: pilot.id });
const path = `/public/listen/${show.slug}`, episodePath = `${path}/${pilot.slug}`, framePath = `/public/ep/${pilot.id}`;
const open = (path: string) => sendRequest({ method: "GET", path });

const policyOf = (headers: Headers) =>
  Object.fromEntries(
    headers.get("content-security-policy")!.split("; ").map((directive) => {
      const [name, ...sources] = directive.split(" ");
      return [name, sources];
    }),
  );
const icon = `${stackInfo.functionsUrl}/public/favicon.ico`;
const digestOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

Deno.test("the policy of listen pages and players allows their stylesheet and script by digest, the player by its URL, and no other host but of audio", async () => {
  for (const [address, ancestors] of [[path, "'self'"], [episodePath, "'self'"], [framePath, "*"]]) {
    const { headers, text } = await open(address);
    const [, style] = /<style>([^]*?)<\/style>/.exec(text)!, script = /<script>([^]*?)<\/script>/.exec(text)?.[1];
    const player = `${stackInfo.functionsUrl}/public/player/v1.js`;
    assert.ok(text.includes(`<script src="${player}?v=${playerAsset.etag}" async></script>`));
    assert.deepEqual(policyOf(headers), {
      "default-src": ["'none'"],
      "style-src": [digestOf(style)],
      "img-src": [icon, "'self'", "data:", stackInfo.url],
      "script-src": [...script === undefined ? [] : [digestOf(script)], player],
      "connect-src": [stackInfo.url, ...address === path ? ["'self'"] : []], // it loads more episodes
      "media-src": ["http:", "https:"],
      "base-uri": ["'none'"],
      "form-action": [address === path ? "'self'" : "'none'"], // it has a search
      "frame-ancestors": [ancestors],
    });
    assert.doesNotMatch(text, / style="| on\w+="/);
  }
});

Deno.test("public pages have the icon of the service, and others none, so that no browser asks the root of their host", async () => {
  const accept = "text/html";
  for (const address of [path, episodePath, framePath, "/public/guest", "/public/"]) {
    assert.ok((await open(address)).text.includes(`<link rel="icon" href="${icon}" sizes="32x32">`), address);
  }
  for (const address of [`${path}/nope`, "/api/notifications/email/unsubscribe/x"]) {
    const { headers, text } = await sendRequest({ method: "GET", path: address, headers: { accept } });
    assert.ok(text.includes(`<link rel="icon" href="data:,">`), `${address} ${text.slice(0, 300)}`);
    assert.deepEqual(policyOf(headers)["img-src"], ["data:"]);
  }
});

Deno.test("the policies of error pages and of the guest page allow their stylesheet and script by digest, and nothing else", async () => {
  const accept = "text/html";
  const error = await sendRequest({ method: "GET", path: `${path}/nope`, headers: { accept } });
  const guest = await open("/public/guest");
  for (const { headers, text } of [error, guest]) {
    const policy = policyOf(headers);
    assert.deepEqual(policy["style-src"], [digestOf(/<style>([^]*?)<\/style>/.exec(text)![1])]);
    assert.doesNotMatch(text, / style="/);
  }
  assert.deepEqual(policyOf(error.headers)["img-src"], ["data:"]);
  assert.equal(policyOf(error.headers)["script-src"], undefined);
  assert.deepEqual(policyOf(guest.headers), {
    "default-src": ["'none'"],
    "style-src": [digestOf(/<style>([^]*?)<\/style>/.exec(guest.text)![1])],
    "img-src": [icon, stackInfo.url],
    "script-src": [digestOf(/<script>([^]*?)<\/script>/.exec(guest.text)![1])],
    "connect-src": [stackInfo.url],
    "media-src": ["http:", "https:"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "frame-ancestors": ["'none'"],
  });
  assert.equal(guest.text.match(/<script(?! type="application\/json")/g)!.length, 1);
  assert.deepEqual(["referrer-policy", "x-robots-tag"].map((name) => guest.headers.get(name)), [
    "no-referrer",
    "noindex",
  ]);
  const { headers, text } = await sendRequest({ method: "GET", path: "/public/listen/nope", headers: { accept } });
  const [, script] = /<script>([^]*?)<\/script>/.exec(text)!;
  assert.deepEqual(policyOf(headers)["script-src"], [digestOf(script)]);
});

Deno.test("a cover of another host is a tile with the show's initials, in the same color on each page", async () => {
  const tiles = [];
  for (const address of [path, episodePath]) {
    const { text } = await open(address);
    assert.doesNotMatch(text, /<img/);
    tiles.push(/<span class="cover (tile tile-\d+)" aria-hidden="true">F\u200cP<\/span>/.exec(text)![1]);
  }
  assert.equal(tiles[0], tiles[1]);
});

Deno.test("an episode's own cover is shown as an image, in the list lazily", async () => {
  await sql`update public.episodes set cover_image_url = ${own} where id = ${pilot.id}`;
  const image = `<img class="cover" src="${own}" alt=""`;
  assert.ok(
    (await open(episodePath)).text.includes(`${image} width="256" height="256" fetchpriority="high" decoding="async">`),
  );
  assert.ok((await open(path)).text.includes(`${image} width="80" height="80" loading="lazy" decoding="async">`));
  assert.ok((await open(framePath)).text.includes(`"coverImageUrl":"${own}"`));
  await sql`update public.episodes set cover_image_url = null where id = ${pilot.id}`;
});

Deno.test("images of other hosts in show notes and transcripts are links", async () => {
  const notes =
    `<p>Look: <img src="${foreign}?a=1&amp;b=2" alt="A &lt;map&gt;"> <a href="https://x.example/"><img src="${foreign}"></a></p>`;
  await sql`update public.episodes set show_notes_html = ${notes} where id = ${pilot.id}`;
  const { transcriptId } = await uploaded(show, pilot, {
    type: "text/html",
    body: `<p>Said</p><p><img src="${foreign}" alt="Chart"></p>`,
  });
  const shown = await waitFor("the notes are sanitized", async () => {
    const { text } = await open(episodePath);
    return text.includes("Look:") ? text : "";
  });
  assert.ok(
    shown.includes(`<a href="${foreign}?a=1&amp;b=2" rel="noopener nofollow ugc">A &lt;map&gt;</a>`),
    shown,
  );
  assert.ok(shown.includes(`<a href="https://x.example/" rel="noopener nofollow ugc">Image</a>`), shown);
  assert.ok(shown.includes(`<p>Said</p><p><a href="${foreign}" rel="noopener nofollow ugc">Chart</a></p>`), shown);
  assert.doesNotMatch(shown, /<img/);
  await sql`delete from public.episode_transcripts where id = ${transcriptId}`;
});
