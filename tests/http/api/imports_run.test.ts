// Running imports: confirmed items become episodes, held items do not; cancel, resume and retry.
import assert from "node:assert/strict";
import { assertError, assertKeys, type Podcast, sendRequest, sql, waitFor } from "../harness.ts";
import { allBytes, mp3 } from "../../worker/source.ts";
import { httpResponse, type Source, source } from "./artwork.ts";
import { done, episodes, feed, get, post, standing, started, type Written } from "./imports.ts";

const ALL = { applyDetectedEpisodeNumbers: false, limit: null };
const confirm = (id: string, json: object = ALL) => post(id, "confirm", json);

/** A server of audio that has no file at /gone, unless it `has`, and a `transcript` at /lost. */
async function audio() {
  const file = allBytes(mp3(20_000)), state = { has: false, transcript: "" };
  const from: Source = await source(({ request, send }) => {
    if (request.startsWith("GET /lost")) {
      const status = state.transcript ? 200 : 404;
      return send(httpResponse(new TextEncoder().encode(state.transcript), { status, type: "text/vtt" }));
    }
    const assertGone = request.startsWith("GET /gone") && !state.has;
    return send(
      httpResponse(assertGone ? new Uint8Array() : file, { status: assertGone ? 404 : 200, type: "audio/mpeg" }),
    );
  });
  return { url: from.url, state, bytes: file.length, [Symbol.asyncDispose]: () => from[Symbol.asyncDispose]() };
}

/** An import in preview. */
async function preview(items: Written[], into?: Podcast) {
  const made = await started(feed(items), into);
  assert.equal(made.data.status, "preview");
  return made;
}

const statusOf = async (id: string) => done(await get(id)).status;

/** Makes the delayed messages of this import visible now. */
const hurry = (id: string) =>
  sql`update pgmq.q_import_items set vt = clock_timestamp() where message ->> 'import_id' = ${id} and vt > clock_timestamp() and read_ct = 0`;

async function ended(id: string): Promise<string> {
  const open = async () => {
    await hurry(id);
    return ["running", "canceled"].includes(await statusOf(id)) &&
      Object.keys(await standing(id)).some((status) => ["pending", "processing"].includes(status));
  };
  await waitFor("the import ends", async () => !(await open()), 90);
  return await statusOf(id);
}

Deno.test("a confirmed import publishes episodes with the dates, GUIDs, texts and audio of the feed", async () => {
  await using from = await audio();
  const items = episodes(3, `${from.url}a.mp3`);
  items[0].more = "<itunes:season>3</itunes:season><itunes:duration>61</itunes:duration>" +
    "<description>All &amp; more</description><itunes:summary>In short</itunes:summary>" +
    "<content:encoded><![CDATA[<p>Notes</p>]]></content:encoded>";
  const { id, show } = await preview(items);
  const data = done(await confirm(id));
  assertKeys(data, "status", "selectedCount", "heldCount", "refreshCount");
  assert.deepEqual(data, { status: "running", selectedCount: 3, heldCount: 0, refreshCount: 0 });
  assert.equal(await ended(id), "completed");

  const parent = done(await get(id));
  assert.deepEqual([parent.completed_count, parent.failed_count, parent.skipped_count], [3, 0, 0]);
  assert.ok(parent.started_at && parent.finished_at);
  const made = await sql`
    select id, guid, title, summary, description, show_notes_html, status, origin, published_at, season_number, episode_number,
      audio_file_size_bytes::int as bytes
    from public.episodes where podcast_id = ${show.id} order by published_at desc`;
  assert.deepEqual(made.map(({ guid }) => guid), ["episode-3", "episode-2", "episode-1"]);
  const [newest] = made;
  assert.deepEqual(
    [newest.title, newest.status, newest.origin, newest.published_at.toISOString(), newest.bytes],
    ["Episode 3: On the line", "published", "import", "2020-01-04T00:00:00.000Z", from.bytes],
  );
  assert.deepEqual([newest.description, newest.show_notes_html, newest.summary], [
    "All & more",
    "<p>Notes</p>",
    "In short",
  ]);
  assert.deepEqual([newest.season_number, newest.episode_number], [3, null], "numbers in titles are only proposed");
  assert.deepEqual(
    parent.items.map((item: { episode_id: string; status: string }) => [item.episode_id, item.status]),
    made.map((episode) => [episode.id, "completed"]),
  );
  await waitFor("audio without a duration in the feed is measured", async () => {
    const measured = await sql`select audio_duration_seconds as seconds from public.episodes
      where podcast_id = ${show.id} order by published_at desc`;
    return measured.map(({ seconds }) => seconds).join() === "61,1,1";
  });
});

