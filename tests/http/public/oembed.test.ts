// GET /v1/oembed: JSON and XML by the standard, and what a consumer from npm makes of it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { extract } from "@extractus/oembed-extractor";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { repository } from "../../../local/host/project.ts";
import { OEmbedResponse } from "../../../types/public.ts";
import { publishedEpisode } from "../api/audio.ts";
import { assertError, callRpc, episode, person, podcast, sendRequest, sql, stackInfo } from "../harness.ts";

const owner = await person("owner");
const SHOW = `Fish & <i>"Chips"</i> \u{1f41f}`;
const show = await podcast(SHOW), pilot = await publishedEpisode(show, "Pi < lot");
const draft = await episode(show, "Draft");
const base = `${stackInfo.functionsUrl}/public`, endpoint = "/public/v1/oembed";
const pages = { show: `${base}/listen/${show.slug}`, pilot: `${base}/listen/${show.slug}/${pilot.slug}` };

const pathOf = (query: Record<string, string>) => `${endpoint}?${new URLSearchParams(query)}`;
const get = (query: Record<string, string>, headers = {}, method = "GET") =>
  sendRequest({ method, path: pathOf(query), headers: { "accept-encoding": "identity", ...headers } });

/** The attributes of the html's only element. */
function iframeOf({ html }: { html: string }): Record<string, string> {
  assert.equal(XMLValidator.validate(html), true, html); // stricter than HTML
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    attributesGroupName: "attributes",
    htmlEntities: true,
  });
  const { iframe, ...others } = parser.parse(html);
  assert.deepEqual([Object.keys(iframe), Object.keys(others)], [["attributes"], []]);
  return iframe.attributes;
}

Deno.test("GET /v1/oembed returns a sandboxed player of an episode's page as JSON without an envelope", async () => {
  const { status, body, text, headers } = await get({ url: pages.pilot });
  assert.equal(status, 200, text);
  assert.equal(headers.get("content-type"), "application/json");
  OEmbedResponse.parse(body);
  const { html, ...facts } = body;
  assert.deepEqual(facts, {
    version: "1.0",
    type: "rich",
    title: "Pi < lot",
    author_name: `Fish & <i>"Chips"</i> \u{1f41f}`,
    author_url: pages.show,
    provider_name: "Castbase",
    provider_url: base,
    cache_age: 300,
    width: 600,
    height: 180,
    podcast_slug: show.slug,
  });
  assert.deepEqual(iframeOf({ html }), {
    src: `${base}/ep/${pilot.id}`,
    width: "600",
    height: "180",
    title: `Pi < lot · Fish & <i>"Chips"</i> \u{1f41f}`,
    loading: "lazy",
    frameborder: "0",
    allow: "autoplay; clipboard-write; web-share",
    sandbox: "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox",
  });
});

Deno.test("the iframe allows what the embed code of docs/front_ends.md allows", async () => {
  const { allow } = iframeOf((await get({ url: pages.pilot })).body);
  const path = join(repository, "docs/front_ends.md");
  const [, documented] = /<iframe[^]*? allow="([^"]+)"/.exec(await Deno.readTextFile(path))!;
  assert.equal(documented, allow);
});

/** What XML cannot carry. */
// deno-lint-ignore no-control-regex -- the expression matches control characters on purpose
const FORBIDDEN = /[\u0000-\u0008\u000e-\u001f\uffff]/g;

Deno.test("format=xml returns the members of the JSON response as elements", async () => {
  const controls = await publishedEpisode(show, "Bell and escape");
  await sql`update public.episodes set title = ${"Bell\u0007 & <escape\u001b> \uffff]]>"} where id = ${controls.id}`;
  for (const url of [pages.show, pages.pilot, `${pages.show}/${controls.slug}`]) {
    const { body: expected } = await get({ url });
    const { status, text, headers } = await get({ url, format: "xml" });
    assert.equal(status, 200, text);
    assert.equal(headers.get("content-type"), "text/xml; charset=utf-8");
    assert.ok(text.startsWith('<?xml version="1.0" encoding="utf-8" standalone="yes"?><oembed><'), text);
    assert.equal(XMLValidator.validate(text), true);
    assert.doesNotMatch(text, FORBIDDEN);
    const { oembed } = new XMLParser({ parseTagValue: false }).parse(text);
    const values = Object.entries(expected).map(([name, value]) => [name, `${value}`.replace(FORBIDDEN, "")]);
    assert.deepEqual(oembed, Object.fromEntries(values));
  }
});

Deno.test("GET /v1/oembed returns 404 for drafts, deleted and unknown pages, and after unpublication", async () => {
  const gone = await publishedEpisode(show, "Gone"), url = `${pages.show}/${gone.slug}`;
  assert.equal((await get({ url })).status, 200);
  await callRpc(owner, "unpublish_episode", { episode_id: gone.id });
  for (
    const unknown of [
      url,
      `${pages.show}/${draft.slug}`,
      `${base}/ep/${draft.id}`,
      `${base}/listen/nope`,
      "https://example.com/",
      "junk",
      pages.show.replace("127.0.0.1", "127.0.0.2"),
    ]
  ) {
    for (const format of ["json", "xml"]) {
      assertError(await get({ url: unknown, format }), 404, {
        error: "No player found for this URL; provide the URL of a listen page",
      });
    }
  }
});

