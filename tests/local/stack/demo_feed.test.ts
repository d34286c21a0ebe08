// The stack's demo feed: complete URLs, served files, and a host that imports may fetch from.
import assert from "node:assert/strict";
import { projectPaths } from "../../../local/host/project.ts";
import { connectTo } from "../../database.ts";
import { stack } from "../../stack.ts";

const at = await stack();

Deno.test("each file of the demo feed is served with the type and length that the feed declares", async () => {
  const response = await fetch(`${at.url}/demo/feed.xml`);
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "application/rss+xml"]);
  const feed = await response.text();
  const enclosures = [...feed.matchAll(/<enclosure url="(.*?)" length="(\d+)" type="(.*?)"/g)];
  assert.equal(enclosures.length, 4);
  for (const [, url, length, type] of enclosures) {
    assert.ok(url.startsWith(`${at.url}/demo/`), url);
    const audio = await fetch(url);
    assert.deepEqual([audio.status, audio.headers.get("content-type")], [200, type]);
    assert.equal((await audio.bytes()).length, Number(length), url);
  }
  const [, cover] = /<itunes:image href="(.*?)"/.exec(feed)!;
  const picture = await fetch(cover);
  assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/png"]);
  await picture.body?.cancel();
});

Deno.test("the demo feed's paths reach no other file", async () => {
  for (const path of ["", "/", "/none.xml", "/..%2f..%2fconfig.toml", "/%2e%2e/seed.sql", "/feed.xml/feed.xml"]) {
    const response = await fetch(`${at.url}/demo${path}`);
    await response.body?.cancel();
    assert.equal(response.status, 404, path);
  }
});

Deno.test("supabase/local/start.sql allows fetching from the stack's own host once and keeps other hosts", async () => {
  const start = await Deno.readTextFile(projectPaths().startSql);
  const sql = connectTo(at.dbUrl, 1);
  const rollback = new Error("Rolled back");
  try {
    await assert.rejects(
      sql.begin(async (tx) => {
        const run = () => tx.unsafe(start).simple();
        const hosts = async () =>
          (await tx`select value from private.settings where key = 'fetch_allowed_hosts'`)[0].value;
        const { host } = new URL(at.url);
        await tx`select set_config('local.url', ${at.url}, true), set_config('local.worker_secret', 'secret', true)`;
        await tx`select private.set_setting('fetch_allowed_hosts', 'media.example:8443 other.example')`;
        await run();
        await run();
        assert.equal(await hosts(), `media.example:8443 other.example,${host}`);
        await tx`select private.set_setting('fetch_allowed_hosts', null)`;
        await run();
        assert.equal(await hosts(), host);
        throw rollback;
      }),
      rollback,
    );
  } finally {
    await sql.end();
  }
});
