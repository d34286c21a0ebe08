// The import_items job with hosts that misbehave.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { png } from "../image_fixtures.ts";
import { assertDelay, assertThroughout, waitFor } from "../wait_for.ts";
import { audio, inTurn, MB, served, startImports } from "./import_fixture.ts";
import { allBytes, mp3 } from "./source.ts";
import { startWorker } from "./worker.ts";

Deno.test({ name: "importing items", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using fixture = await startImports();
  const { manners, source, stack, sql, importing, imported, ended, statusOf, assertNoOrphans } = fixture;

  await t.step("the worker imports an episode with its audio, GUID and date", async () => {
    const file = mp3(100_000);
    const { outcomes: [one], id, prefix } = await imported({ a: () => audio(file) });
    assert.deepEqual([one.status, one.error, one.attempts], ["completed", null, 1]);
    assert.deepEqual([one.origin, one.guid, one.episodeStatus], ["import", `${prefix}a`, "published"]);
    assert.match(one.published!, /^2024-01-01 00:00:00/);
    assert.deepEqual([one.type, one.bytes], ["audio/mpeg", 100_000]);
    const { bytes, type } = await served(one.url);
    assert.equal(Buffer.compare(bytes, allBytes(file)), 0);
    assert.equal(type, "audio/mpeg");
    assert.equal(await statusOf(id), "completed");
  });

  await t.step(
    "the worker stores the audio type of the bytes, regardless of the types that feed and server declare",
    async () => {
      const wav = Buffer.from("RIFF\x24\0\0\0WAVEfmt rest of it"),
        m4a = Buffer.from("\0\0\0\x20ftypM4A \0\0\0\0 rest of it");
      const film = Buffer.from("\0\0\0\x20ftypisom\0\0\0\0 rest of it");
      const { outcomes } = await imported({
        wav: () => audio(wav),
        m4a: () => audio(m4a, { headers: { "content-type": "text/plain" } }),
        rubbish: () => audio(Buffer.alloc(2000, 7)),
        page: () => audio(Buffer.from("\n <!doctype html><p>This episode has moved")),
        ogg: () => audio(Buffer.from("OggS rest of it")),
        film: () => audio(film, { headers: { "content-type": "video/mp4" } }),
      });
      assert.deepEqual(outcomes.map(({ status, code, type }) => [status, code ?? type]), [
        ["completed", "audio/wav"],
        ["completed", "audio/mp4"],
        ["completed", "audio/mpeg"],
        ["failed", "UNSUPPORTED_AUDIO_FORMAT"],
        ["failed", "UNSUPPORTED_AUDIO_FORMAT"],
        ["failed", "UNSUPPORTED_AUDIO_FORMAT"],
      ]);
    },
  );

  await t.step(
    "the worker requests a missing file and a circle of redirects once, and a private address never",
    async () => {
      const { outcomes: [gone, circle, inside], requestsFor } = await imported({
        gone: () => ({ status: 404 }),
        circle: ({ path }) => ({ status: 302, headers: { location: path } }),
        "http://192.168.0.1/a.mp3": () => audio(mp3(10)),
      });
      assert.deepEqual([gone.status, gone.code, requestsFor("gone").length], ["failed", "HTTP_ERROR", 1]);
      assert.match(gone.error!, /404/);
      assert.deepEqual([circle.status, circle.code, circle.attempts], ["failed", "TOO_MANY_REDIRECTS", 1]);
      assert.equal(requestsFor("circle").length, 21);
      assert.deepEqual([inside.status, inside.code], ["failed", "BLOCKED_URL"]);
    },
  );

  await t.step(
    "the worker retries a source after transient errors and keeps nothing of the broken downloads",
    async () => {
      const file = mp3(50_000);
      const manner = audio(file), half = audio(file, { cut: 20_000 });
      const { outcomes, requestsFor } = await imported({
        broken: inTurn({ status: 500 }, { status: 503 }, manner),
        short: inTurn(half, manner),
        reset: inTurn({ ...half, then: "reset" }, manner),
        stalled: inTurn({ ...half, then: "stall" }, manner),
        empty: inTurn(audio(new Uint8Array()), manner),
      });
      assert.deepEqual(outcomes.map(({ status }) => status), outcomes.map(() => "completed"));
      assert.deepEqual(outcomes.map(({ bytes }) => bytes), outcomes.map(() => 50_000));
      assert.deepEqual(outcomes.map(({ attempts }) => attempts), [3, 2, 2, 2, 2]);
      assert.equal(requestsFor("broken").length, 3);
      await assertNoOrphans();
    },
  );

  await t.step("the worker fails an item with RETRIES_EXHAUSTED after five retries", async () => {
    const { outcomes: [one], requestsFor, id } = await imported({
      broken: () => ({ status: 500 }),
      well: () => audio(mp3(1000)),
    });
    assert.deepEqual([one.status, one.code, requestsFor("broken").length], ["failed", "RETRIES_EXHAUSTED", 6]);
    assert.match(one.error!, /status 500/);
    assert.equal(await statusOf(id), "partial");
    const [{ message }] = await sql`select message from pgmq.q_import_items_dlq order by msg_id desc limit 1`;
    assert.equal(message.attempts, 6);
  });

  await t.step("the worker tries a source with status 403 once more, later", async () => {
    const { outcomes: [back, denied], requestsFor } = await imported({
      back: inTurn({ status: 403 }, audio(mp3(1000))),
      denied: () => ({ status: 403 }),
    });
    assert.deepEqual([back.status, back.attempts], ["completed", 2]);
    assert.deepEqual([denied.status, denied.code, denied.attempts], ["failed", "HTTP_ERROR", 2]);
    assert.match(denied.error!, /403/);
    assert.equal(requestsFor("denied").length, 2);
  });

  await t.step("the worker hides database errors from the podcast's admins", async () => {
    await sql.unsafe(`create function tests_break() returns trigger language plpgsql as
      $$ begin raise exception 'could not write block 7 of internals'; end $$;
      create trigger tests_break before update on public.podcast_import_items for each row
        when (new.error_code = 'HTTP_ERROR') execute function tests_break()`);
    const { outcomes: [one] } = await imported({ gone: () => ({ status: 404 }) });
    await sql.unsafe("drop function tests_break() cascade");
    assert.deepEqual([one.status, one.code], ["failed", "RETRIES_EXHAUSTED"]);
    assert.equal(one.error, "The episode could not be imported");
  });

  await t.step("the worker does not retry before the source's Retry-After", async () => {
    await sql`update private.queues set backoff_max = '15 minutes' where name = 'import_items'`;
    const began = Date.now();
    const { id, requestsFor } = await importing({
      busy: inTurn({ status: 503, headers: { "retry-after": "600" } }, audio(mp3(1000))),
    });
    await waitFor("it was asked", () => requestsFor("busy").length === 1);
    const wait = await waitFor("its message waits", async () => {
      const [{ seconds }] = await sql`
        select extract(epoch from max(q.vt) - clock_timestamp())::float as seconds from pgmq.q_import_items q
        where private.message_state(q.read_ct, q.headers) = 'waiting'`;
      return seconds;
    });
    assertDelay(wait, 600, began);
    assert.equal(requestsFor("busy").length, 1);
    const [item] = await sql`
      select status, error_message as error, extract(epoch from next_attempt_at - now())::float as seconds
      from public.podcast_import_items where import_id = ${id}`;
    assert.deepEqual([item.status, item.error], ["pending", "The server responded with status 503"]);
    assertDelay(item.seconds, 600, began);
    await sql`update private.queues set backoff_max = '1 second' where name = 'import_items'`;
    assert.equal((await ended(id))[0].status, "completed");
  });

  await t.step("the worker skips an item that waits for a retry when its import is canceled", async () => {
    await sql`update private.queues set backoff_base = '5 minutes', backoff_max = '15 minutes' where name = 'import_items'`;
    const { id, requestsFor } = await importing({ failing: inTurn({ status: 503 }, audio(mp3(1000))) });
    await waitFor("the item waits", async () =>
      (await sql`
        select from public.podcast_import_items where import_id = ${id} and status = 'pending' and next_attempt_at > now()`)
        .length === 1);
    assert.equal((await stack.post(`${id}/cancel`)).status, 200);
    assert.deepEqual(await stack.countByStatus(id), { skipped_canceled: 1 });
    assert.equal((await sql`select from pgmq.q_import_items where message ->> 'import_id' = ${id}`).length, 0);
    await sql`update private.queues set backoff_base = '1 second', backoff_max = '1 second' where name = 'import_items'`;
    assert.equal((await stack.post(`${id}/resume`)).status, 200);
    await stack.makeMessagesVisible();
    assert.equal((await ended(id))[0].status, "completed");
    assert.equal(requestsFor("failing").length, 2);
  });

  await t.step("the worker skips a file with an oversize Content-Length before storing a byte", async () => {
    const { outcomes: [one], requestsFor } = await imported({ large: () => audio(mp3(524_288_001)) });
    assert.equal(one.status, "skipped_oversize");
    assert.match(one.error!, /larger than 524,288,000 bytes/);
    assert.equal(requestsFor("large").length, 1);
    await assertNoOrphans();
  });

  await t.step(
    "the worker stores an episode's image of any size as its cover and warns about an unusable one",
    async () => {
      const cover = png({ width: 600, height: 400, bytes: 50_000 });
      manners.set("/cover.png", () => ({ body: cover, headers: { "content-type": "image/png" } }));
      manners.set("/text.png", () => ({ body: Buffer.from("<html>") }));
      const image = (path: string) => `<itunes:image href="${source.url}${path}"/>`;
      const file = () => audio(mp3(1000));
      const { outcomes: [good, bad, none] } = await imported({ good: file, bad: file, none: file }, {
        good: image("cover.png"),
        bad: image("text.png"),
        none: image("none.png"),
      });
      assert.deepEqual([good, bad, none].map(({ status }) => status), ["completed", "completed", "completed"]);
      assert.equal(Buffer.compare((await served(good.cover)).bytes, Buffer.from(cover)), 0);
      assert.deepEqual([bad, none].map(({ cover, warnings }) => [cover, warnings.map(({ code }) => code)]), [
        [`${source.url}text.png`, ["INVALID_IMAGE"]],
        [`${source.url}none.png`, ["INVALID_IMAGE"]],
      ]);
      assert.deepEqual(good.warnings, []);
    },
  );

  await t.step(
    "the worker fails an item over the storage allowance before fetching all of it and stores nothing",
    async () => {
      const used = async (bytes: string) =>
        await sql`update public.billing_accounts set storage_bytes_used = private.storage_allowance_bytes(user_id) - ${bytes}::bigint where user_id = ${stack.ownerId}`;
      const [{ before }] =
        await sql`select storage_bytes_used as before from public.billing_accounts where user_id = ${stack.ownerId}`;
      await used(`${10 * MB}`);
      const { outcomes: [declared, undeclared, fits], requestsFor } = await imported({
        declared: () => audio(mp3(30 * MB)),
        undeclared: () => audio(mp3(30 * MB), { omitsLength: true }),
        fits: () => audio(mp3(MB)),
      });
      assert.deepEqual([declared.status, declared.code], ["failed", "STORAGE_ALLOWANCE_EXCEEDED"]);
      assert.deepEqual([undeclared.status, undeclared.code], ["failed", "STORAGE_ALLOWANCE_EXCEEDED"]);
      assert.equal(fits.status, "completed");
      assert.ok(requestsFor("undeclared")[0].sent < 30 * MB, "all of it was fetched");
      await used(`${7 * MB}`); // each file alone would fit
      const pair = await imported({ one: () => audio(mp3(4 * MB)), two: () => audio(mp3(4 * MB)) });
      assert.deepEqual(pair.outcomes.map(({ status, code }) => code ?? status).sort(), [
        "STORAGE_ALLOWANCE_EXCEEDED",
        "completed",
      ]);
      await sql`update public.billing_accounts set storage_bytes_used = ${before}::bigint + ${
        5 * MB
      } where user_id = ${stack.ownerId}`;
      await assertNoOrphans();
    },
  );

  await t.step("the worker transfers at most four items at once across workers", async () => {
    await using _second = await startWorker(stack.at), _third = await startWorker(stack.at);
    source.maxConcurrent = 0;
    const slow = audio(mp3(1000), { cut: 500, then: "stall" });
    const held = Array.from({ length: 9 }, (_, n) => [`held-${n}`, () => slow]);
    const { id, requestsFor } = await importing(Object.fromEntries(held));
    const running = () => held.filter(([name]) => requestsFor(name as string).length > 0).length;
    await waitFor("four are asked for", () => running() === 4);
    await assertThroughout(2.5, async () => { // three workers poll every second
      await stack.makeMessagesVisible();
      assert.deepEqual([running(), source.maxConcurrent], [4, 4]);
    });
    await stack.post(`${id}/cancel`);
    for (const path of manners.keys()) if (path.includes("held-")) manners.set(path, () => audio(mp3(1000)));
    source.release();
    const outcomes = await ended(id);
    // the four in transfer lost their source, and a canceled import retries nothing
    assert.deepEqual(outcomes.map(({ status }) => status), outcomes.map(() => "skipped_canceled"));
  });
});
