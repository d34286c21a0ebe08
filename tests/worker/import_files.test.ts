// The import_files job: transcripts, chapters and covers on hosts that misbehave.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { jpeg, png } from "../image_fixtures.ts";
import { waitFor } from "../wait_for.ts";
import { audio, inTurn, MB, served, startImports } from "./import_fixture.ts";
import { type Behavior, mp3, type SourceRequest } from "./source.ts";

const VTT = "WEBVTT\n\n00:00.000 --> 00:02.000\nNight trains\n";
const SRT = "1\n00:00:00,000 --> 00:00:02,000\nNight trains\n";
const JSON_FILE = JSON.stringify({ version: "1.0.0", segments: [{ startTime: 0, endTime: 2, body: "Night trains" }] });
const PAGE = "<!doctype html><title>Moved</title><p>This file has moved";
const CHAPTERS = JSON.stringify({
  version: "1.2.0",
  chapters: [{ startTime: 0, title: "Vienna" }, { startTime: 60.5, title: "Graz", url: "https://graz.example/" }],
});

const text = (content: string): Behavior => ({ body: Buffer.from(content) });
/** Lasts until the client leaves. */
const stalled = (content: string): Behavior => ({ ...text(content), cut: 5, then: "stall" });

Deno.test({ name: "copying the files of a feed", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using fixture = await startImports(["import_items", "import_files"]);
  const { manners, source, stack, sql, importing, ended, imported, assertNoOrphans, replaceWorker } = fixture;
  let files = 0;

  /** Serves a file; returns its path. */
  function serve(manner: Behavior | ((request: SourceRequest) => Behavior)): string {
    const path = `file-${++files}`;
    manners.set(`/${path}`, typeof manner === "function" ? manner : () => manner);
    return path;
  }
  const at = (path: string) => path.startsWith("http") ? path : source.url + path;
  const transcript = (path: string, type: string) => `<podcast:transcript url="${at(path)}" type="${type}"/>`;
  const chapters = (path: string) => `<podcast:chapters url="${at(path)}" type="application/json+chapters"/>`;
  const requestsFor = (path: string) => source.requests.filter((request) => request.path === `/${path}`).length;

  const filesAreDone = () =>
    waitFor("the files are copied or lost", async () => {
      await stack.makeMessagesVisible();
      return (await sql`select from pgmq.q_import_files`).length === 0;
    }, 90);
  /** The report's copies and losses of the only item, of files besides the enclosure. */
  async function reportOf(id: string) {
    const [{ copies, losses }] = await sql`
      select t.copies, jsonb_path_query_array(t.losses, '$[*] ? (@.reason == "NOT_COPIED")') as losses
      from public.podcast_import_item_texts t join public.podcast_import_items i on i.id = t.import_item_id
      where i.import_id = ${id}`;
    return { copies, losses };
  }
  const transcriptsOf = (id: string) =>
    sql<{ type: string; url: string; bytes: number | null }[]>`
      select t.type, t.url, t.bytes::int from public.episode_transcripts t
      join public.podcast_import_items i on i.episode_id = t.episode_id
      where i.import_id = ${id} order by t.display_order`;
  const chaptersOf = (id: string) =>
    sql`
      select c.start_seconds::float as start, c.title, c.url, e.chapters_url as document from public.episodes e
      join public.podcast_import_items i on i.episode_id = e.id
      left join public.episode_chapters c on c.episode_id = e.id
      where i.import_id = ${id} order by c.start_seconds`;
  /** Imports one episode with these elements. */
  async function importedWith(more: string, cover?: string) {
    const { id } = await imported({ a: () => audio(mp3(1000)) }, { a: more }, cover);
    await filesAreDone();
    return id;
  }
  const lost = (path: string, url: string, why: string) => ({
    path,
    reason: "NOT_COPIED",
    excerpt: `${at(url)} (${why})`,
  });

  await t.step("the worker stores each transcript as an upload does, by the type of its bytes", async () => {
    const sources = [
      [serve(text(VTT)), "text/vtt"],
      [serve(text(SRT)), "text/vtt"],
      [serve(text(JSON_FILE)), "application/x-subrip"],
      [serve(text(`<p onclick="x()">Night trains<script>x</script></p>`)), "text/html"],
      [serve(text("<Jane> Night trains")), "text/plain"],
    ];
    const id = await importedWith(sources.map(([path, type]) => transcript(path, type)).join(""));
    const rows = await transcriptsOf(id);
    const stored = await Promise.all(rows.map(({ url }) => served(url)));
    assert.deepEqual(rows.map(({ type }, n) => [type, stored[n].type, stored[n].bytes.toString()]), [
      ["text/vtt", "text/vtt; charset=utf-8", VTT],
      ["application/x-subrip", "application/x-subrip; charset=utf-8", SRT],
      ["application/json", "application/json", JSON_FILE],
      ["text/html", "text/plain", "<p>Night trains</p>"], // storage serves no HTML
      ["text/plain", "text/plain; charset=utf-8", "<Jane> Night trains"],
    ]);
    assert.deepEqual(rows.map(({ bytes }) => bytes), stored.map(({ bytes }) => bytes.length));
    const report = await reportOf(id);
    assert.deepEqual(report.losses, []);
    assert.deepEqual(
      report.copies.map(JSON.stringify).sort(),
      sources.map(([path]) => JSON.stringify({ url: at(path), path: "podcast:transcript" })).sort(),
    );
    await assertNoOrphans();
  });

  await t.step("the worker repairs a transcript as an upload does, and the report names the repairs", async () => {
    const path = serve(text("WEBVTT\n\n0:00:01.000 --> 0:00:02.000\nHi\n\n0:00:03.000 --> 0:00:03.000\nBye"));
    const id = await importedWith(transcript(path, "text/vtt"));
    const [{ url }] = await transcriptsOf(id);
    assert.equal(
      (await served(url)).bytes.toString(),
      "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHi\n\n00:00:03.000 --> 00:00:03.001\nBye\n",
    );
    const [{ warnings }] = await sql`select warnings from public.podcast_import_items where import_id = ${id}`;
    assert.deepEqual(warnings.filter(({ code }: { code: string }) => code === "TRANSCRIPT_REPAIRED"), [{
      code: "TRANSCRIPT_REPAIRED",
      message: "A transcript was repaired: The times of a cue are not written as the format requires; they were " +
        "written again (2 times, first in line 3); A cue does not end after its start; its end was set a millisecond " +
        "after the start (line 6)",
    }]);
  });

  await t.step("a chapters document replaces the simple chapters of the feed and its address", async () => {
    const simple = `<psc:chapters version="1.2"><psc:chapter start="00:00:07" title="Intro"/></psc:chapters>`;
    const path = serve(text(CHAPTERS));
    const id = await importedWith(simple + chapters(path));
    assert.deepEqual([...await chaptersOf(id)], [
      { start: 0, title: "Vienna", url: null, document: null },
      { start: 60.5, title: "Graz", url: "https://graz.example/", document: null },
    ]);
    assert.deepEqual(await reportOf(id), { copies: [{ path: "podcast:chapters", url: at(path) }], losses: [] });
  });

  await t.step("a file that can never be copied keeps its address, is requested once and is reported", async () => {
    const bad = [
      [serve({ status: 404 }), "text/vtt", "The server responded with status 404"],
      [serve(text("\0\xff\xfe")), "text/vtt", /^The transcript is invalid: Line 1: /],
      [serve(text("Night trains")), "text/vtt", /^The transcript is invalid: Line 1: /],
      [serve(text(PAGE)), "text/vtt", "Invalid content type: Declared as text/vtt, but the data is text/html"],
      [serve(text("<tt/>")), "application/ttml+xml", "Transcripts cannot be application/ttml+xml"],
      [serve({ body: Buffer.alloc(5 * MB + 1, 0x61) }), "text/plain", "The file is larger than 5,242,880 bytes"],
      ["http://192.168.0.1/a.vtt", "text/vtt", "The URL does not point to the public internet"],
    ] as const;
    const document = serve(text(`{"chapters": [{"startTime": "0"}]}`));
    const id = await importedWith(bad.map(([path, type]) => transcript(path, type)).join("") + chapters(document));
    assert.deepEqual(
      (await transcriptsOf(id)).map(({ url, bytes }) => [url, bytes]),
      bad.map(([path]) => [at(path), null]),
    );
    assert.equal((await chaptersOf(id))[0].document, at(document));
    const { copies, losses } = await reportOf(id);
    assert.deepEqual(copies, []);
    assert.equal(losses.length, bad.length + 1);
    for (const [path, , why] of bad) {
      const { excerpt, reason } = losses.find((loss: { excerpt: string }) => loss.excerpt.startsWith(at(path)));
      const shown = excerpt.slice(at(path).length + 2, -1);
      assert.ok(typeof why === "string" ? shown === why : why.test(shown), shown);
      assert.equal(reason, "NOT_COPIED");
      if (!path.startsWith("http")) assert.equal(requestsFor(path), 1);
    }
    assert.ok(losses.some(({ path }: { path: string }) => path === "podcast:chapters"));
    await assertNoOrphans();
  });

  await t.step("the worker retries a file after transient errors, and no other file of the item", async () => {
    const flaky = serve(inTurn({ status: 500 }, { ...text(VTT), cut: 5 }, stalled(VTT), text(VTT)));
    const good = serve(text(VTT));
    const id = await importedWith(transcript(flaky, "text/vtt") + transcript(good, "text/vtt"));
    assert.deepEqual((await transcriptsOf(id)).map(({ bytes }) => bytes), [VTT.length, VTT.length]);
    assert.deepEqual([requestsFor(flaky), requestsFor(good)], [4, 1]);
    assert.deepEqual((await reportOf(id)).losses, []);
    await assertNoOrphans();
  });

  await t.step("a file whose attempts are exhausted keeps its address and is reported", async () => {
    await sql`update private.queues set max_attempts = 2 where name = 'import_files'`;
    const path = serve({ status: 503 });
    const id = await importedWith(transcript(path, "text/vtt"));
    await sql`update private.queues set max_attempts = 6 where name = 'import_files'`;
    assert.deepEqual((await transcriptsOf(id)).map(({ url }) => url), [at(path)]);
    assert.deepEqual((await reportOf(id)).losses, [
      lost("podcast:transcript", path, "The server responded with status 503"),
    ]);
    assert.equal(requestsFor(path), 2);
  });

  await t.step("a file over the storage allowance keeps its address and leaves no object", async () => {
    await sql`update private.queues set is_paused = true where name = 'import_files'`;
    const path = serve(text(VTT));
    const { id } = await imported({ a: () => audio(mp3(1000)) }, { a: transcript(path, "text/vtt") });
    const [{ before }] = await sql`
      update public.billing_accounts a set storage_bytes_used = private.storage_allowance_bytes(a.user_id) - 1
      from public.billing_accounts o where o.user_id = a.user_id and a.user_id = ${stack.ownerId}
      returning o.storage_bytes_used as before`;
    await sql`update private.queues set is_paused = false where name = 'import_files'`;
    await filesAreDone();
    await sql`update public.billing_accounts set storage_bytes_used = ${before} where user_id = ${stack.ownerId}`;
    assert.deepEqual((await reportOf(id)).losses, [
      lost("podcast:transcript", path, "This would exceed the account's storage allowance"),
    ]);
    assert.deepEqual((await transcriptsOf(id)).map(({ url }) => url), [at(path)]);
    await assertNoOrphans();
  });

  await t.step("another worker copies the file of a killed worker, once", async () => {
    const path = serve(inTurn(stalled(VTT), text(VTT)));
    const { id } = await imported({ a: () => audio(mp3(1000)) }, { a: transcript(path, "text/vtt") });
    await waitFor("the worker fetches the file", async () => {
      await stack.makeMessagesVisible();
      return requestsFor(path) === 1;
    }, 30);
    await replaceWorker();
    await filesAreDone();
    assert.deepEqual((await transcriptsOf(id)).map(({ bytes }) => bytes), [VTT.length]);
    assert.equal((await reportOf(id)).copies.length, 1);
    await assertNoOrphans();
  });

  await t.step("the files of an episode are copied after its import is canceled", async () => {
    await sql`update private.queues set is_paused = true where name = 'import_files'`;
    const path = serve(text(VTT));
    const { id } = await importing({
      a: () => audio(mp3(1000)),
      b: () => audio(mp3(2000), { cut: 1000, then: "stall" }),
    }, { a: transcript(path, "text/vtt") });
    await waitFor("the first episode is imported", async () => (await stack.countByStatus(id)).completed === 1, 30);
    assert.equal((await stack.post(`${id}/cancel`)).status, 200);
    await sql`update private.queues set is_paused = false where name = 'import_files'`;
    await filesAreDone();
    assert.deepEqual((await transcriptsOf(id)).map(({ bytes }) => bytes), [VTT.length]);
    source.release();
    await ended(id);
  });

  await t.step("a cover that cannot be used is linked and reported", async () => {
    for (
      const [body, why] of [
        [Buffer.from(PAGE), "The file is not a JPEG or PNG image"],
        [png({ width: 1400, height: 1400, bytes: 5 * MB + 1 }), "The file is larger than 5,242,880 bytes"],
      ] as const
    ) {
      const path = serve({ body });
      const id = await importedWith("", path);
      const [{ url, losses }] = await sql`
        select p.cover_image_url as url, c.losses from public.podcast_import_channels c
        join public.podcasts p on p.id = c.podcast_id where c.import_id = ${id}`;
      assert.deepEqual([url, losses], [at(path), [lost("itunes:image", path, why)]]);
    }
    await assertNoOrphans();
  });

  await t.step("the worker copies an episode's image that its host refuses at first", async () => {
    const image = png({ width: 3500, height: 90, bytes: 50_000 });
    const path = serve(inTurn({ status: 503 }, { status: 403 }, { body: image }));
    const id = await importedWith(`<itunes:image href="${at(path)}"/>`);
    const [{ url }] = await sql`
      select e.cover_image_url as url from public.episodes e join public.podcast_import_items i on i.episode_id = e.id
      where i.import_id = ${id}`;
    assert.equal(Buffer.compare((await served(url)).bytes, Buffer.from(image)), 0);
    assert.deepEqual(await reportOf(id), { copies: [{ path: "itunes:image", url: at(path) }], losses: [] });
    await assertNoOrphans();
  });

  await t.step("the worker copies the channel's cover of any size if the podcaster applies it", async () => {
    const cover = jpeg({ width: 600, height: 450, bytes: 30_000 });
    const path = serve(inTurn({ status: 502 }, { body: cover }));
    const id = await importedWith("", path);
    const [{ url, copies, losses }] = await sql`
      select p.cover_image_url as url, c.copies, c.losses from public.podcast_import_channels c
      join public.podcasts p on p.id = c.podcast_id where c.import_id = ${id}`;
    const stored = await served(url);
    assert.deepEqual([Buffer.compare(stored.bytes, Buffer.from(cover)), stored.type], [0, "image/jpeg"]);
    assert.deepEqual([copies, losses], [[{ path: "itunes:image", url: at(path) }], []]);
    await assertNoOrphans();
  });
});
