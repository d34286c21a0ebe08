// What search engines and browsers ask of the pages' domain: sitemaps, robots.txt, the icon and the root.
import assert from "node:assert/strict";
import { XMLValidator } from "fast-xml-parser";
import { fetchDocumented } from "../documented_responses.ts";
import { assertError, podcast, sendRequest, sql, stackInfo } from "../harness.ts";
import { publishedEpisode } from "../api/audio.ts";

const show = await podcast("Mapped & found"), pilot = await publishedEpisode(show, "Pilot");
const base = `${stackInfo.functionsUrl}/public`;
const locations = (xml: string) => [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url);

async function open(path: string, headers = {}) {
  const response = await fetchDocumented(`${base}${path}`, { headers: { "accept-encoding": "identity", ...headers } });
  return { response, text: await response.text() };
}

Deno.test("the index of sitemaps, which robots.txt names, leads to the page of each published episode", async () => {
  const robots = await open("/robots.txt");
  assert.match(robots.response.headers.get("content-type")!, /^text\/plain/);
  assert.match(robots.text, /^User-agent: \*\nDisallow:\n\nSitemap: /);
  const [, address] = /^Sitemap: (.+)$/m.exec(robots.text)!;
  assert.equal(address, `${base}/sitemap.xml`);
  const index = await open("/sitemap.xml");
  assert.equal(XMLValidator.validate(index.text), true);
  const own = locations(index.text).find((url) => url.endsWith(`/sitemap/${show.slug}.xml`))!;
  const { response, text } = await open(own.slice(base.length));
  assert.match(response.headers.get("content-type")!, /^application\/xml/);
  assert.equal(XMLValidator.validate(text), true);
  assert.deepEqual(locations(text), [`${base}/listen/${show.slug}`, `${base}/listen/${show.slug}/${pilot.slug}`]);
  assert.match(text, /<lastmod>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z<\/lastmod>/);
  for (const url of locations(text)) assert.equal((await fetchDocumented(url)).status, 200);
});

Deno.test("sitemaps, robots.txt, the icon and the root have validators, and answer HEAD", async () => {
  for (const path of ["/sitemap.xml", `/sitemap/${show.slug}.xml`, "/robots.txt", "/favicon.ico", "/"]) {
    const { response, text } = await open(path), etag = response.headers.get("etag")!;
    assert.equal(response.status, 200, text);
    assert.match(response.headers.get("cache-control")!, /^public, max-age=\d+/);
    const again = await open(path, { "if-none-match": etag });
    assert.deepEqual([again.response.status, again.text], [304, ""], path);
    const head = await fetchDocumented(`${base}${path}`, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("content-type")], [200, response.headers.get("content-type")]);
  }
});

Deno.test("a sitemap that does not exist is 404, and an invalid number is 400", async () => {
  const get = (path: string) => sendRequest({ method: "GET", path: `/public${path}` });
  assertError(await get("/sitemap/nope.xml"), 404, { error: "Podcast not found" });
  assertError(await get(`/sitemap/${show.slug}.xml?page=2`), 404, { error: "Sitemap not found" });
  assertError(await get("/sitemap.xml?page=1000000"), 404, { error: "Sitemap not found" });
  for (const page of ["0", "x", ""]) assertError(await get(`/sitemap.xml?page=${page}`), 400, { details: /^page:/ });
  assertError(await get(`/sitemap/${show.slug}`), 404, { error: "Route not found" });
});

Deno.test("the icon is a Windows icon with a PNG, and pages link to it", async () => {
  const bytes = new Uint8Array(await (await fetchDocumented(`${base}/favicon.ico`)).arrayBuffer());
  assert.deepEqual([...bytes.slice(0, 8)], [0, 0, 1, 0, 1, 0, 32, 32]);
  assert.deepEqual([...bytes.slice(22, 26)], [0x89, 0x50, 0x4e, 0x47]);
  assert.equal(new DataView(bytes.buffer).getUint32(14, true), bytes.length - 22);
  assert.match((await open(`/listen/${show.slug}`)).text, /<link rel="icon" href="[^"]*\/public\/favicon.ico"/);
});

Deno.test("the root is a page of the installation, or leads to the operator's own", async () => {
  for (const path of ["", "/"]) {
    const { response, text } = await open(path);
    assert.equal(response.status, 200, text);
    assert.match(text, /<h1>Podcasts on Castbase<\/h1>/);
    assert.match(text, new RegExp(`href="${base}/docs"`));
    const german = await open(path, { "accept-language": "de" });
    assert.equal(german.text, text, "caches keep one page for all languages");
    assert.equal(response.headers.get("vary"), "accept-encoding");
    assert.match(response.headers.get("cache-control")!, /stale-if-error=600/);
  }
  await sql`select private.set_setting('pages_root_url', 'https://casts.example/')`;
  try {
    const response = await fetch(`${base}/`, { redirect: "manual" });
    await response.body?.cancel();
    assert.deepEqual([response.status, response.headers.get("location")], [302, "https://casts.example/"]);
  } finally {
    await sql`select private.set_setting('pages_root_url', null)`;
  }
});

Deno.test("an address without a route is an error page for browsers and the envelope for other clients", async () => {
  const get = (accept: string) => sendRequest({ method: "GET", path: "/public/nothing", headers: { accept } });
  assertError(await get("*/*"), 404, { error: "Route not found" });
  assert.match((await get("text/html")).text, /<h1>Page not found<\/h1>/);
});
