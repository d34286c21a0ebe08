// POST /api/imports/podcast returns an error code for each URL without a feed, and keeps nothing.
import assert from "node:assert/strict";
import { assertError, podcast, sql } from "../harness.ts";
import { httpResponse, redirect, source } from "./artwork.ts";
import { newUserName } from "./images.ts";
import { done, episodes, feed, importsOf, served, serving, start } from "./imports.ts";
import { within } from "../../wait_for.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const show = await podcast("Refused", newUserName("refused"));

async function assertRejected(url: string, status: number, code: string) {
  const response = await start(show, url);
  assertError(response, status, { code });
  assert.doesNotMatch(response.text, /\d+\.\d+\.\d+\.\d+|localhost|os error/i);
  assert.deepEqual([...await importsOf(show)], [], "the podcast is free for another import");
}

Deno.test("POST podcast rejects invalid, private and unreachable URLs: INVALID_URL, BLOCKED_URL, FETCH_FAILED", async () => {
  for (
    const url of ["", "feed", "not a url", "ftp://a.example/", "file:///etc/passwd", "http://me:secret@a.example/"]
  ) {
    await assertRejected(url, 400, "INVALID_URL");
  }
  for (const url of ["http://127.0.0.1/", "http://[::1]/", "http://10.0.0.1/feed.xml", "http://169.254.169.254/"]) {
    await assertRejected(url, 400, "BLOCKED_URL");
  }
  await assertRejected("https://does-not-exist.invalid/feed.xml", 400, "FETCH_FAILED");
});

Deno.test("POST podcast reads the feed of a pasted address with white space and the scheme feed:", async () => {
  const pasted = await podcast("Pasted", newUserName("pasted"));
  await using from = await serving(feed(episodes(1)));
  assert.equal(done(await start(pasted, ` feed:${from.url}\n`)).totalItems, 1);
  const rows = await sql`select feed_url from public.podcast_imports where podcast_id = ${pasted.id}`;
  assert.deepEqual(rows.map(({ feed_url }) => feed_url), [from.url]);
});

Deno.test("POST podcast rejects a redirect to a private network", async () => {
  await using from = await source(redirect("http://127.0.0.1:54322/"));
  await assertRejected(from.url, 400, "BLOCKED_URL");
});

Deno.test("POST podcast rejects documents that are not RSS feeds with a code for each kind", async () => {
  const wrong: [status: number | undefined, body: string, code: string][] = [
    [404, "Not here", "HTTP_ERROR"],
    [500, feed(episodes(1)), "HTTP_ERROR"],
    [200, "", "EMPTY_FEED"],
    [200, feed([]), "EMPTY_FEED"],
    [200, "<!doctype html><html><body>A page</body></html>", "NOT_XML"],
    [200, "%PDF-1.7\n%\u00e2\u00e3", "NOT_XML"],
    [200, '<feed xmlns="http://www.w3.org/2005/Atom"><entry/></feed>', "EMPTY_FEED"],
    [200, '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url/></urlset>', "NOT_RSS"],
  ];
  for (const [status, body, code] of wrong) {
    await using from = await source(httpResponse(bytes(body), { status, type: "application/xml" }));
    await assertRejected(from.url, 400, code);
  }
});

Deno.test("POST podcast returns TOO_LARGE for a feed that decompresses to more than the limit", async () => {
  // 250 MB of one letter, in 250 KB
  const head = bytes(feed(episodes(1)).replace("</channel></rss>", "<description>"));
  const packed = new Response(
    new Blob([head, ...Array<string>(250).fill("a".repeat(1_000_000))]).stream().pipeThrough(
      new CompressionStream("gzip"),
    ),
  );
  const body = new Uint8Array(await packed.arrayBuffer());
  const responseHead = bytes(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`);
  await using from = await source(async ({ send }) => {
    await send(responseHead);
    await send(body);
  });
  await assertRejected(from.url, 400, "TOO_LARGE");
});

Deno.test("POST podcast rejects a feed truncated before its first episode and warns about one truncated later", async () => {
  const whole = feed(episodes(400)),
    short = await source(async ({ send }) => {
      await send(`HTTP/1.1 200 OK\r\ncontent-length: ${whole.length}\r\n\r\n${whole.slice(0, 300)}`);
    });
  await using _ = short;
  await assertRejected(short.url, 400, "FETCH_FAILED");

  await using from = await source(async ({ send }) => {
    await send(`HTTP/1.1 200 OK\r\ncontent-length: ${whole.length}\r\n\r\n${whole.slice(0, whole.length / 2)}`);
  });
  const data = done(await start(await podcast("Half", newUserName("half")), from.url));
  assert.ok(data.totalItems > 150 && data.totalItems < 250, `${data.totalItems}`);
  const [{ warnings }] = await sql`select warnings from public.podcast_imports where id = ${data.importId}`;
  assert.ok(warnings.some(({ code }: { code: string }) => code === "DOCUMENT_TRUNCATED"), JSON.stringify(warnings));
});

Deno.test("POST podcast reads compressed feeds and follows redirects", async () => {
  const packed = new Response(new Blob([feed(episodes(3))]).stream().pipeThrough(new CompressionStream("gzip")));
  const body = new Uint8Array(await packed.arrayBuffer());
  await using gzip = await source(async ({ send }) => {
    await send(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`);
    await send(body);
  });
  assert.equal(done(await start(await podcast("Packed", newUserName("packed")), gzip.url)).totalItems, 3);
  assert.match(gzip.requests[0], /^accept-encoding: gzip\r$/im);

  await using to = await serving(feed(episodes(2)));
  await using from = await source(redirect(to.url, 301));
  const { importId } = done(await start(await podcast("Moved", newUserName("moved")), from.url));
  const [{ feed_url }] = await sql`select feed_url from public.podcast_imports where id = ${importId}`;
  assert.ok([from.url, to.url].includes(feed_url));
});

Deno.test("an import canceled while its feed is read stays canceled and frees the podcast", async () => {
  const show = await podcast("Hasty", newUserName("hasty"));
  const here = Promise.withResolvers<void>(), go = Promise.withResolvers<void>();
  await using from = await source(async ({ send }) => {
    here.resolve();
    await go.promise;
    await send(served(feed(episodes(2))));
  });
  const starting = start(show, from.url);
  await within("the request for the feed", here.promise);
  const [{ id, status }] = await importsOf(show);
  assert.equal(status, "pending");
  await sql`update public.podcast_imports set status = 'canceled' where id = ${id}`;
  go.resolve();
  assertError(await starting, 409);
  assert.deepEqual((await importsOf(show)).map(({ status }) => status), ["canceled"]);
});

Deno.test("POST podcast returns the feed's error even if the import cannot be discarded", async () => {
  const show = await podcast("Stuck", newUserName("stuck"));
  await sql.unsafe(`
    create or replace function private.stuck() returns trigger language plpgsql set search_path = '' as
      $$ begin raise sqlstate '53100' using message = 'no space left'; end $$;
    create trigger stuck before delete on public.podcast_imports
      for each row when (old.podcast_id = '${show.id}') execute function private.stuck()`);
  try {
    await using from = await source(httpResponse(bytes(""), { status: 404 }));
    const response = await start(show, from.url);
    assertError(response, 400, { code: "HTTP_ERROR" });
    assert.doesNotMatch(response.text, /no space/);
    assert.deepEqual((await importsOf(show)).map(({ status }) => status), ["pending"], "left to cron");
  } finally {
    await sql`drop function private.stuck() cascade`;
  }
});