Deno.test("imported episodes keep the feed's order and their link in the feed and in /v1, those of the future too", async () => {
  await using from = await audio();
  const items = [...episodes(6, `${from.url}a.mp3`)].map((one) => ({ ...one, day: 1 }));
  items[2].day = 30_000;
  items[3].more = "<link>https://show.example/3</link>";
  const guids = ["episode-4", "episode-6", "episode-5", "episode-3", "episode-2", "episode-1"];
  const { id, show } = await preview(items);
  assert.deepEqual(
    done(await get(id)).warnings.map(({ code, count }: { code: string; count: number }) => [code, count])
      .filter(([code]: [string]) => code === "DATE_IN_FUTURE"),
    [["DATE_IN_FUTURE", 1]],
  );
  done(await confirm(id));
  assert.equal(await ended(id), "completed");
  assert.equal(done(await get(id)).future_items, "publish");

  const page = await sendRequest({ method: "GET", path: `/public/v1/podcasts/${show.slug}/episodes?limit=4` });
  const next = page.body.pagination.nextCursor;
  const rest = await sendRequest({
    method: "GET",
    path: `/public/v1/podcasts/${show.slug}/episodes?limit=4&cursor=${next}`,
  });
  const listed = [...page.body.data, ...rest.body.data];
  assert.deepEqual(listed.map(({ guid }) => guid), guids);
  assert.deepEqual(listed.map(({ link }) => link), [null, null, null, "https://show.example/3", null, null]);
  const latest = await sendRequest({ method: "GET", path: `/public/v1/podcasts/${show.slug}/episodes/latest` });
  assert.equal(latest.body.data.guid, guids[0]);
  const read = async () => (await sendRequest({ method: "GET", path: `/public/feeds/${show.slug}.xml` })).text;
  await waitFor("the feed has all episodes", async () => (await read()).split("</item>").length === 7, 30);
  const xml = await read();
  assert.deepEqual([...xml.matchAll(/<guid [^>]*>([^<]*)/g)].map(([, guid]) => guid), guids);
  assert.ok(xml.includes("<link>https://show.example/3</link>"), xml);
});

Deno.test("POST confirm schedules the episodes of the future with futureItems schedule", async () => {
  await using from = await audio();
  const items = episodes(2, `${from.url}a.mp3`);
  items[0].day = 30_000;
  const { id, show } = await preview(items);
  done(await confirm(id, { ...ALL, futureItems: "schedule" }));
  assert.equal(await ended(id), "completed");
  const made = await sql`
    select guid, status, extract(year from scheduled_at)::int as year from public.episodes
    where podcast_id = ${show.id} order by guid`;
  assert.deepEqual(made.map(({ guid, status, year }) => [guid, status, year]), [
    ["episode-1", "published", null],
    ["episode-2", "scheduled", 2102],
  ]);
});

Deno.test("POST confirm returns 400 for a malformed body and changes nothing", async () => {
  const { id } = await preview(episodes(2));
  for (
    const changed of [
      { limit: -1 },
      { limit: 1.5 },
      { limit: "2" },
      { limit: 1e12 },
      { applyDetectedEpisodeNumbers: "yes" },
      { applyDetectedEpisodeNumbers: null },
      { futureItems: "hide" },
      { futureItems: null },
    ]
  ) {
    assertError(await confirm(id, { ...ALL, ...changed }), 400);
  }
  assertError(await post(id, "confirm"), 400);
  assert.equal(await statusOf(id), "preview");
  assert.deepEqual(await standing(id), { pending: 2 });
});

