// The import_items job: long files that break off, and how another run resumes them.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { waitFor } from "../wait_for.ts";
import { audio, bytesOf, inTurn, MB, served, startImports } from "./import_fixture.ts";
import { mp3 } from "./source.ts";

Deno.test({ name: "resuming long files", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using fixture = await startImports();
  const { sql, importing, imported, ended, assertNoOrphans, replaceWorker } = fixture;

  await t.step("the worker resumes an interrupted long file when its source supports ranges", async () => {
    const file = mp3(20 * MB), manner = audio(file, { headers: { etag: '"one"' } });
    const { outcomes: [one], requestsFor } = await imported({ long: inTurn({ ...manner, cut: 14 * MB }, manner) });
    assert.deepEqual([one.status, one.attempts, one.bytes], ["completed", 1, 20 * MB]);
    assert.deepEqual(requestsFor("long").map(({ range, sent }) => [range, sent]), [
      [null, 14 * MB],
      [`bytes=${12 * MB}-`, 8 * MB],
    ]);
    assert.equal(Buffer.compare((await served(one.url)).bytes, bytesOf(file)), 0);
  });

  await t.step("the worker tries ranges once when the source does not announce them", async () => {
    const file = mp3(20 * MB), manner = audio(file, { hidesRanges: true, headers: { etag: '"one"' } });
    const rangeless = { ...manner, ignoresRanges: true }, cut = 7 * MB;
    const { outcomes: [has, hasNone], requestsFor } = await imported({
      has: inTurn({ ...manner, cut }, manner),
      none: inTurn({ ...rangeless, cut }, { ...rangeless, cut }, rangeless),
    });
    assert.deepEqual([has, hasNone].map(({ status, attempts }) => [status, attempts]), [["completed", 1], [
      "completed",
      2,
    ]]);
    assert.deepEqual(requestsFor("has").map(({ range, sent }) => [range, sent]), [[null, cut], [
      `bytes=${6 * MB}-`,
      14 * MB,
    ]]);
    assert.deepEqual(requestsFor("none").map(({ sent }) => sent), [cut, cut, 20 * MB]);
    assert.equal(Buffer.compare((await served(has.url)).bytes, bytesOf(file)), 0);
  });

  await t.step("the worker restarts a long file when its source has no ranges or another file", async () => {
    const file = mp3(14 * MB), other = mp3(15 * MB, 5);
    const rangeless = audio(file, { ignoresRanges: true, headers: { etag: '"one"' } });
    const first = audio(file, { headers: { etag: '"one"' } });
    const alike = mp3(14 * MB, 9);
    const { outcomes: [one, two, three], requestsFor } = await imported({
      rangeless: inTurn({ ...rangeless, cut: 8 * MB }, rangeless),
      changed: inTurn({ ...first, cut: 8 * MB }, audio(other, { headers: { etag: '"two"' } })),
      careless: inTurn({ ...first, cut: 8 * MB }, audio(alike, { ignoresIfRange: true, headers: { etag: '"two"' } })),
    });
    assert.deepEqual([one, two, three].map(({ status }) => status), ["completed", "completed", "completed"]);
    assert.equal(requestsFor("rangeless").at(-1)!.sent, 14 * MB);
    assert.equal(Buffer.compare((await served(one.url)).bytes, bytesOf(file)), 0);
    assert.equal(Buffer.compare((await served(two.url)).bytes, bytesOf(other)), 0);
    assert.equal(Buffer.compare((await served(three.url)).bytes, bytesOf(alike)), 0);
    await assertNoOrphans();
  });

  await t.step("the worker does not take a full response for the requested range", async () => {
    const file = mp3(20 * MB), manner = audio(file, { headers: { etag: '"one"' } });
    const cut = { ...manner, cut: 14 * MB }, wrongRange = { ...manner, sendsWholeAsRange: true };
    const { outcomes: [declared, undeclared], requestsFor } = await imported({
      declared: inTurn(cut, wrongRange, manner),
      undeclared: inTurn(cut, { ...wrongRange, omitsLength: true }, manner),
    });
    assert.deepEqual([declared, undeclared].map(({ status, attempts }) => [status, attempts]), [["completed", 1], [
      "completed",
      2,
    ]]);
    for (const { url } of [declared, undeclared]) {
      assert.equal(Buffer.compare((await served(url)).bytes, bytesOf(file)), 0);
    }
    assert.deepEqual(requestsFor("declared").map(({ range }) => range), [null, `bytes=${12 * MB}-`, null]);
    await assertNoOrphans();
  });

  await t.step("the worker does not take a truncated range for the rest of the file", async () => {
    const file = mp3(20 * MB), manner = audio(file, { headers: { etag: '"one"' } });
    const cut = { ...manner, cut: 14 * MB }, short = { ...manner, omitsLength: true, cut: 4 * MB };
    const { outcomes: [one], requestsFor } = await imported({ short: inTurn(cut, short, manner) });
    assert.deepEqual([one.status, one.error, one.attempts, one.bytes], ["completed", null, 2, 20 * MB]);
    assert.deepEqual(requestsFor("short").map(({ range }) => range), [null, `bytes=${12 * MB}-`, `bytes=${12 * MB}-`]);
    assert.equal(Buffer.compare((await served(one.url)).bytes, bytesOf(file)), 0);
  });

  await t.step("the worker resumes a long file whose first response had no length", async () => {
    const file = mp3(14 * MB), manner = audio(file, { headers: { etag: '"one"' } });
    const torn = { ...manner, chunked: true, cut: 8 * MB };
    const { outcomes: [one], requestsFor } = await imported({ begun: inTurn(torn, manner) });
    assert.deepEqual([one.status, one.error, one.attempts, one.bytes], ["completed", null, 1, 14 * MB]);
    assert.equal(requestsFor("begun").at(-1)!.range, `bytes=${6 * MB}-`);
    assert.equal(Buffer.compare((await served(one.url)).bytes, bytesOf(file)), 0);
  });

  await t.step(
    "the worker gives up a long file that breaks off and changes on every request",
    async () => {
      const one = audio(mp3(20 * MB), { cut: 7 * MB, headers: { etag: '"one"' } });
      const two = { ...one, headers: { ...one.headers, etag: '"two"' } };
      const { outcomes: [lost], requestsFor } = await imported({
        torn: ({ before }) => (before + 1) % 4 < 2 ? one : two,
      });
      assert.deepEqual([lost.status, lost.code], ["failed", "RETRIES_EXHAUSTED"]);
      assert.equal(requestsFor("torn").length, 9); // two runs made progress, each with new attempts
    },
  );

  await t.step("the worker imports a long file of unknown length", async () => {
    const file = mp3(13 * MB);
    const { outcomes: [one] } = await imported({ unmeasured: () => audio(file, { omitsLength: true }) });
    assert.deepEqual([one.status, one.bytes], ["completed", 13 * MB]);
    assert.equal(Buffer.compare((await served(one.url)).bytes, bytesOf(file)), 0);
  });

  await t.step("the worker resumes a long file after its worker was killed", async () => {
    const file = mp3(20 * MB), manner = audio(file, { headers: { etag: '"one"' } });
    const { id, requestsFor } = await importing({ long: inTurn({ ...manner, cut: 14 * MB, then: "stall" }, manner) });
    const saved = await waitFor("two parts are saved", async () => {
      const [row] = await sql`
        select upload_url, received_bytes::int, total_bytes::int, source_etag from private.import_transfers t
        join public.podcast_import_items i on i.id = t.import_item_id where i.import_id = ${id} and t.received_bytes = ${
        12 * MB
      }`;
      return row;
    });
    assert.match(saved.upload_url, /\/storage\/v1\/upload\/resumable\/./);
    assert.deepEqual([saved.total_bytes, saved.source_etag], [20 * MB, '"one"']);
    await replaceWorker();
    const [one] = await ended(id);
    assert.equal(one.status, "completed");
    assert.deepEqual(requestsFor("long").at(-1), {
      path: requestsFor("long")[0].path,
      range: `bytes=${12 * MB}-`,
      sent: 8 * MB,
    });
    assert.equal(Buffer.compare((await served(one.url)).bytes, bytesOf(file)), 0);
    const left = await sql`
      select from private.import_transfers t join public.podcast_import_items i on i.id = t.import_item_id where i.import_id = ${id}`;
    assert.equal(left.length, 0);
  });
});