Deno.test("GET /v1/oembed returns 501 for other formats, and 400 without a URL and for invalid sizes", async () => {
  for (const format of ["yaml", "JSON", ""]) {
    assertError(await get({ url: pages.show, format }), 501, {
      error: "This format is not supported; use json or xml",
    });
  }
  assertError(await sendRequest({ method: "GET", path: endpoint }), 400, { details: "url: is required" });
  assertError(await get({ url: "" }), 400, { details: "url: must not be empty" });
  assertError(await sendRequest({ method: "GET", path: `${pathOf({ url: pages.show })}&url=x` }), 400);
  for (const name of ["maxwidth", "maxheight"]) {
    for (const size of ["0", "-1", "1.5", "wide", "", "9999999999"]) {
      assertError(await get({ url: pages.show, [name]: size }), 400, { details: new RegExp(`^${name}:`) });
    }
  }
});

Deno.test("the player fits maxwidth and maxheight, and a size too small for it returns 404", async () => {
  for (
    const [maxwidth, maxheight, width, height] of [
      ["5000", "5000", 600, 180],
      ["320", "1000", 320, 180],
      ["300", "150", 300, 80],
      ["1000", "80", 600, 80],
    ] as const
  ) {
    const { body } = await get({ url: pages.pilot, maxwidth, maxheight });
    assert.deepEqual([body.width, body.height], [width, height]);
    const frame = iframeOf(body);
    assert.deepEqual([frame.width, frame.height], [`${width}`, `${height}`]);
  }
  assertError(await get({ url: pages.pilot, maxwidth: "179" }), 404, {
    error: "The player needs at least 180 by 80 pixels",
  });
});

Deno.test("a podcast's frame lists its episodes where it has room for a list, else it has the latest one", async () => {
  for (
    const [url, maxheight, page, height] of [
      [pages.show, undefined, "show", 420],
      [pages.show, "420", "show", 420],
      [`${base}/show/${show.slug}`, "1000", "show", 420],
      [pages.show, "419", "latest", 180],
      [`${base}/latest/${show.slug}`, undefined, "latest", 180],
    ] as const
  ) {
    const { body } = await get({ url, ...maxheight && { maxheight } });
    assert.deepEqual([body.height, iframeOf(body).src], [height, `${base}/${page}/${show.slug}`]);
    assert.equal(iframeOf(body).title, SHOW);
  }
});

Deno.test("theme, accent, lang and t of the page's URL and of the request reach the frame, the request's first", async () => {
  const src = async (hash: string, query = {}) => {
    const { status, body, text } = await get({ url: pages.pilot + hash, ...query });
    assert.equal(status, 200, text);
    return iframeOf(body).src.replace(`${base}/ep/${pilot.id}`, "");
  };
  assert.equal(await src("?theme=dark&accent=0a6c74&lang=de&t=1m30s"), "?theme=dark&lang=de&t=90&accent=0a6c74");
  assert.equal(await src("#t=1:30"), "?t=90");
  assert.equal(await src("?t=5#t=90"), "?t=90");
  assert.equal(await src("?theme=dark#t=90", { theme: "light", t: "7" }), "?theme=light&t=7");
  assert.equal(await src("?theme=dark", { theme: "auto", accent: "#ABC" }), "?accent=ABC");
  for (
    const bad of ["?theme=%22%3E%3Cscript%3E", "?accent=red%3B", "?lang=xx&t=-1", "?t=1x", "?theme=%00", "#t=1%22x"]
  ) {
    assert.doesNotMatch(await src(bad), /[<>"]|theme|accent|lang/, bad);
  }
  for (const bad of [{ theme: "pink" }, { accent: "\u0000" }, { lang: "x".repeat(500) }, { t: "soon" }]) {
    assert.equal(await src("", bad), "", JSON.stringify(bad));
  }
  assert.equal((await sendRequest({ method: "GET", path: `${pathOf({ url: pages.pilot })}&t=1&t=2` })).status, 200);
});

Deno.test("an oEmbed consumer discovers the player by the links of listen pages, in its size", async () => {
  for (
    const [page, title, frame] of [[pages.pilot, "Pi < lot", `ep/${pilot.id}`], [
      pages.show,
      SHOW,
      `latest/${show.slug}`,
    ]]
  ) {
    const found = await extract(page, { maxwidth: 400, maxheight: 200 });
    assert.deepEqual([found.type, found.title, found.width, found.height], ["rich", title, 400, 180]);
    assert.equal(iframeOf(found as unknown as { html: string }).src, `${base}/${frame}`);
  }
});