Deno.test("an item whose audio is missing fails with its reason and succeeds in a retry when the audio is back", async () => {
  await using from = await audio();
  const items = episodes(3, `${from.url}a.mp3`);
  items[1].audio = `${from.url}gone.mp3`;
  const { id } = await preview(items);
  done(await confirm(id));
  assert.equal(await ended(id), "partial");
  const { items: its, failed_count, completed_count } = done(await get(id));
  assert.deepEqual([failed_count, completed_count], [1, 2]);
  const failed = its.find(({ status }: { status: string }) => status === "failed");
  assert.deepEqual([failed.guid, failed.error_code, failed.error_message], [
    "episode-2",
    "HTTP_ERROR",
    "The server responded with status 404",
  ]);

  from.state.has = true;
  assert.deepEqual(done(await post(id, `items/${failed.id}/retry`)), {
    importId: id,
    itemId: failed.id,
    status: "pending",
  });
  assert.equal(await ended(id), "completed");
  assert.deepEqual(await standing(id), { completed: 3 });
  assertError(await post(id, `items/${failed.id}/retry`), 409);
  assertError(await post(id, "retry-failed"), 409);
  assertError(await post(id, `items/${crypto.randomUUID()}/retry`), 404);
});

Deno.test("POST retry-failed retries every failed item", async () => {
  await using from = await audio();
  const { id } = await preview(episodes(3, `${from.url}gone.mp3`));
  done(await confirm(id));
  assert.equal(await ended(id), "failed");
  from.state.has = true;
  const data = done(await post(id, "retry-failed"));
  assert.deepEqual(data, { status: "running", retriedCount: 3 });
  assert.equal(await ended(id), "completed");
  const { failed_count, completed_count } = done(await get(id));
  assert.deepEqual([failed_count, completed_count], [0, 3]);
});

Deno.test("POST retry-files copies the files that were not copied, and a copy removes its loss", async () => {
  await using from = await audio();
  const items = episodes(1, `${from.url}a.mp3`);
  items[0].more = `<podcast:transcript url="${from.url}lost.vtt" type="text/vtt"/>`;
  const { id, show } = await preview(items);
  const filesAreDone = () =>
    waitFor("the files are copied or lost", async () => {
      const waiting = await sql`select from pgmq.q_import_files where message ->> 'podcast_id' = ${show.id}`;
      if (waiting.length) await sql`select private.wake_worker('import_files')`;
      return waiting.length === 0;
    }, 90);
  assertError(await post(id, "retry-files"), 409, { code: "INVALID_IMPORT_STATE" });
  done(await confirm(id));
  assert.equal(await ended(id), "completed");
  await filesAreDone();
  const lost = async () => {
    const { body } = await get(`${id}/report`);
    return body.data.items[0].lost.map(({ reason }: { reason: string }) => reason);
  };
  assert.deepEqual(await lost(), ["NOT_COPIED"]);
  from.state.transcript = "WEBVTT\n\n00:00.000 --> 00:02.000\nHi\n";
  assert.deepEqual(done(await post(id, "retry-files")), { retriedCount: 1 });
  await filesAreDone();
  assert.deepEqual(await lost(), []);
  assert.deepEqual(done(await post(id, "retry-files")), { retriedCount: 0 });
});

Deno.test("canceling a running import skips waiting items, and resuming imports each of them once", async () => {
  await using from = await audio();
  const { id, show } = await preview(episodes(40, `${from.url}a.mp3`));
  done(await confirm(id));
  assert.equal(done(await post(id, "cancel")).status, "canceled");
  assert.equal(await ended(id), "canceled");
  const { skipped_canceled: skipped = 0, completed = 0 } = await standing(id);
  assert.equal(skipped + completed, 40);
  assert.ok(skipped > 20, `${skipped}`);
  const made = async () => (await sql`select guid from public.episodes where podcast_id = ${show.id}`).length;
  assert.equal(await made(), completed);

  assert.equal(done(await post(id, "resume")).status, "running");
  assert.equal(await ended(id), "completed");
  assert.equal(await made(), 40);
  const { completed_count, skipped_count } = done(await get(id));
  assert.deepEqual([completed_count, skipped_count], [40, 0]);
});
