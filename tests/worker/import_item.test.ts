// The executor: enclosures on their way from a host that does everything wrong into storage, and what becomes of them.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { png } from "../image_fixtures.ts";
import { waitFor } from "../local/services.ts";
import { startImportStack } from "./import_stack.ts";
import { type Asked, type Enclosed, feedOf, type Manner, mp3, startSource, whole } from "./source.ts";
import { startWorker } from "./worker.ts";

const MB = 1024 * 1024;
/** How the source answers, by path; a test says it. */
const manners = new Map<string, (asked: Asked) => Manner>();
const source = startSource((asked) => manners.get(asked.path)?.(asked) ?? { status: 404 });
const stack = await startImportStack([source.host]);
const { sql } = stack;
let worker = await startWorker(stack.at);

interface Outcome {
  status: string;
  error: string | null;
  code: string | null;
  attempts: number;
  warnings: { code: string }[];
  url: string | null;
  type: string | null;
  bytes: number | null;
  cover: string | null;
  guid: string | null;
  published: string | null;
  origin: string | null;
  episodeStatus: string | null;
}

let imports = 0;

/** Begins to import a feed of these episodes. */
async function importing(answers: Record<string, (asked: Asked) => Manner>, more: Record<string, string> = {}) {
  const prefix = `${++imports}-`;
  const items: Enclosed[] = Object.entries(answers).map(([name, answer]) => {
    manners.set(`/${prefix}${name}`, answer);
    return { guid: prefix + name, audio: name.startsWith("http") ? name : prefix + name, more: more[name] };
  });
  manners.set(`/${prefix}feed.xml`, () => ({ body: feedOf(items, source.url) }));
  const id = await stack.confirmed(`${source.url}${prefix}feed.xml`);
  return { id, asked: (name: string) => source.asked.filter(({ path }) => path === `/${prefix}${name}`) };
}

const statusOf = async (id: string) =>
  (await sql`select status from public.podcast_imports where id = ${id}`)[0].status;

/** What became of each episode, in the feed's order, once the import has ended. */
async function ended(id: string): Promise<Outcome[]> {
  await waitFor("the import ends", async () => {
    await stack.hurry();
    return ["completed", "partial", "failed", "canceled"].includes(await statusOf(id)) && !await waiting();
  }, 90);
  return [
    ...await sql<Outcome[]>`
    select i.status, i.error_message as error, i.error_code as code, i.attempts, i.warnings, e.audio_url as url, e.audio_content_type as type,
      e.audio_file_size_bytes::int as bytes, e.cover_image_url as cover, e.guid, e.published_at::text as published, e.origin,
      e.status as "episodeStatus"
    from public.podcast_import_items i left join public.episodes e on e.id = i.episode_id
    where i.import_id = ${id} order by i.position`,
  ];
}

const waiting = async () => (await sql`select from pgmq.q_import_items`).length;

async function imported(answers: Record<string, (asked: Asked) => Manner>, more: Record<string, string> = {}) {
  const { id, asked } = await importing(answers, more);
  return { id, asked, outcomes: await ended(id) };
}

/** The first answers one after another, the last one for good. */
const inTurn = (...answers: Manner[]) => ({ before }: Asked) => answers[Math.min(before, answers.length - 1)];

/** Every object of the podcast that nothing names. */
const orphans = async () =>
  (await sql`
  select o.name from storage.objects o where o.bucket_id = 'media' and starts_with(o.name, ${`podcasts/${stack.podcastId}/`})
    and not exists (select from private.media_objects m where m.path = o.name and m.released_at is null)`).length;

const audio = (body: Uint8Array | ReturnType<typeof mp3>, more: Manner = {}): Manner => ({
  body,
  ...more,
  headers: { "content-type": "audio/mpeg", ...more.headers },
});

async function served(url: string | null) {
  const response = await fetch(url!);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200);
  return { bytes, type: response.headers.get("content-type") };
}

Deno.test({ name: "importing episodes", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await t.step("an episode comes with its audio, its GUID and its date, as an import", async () => {
    const file = mp3(100_000);
    const { outcomes: [one], id } = await imported({ a: () => audio(file) });
    assert.deepEqual([one.status, one.error, one.attempts], ["completed", null, 1]);
    assert.deepEqual([one.origin, one.guid, one.episodeStatus], ["import", `${imports}-a`, "published"]);
    assert.match(one.published!, /^2024-01-01 00:00:00/);
    assert.deepEqual([one.type, one.bytes], ["audio/mpeg", 100_000]);
    const { bytes, type } = await served(one.url);
    assert.equal(Buffer.compare(bytes, whole(file)), 0);
    assert.equal(type, "audio/mpeg");
    assert.equal(await statusOf(id), "completed");
  });

  await t.step("what the bytes are counts, whatever feed and server say", async () => {
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
  });

  await t.step(
    "a source that says no is not asked again; one that is not on the internet is not asked at all",
    async () => {
      const { outcomes: [gone, inside], asked } = await imported({
        gone: () => ({ status: 404 }),
        "http://192.168.0.1/a.mp3": () => audio(mp3(10)),
      });
      assert.deepEqual([gone.status, gone.code, asked("gone").length], ["failed", "HTTP_ERROR", 1]);
      assert.match(gone.error!, /404/);
      assert.deepEqual([inside.status, inside.code], ["failed", "BLOCKED_URL"]);
    },
  );

  await t.step(
    "a source that is broken for a while is asked again, and what came of it before is not kept",
    async () => {
      const file = mp3(50_000);
      const manner = audio(file), half = audio(file, { cut: 20_000 });
      const { outcomes, asked } = await imported({
        broken: inTurn({ status: 500 }, { status: 503 }, manner),
        short: inTurn(half, manner),
        reset: inTurn({ ...half, then: "reset" }, manner),
        stalled: inTurn({ ...half, then: "stall" }, manner),
        empty: inTurn(audio(new Uint8Array()), manner),
      });
      assert.deepEqual(outcomes.map(({ status }) => status), outcomes.map(() => "completed"));
      assert.deepEqual(outcomes.map(({ bytes }) => bytes), outcomes.map(() => 50_000));
      assert.deepEqual(outcomes.map(({ attempts }) => attempts), [3, 2, 2, 2, 2]);
      assert.equal(asked("broken").length, 3);
      assert.equal(await orphans(), 0);
    },
  );

  await t.step("a source that stays broken is given up after five retries, and the reason is told", async () => {
    const { outcomes: [one], asked, id } = await imported({
      broken: () => ({ status: 500 }),
      well: () => audio(mp3(1000)),
    });
    assert.deepEqual([one.status, one.code, asked("broken").length], ["failed", "RETRIES_EXHAUSTED", 6]);
    assert.match(one.error!, /status 500/);
    assert.equal(await statusOf(id), "partial");
    const [{ message }] = await sql`select message from pgmq.q_import_items_dlq order by msg_id desc limit 1`;
    assert.equal(message.attempts, 6);
  });

  await t.step("what is wrong with our database is not told where the podcast's admins read", async () => {
    await sql.unsafe(`create function tests_break() returns trigger language plpgsql as
      $$ begin raise exception 'could not write block 7 of internals'; end $$;
      create trigger tests_break before update on public.podcast_import_items for each row
        when (new.error_code = 'HTTP_ERROR') execute function tests_break()`);
    const { outcomes: [one] } = await imported({ gone: () => ({ status: 404 }) });
    await sql.unsafe("drop function tests_break() cascade");
    assert.deepEqual([one.status, one.code], ["failed", "RETRIES_EXHAUSTED"]);
    assert.equal(one.error, "The episode could not be imported");
  });

  await t.step("a source that says when to come back is not asked before", async () => {
    await sql`update private.queues set backoff_max = '15 minutes' where name = 'import_items'`;
    const { id, asked } = await importing({
      busy: inTurn({ status: 503, headers: { "retry-after": "600" } }, audio(mp3(1000))),
    });
    await waitFor("it was asked", () => asked("busy").length === 1);
    const wait = await waitFor("its message waits", async () => {
      const [{ seconds }] = await sql`
        select extract(epoch from max(q.vt) - now())::int as seconds from pgmq.q_import_items q
        where not exists (select from private.leases l where l.msg_id = q.msg_id)`;
      return seconds;
    });
    assert.ok(wait > 590 && wait <= 600, `${wait} s`);
    assert.equal(asked("busy").length, 1);
    const [item] = await sql`
      select status, error_message as error, extract(epoch from next_attempt_at - now())::int as seconds
      from public.podcast_import_items where import_id = ${id}`;
    assert.deepEqual([item.status, item.error], ["pending", "The server responded with status 503"]);
    assert.ok(item.seconds > 590 && item.seconds <= 600, `${item.seconds} s`);
    await sql`update private.queues set backoff_max = '1 second' where name = 'import_items'`;
    assert.equal((await ended(id))[0].status, "completed");
  });

  await t.step("an item that waits for its next attempt is skipped when its import is canceled", async () => {
    await sql`update private.queues set backoff_base = '5 minutes', backoff_max = '15 minutes' where name = 'import_items'`;
    const { id, asked } = await importing({ failing: inTurn({ status: 503 }, audio(mp3(1000))) });
    await waitFor("the item waits", async () =>
      (await sql`
        select from public.podcast_import_items where import_id = ${id} and status = 'pending' and next_attempt_at > now()`)
        .length === 1);
    assert.equal((await stack.post(`${id}/cancel`)).status, 200);
    assert.deepEqual(await stack.standing(id), { skipped_canceled: 1 });
    assert.equal((await sql`select from pgmq.q_import_items where message ->> 'import_id' = ${id}`).length, 0);
    await sql`update private.queues set backoff_base = '1 second', backoff_max = '1 second' where name = 'import_items'`;
    assert.equal((await stack.post(`${id}/resume`)).status, 200);
    await stack.hurry();
    assert.equal((await ended(id))[0].status, "completed");
    assert.equal(asked("failing").length, 2);
  });

  await t.step("what is too large by its own word is skipped before a byte of it is stored", async () => {
    const { outcomes: [one], asked } = await imported({ large: () => audio(mp3(524_288_001)) });
    assert.equal(one.status, "skipped_oversize");
    assert.match(one.error!, /larger than 524,288,000 bytes/);
    assert.equal(asked("large").length, 1);
    assert.equal(await orphans(), 0);
  });

  await t.step("a long file that broke off goes on where it was, when its source can", async () => {
    const file = mp3(20 * MB), manner = audio(file, { headers: { etag: '"one"' } });
    const { outcomes: [one], asked } = await imported({ long: inTurn({ ...manner, cut: 14 * MB }, manner) });
    assert.deepEqual([one.status, one.attempts, one.bytes], ["completed", 1, 20 * MB]);
    assert.deepEqual(asked("long").map(({ range, sent }) => [range, sent]), [
      [null, 14 * MB],
      [`bytes=${12 * MB}-`, 8 * MB],
    ]);
    assert.equal(Buffer.compare((await served(one.url)).bytes, all(file)), 0);
  });

  await t.step("a source that keeps its ranges to itself is asked for them, once", async () => {
    const file = mp3(20 * MB), manner = audio(file, { tacit: true, headers: { etag: '"one"' } });
    const rangeless = { ...manner, rangeless: true }, cut = 7 * MB;
    const { outcomes: [has, hasNone], asked } = await imported({
      has: inTurn({ ...manner, cut }, manner),
      none: inTurn({ ...rangeless, cut }, { ...rangeless, cut }, rangeless),
    });
    assert.deepEqual([has, hasNone].map(({ status, attempts }) => [status, attempts]), [["completed", 1], [
      "completed",
      2,
    ]]);
    assert.deepEqual(asked("has").map(({ range, sent }) => [range, sent]), [[null, cut], [
      `bytes=${6 * MB}-`,
      14 * MB,
    ]]);
    assert.deepEqual(asked("none").map(({ sent }) => sent), [cut, cut, 20 * MB]);
    assert.equal(Buffer.compare((await served(has.url)).bytes, all(file)), 0);
  });

  await t.step("a long file begins from zero when its source has no ranges, or has another file by now", async () => {
    const file = mp3(14 * MB), other = mp3(15 * MB, 5);
    const rangeless = audio(file, { rangeless: true, headers: { etag: '"one"' } });
    const first = audio(file, { headers: { etag: '"one"' } });
    const alike = mp3(14 * MB, 9);
    const { outcomes: [one, two, three], asked } = await imported({
      rangeless: inTurn({ ...rangeless, cut: 8 * MB }, rangeless),
      changed: inTurn({ ...first, cut: 8 * MB }, audio(other, { headers: { etag: '"two"' } })),
      careless: inTurn({ ...first, cut: 8 * MB }, audio(alike, { careless: true, headers: { etag: '"two"' } })),
    });
    assert.deepEqual([one, two, three].map(({ status }) => status), ["completed", "completed", "completed"]);
    assert.equal(asked("rangeless").at(-1)!.sent, 14 * MB);
    assert.equal(Buffer.compare((await served(one.url)).bytes, all(file)), 0);
    assert.equal(Buffer.compare((await served(two.url)).bytes, all(other)), 0);
    assert.equal(Buffer.compare((await served(three.url)).bytes, all(alike)), 0);
    assert.equal(await orphans(), 0);
  });

  await t.step("a part that is all of the file is not taken for the part", async () => {
    const file = mp3(20 * MB), manner = audio(file, { headers: { etag: '"one"' } });
    const cut = { ...manner, cut: 14 * MB }, muddled = { ...manner, muddled: true };
    const { outcomes: [said, unsaid], asked } = await imported({
      said: inTurn(cut, muddled, manner),
      unsaid: inTurn(cut, { ...muddled, unmeasured: true }, manner),
    });
    assert.deepEqual([said, unsaid].map(({ status, attempts }) => [status, attempts]), [["completed", 1], [
      "completed",
      2,
    ]]);
    for (const { url } of [said, unsaid]) assert.equal(Buffer.compare((await served(url)).bytes, all(file)), 0);
    assert.deepEqual(asked("said").map(({ range }) => range), [null, `bytes=${12 * MB}-`, null]);
    assert.equal(await orphans(), 0);
  });

  await t.step("a part that ends before the file does is not taken for the rest of it", async () => {
    const file = mp3(20 * MB), manner = audio(file, { headers: { etag: '"one"' } });
    const cut = { ...manner, cut: 14 * MB }, short = { ...manner, unmeasured: true, cut: 4 * MB };
    const { outcomes: [one], asked } = await imported({ short: inTurn(cut, short, manner) });
    assert.deepEqual([one.status, one.error, one.attempts, one.bytes], ["completed", null, 2, 20 * MB]);
    assert.deepEqual(asked("short").map(({ range }) => range), [null, `bytes=${12 * MB}-`, `bytes=${12 * MB}-`]);
    assert.equal(Buffer.compare((await served(one.url)).bytes, all(file)), 0);
  });

  await t.step("a long file that begins without its length goes on with it", async () => {
    const file = mp3(14 * MB), manner = audio(file, { headers: { etag: '"one"' } });
    const torn = { ...manner, chunked: true, cut: 8 * MB };
    const { outcomes: [one], asked } = await imported({ begun: inTurn(torn, manner) });
    assert.deepEqual([one.status, one.error, one.attempts, one.bytes], ["completed", null, 1, 14 * MB]);
    assert.equal(asked("begun").at(-1)!.range, `bytes=${6 * MB}-`);
    assert.equal(Buffer.compare((await served(one.url)).bytes, all(file)), 0);
  });

  await t.step(
    "a long file that breaks off as often as it is asked for, and is another each time, is given up",
    async () => {
      const one = audio(mp3(20 * MB), { cut: 7 * MB, headers: { etag: '"one"' } });
      const two = { ...one, headers: { ...one.headers, etag: '"two"' } };
      const { outcomes: [lost], asked } = await imported({ torn: ({ before }) => (before + 1) % 4 < 2 ? one : two });
      assert.deepEqual([lost.status, lost.code], ["failed", "RETRIES_EXHAUSTED"]);
      assert.equal(asked("torn").length, 9); // twice further than before, each with attempts of its own
    },
  );

  await t.step("a long file whose length nobody says comes whole", async () => {
    const file = mp3(13 * MB);
    const { outcomes: [one] } = await imported({ unmeasured: () => audio(file, { unmeasured: true }) });
    assert.deepEqual([one.status, one.bytes], ["completed", 13 * MB]);
    assert.equal(Buffer.compare((await served(one.url)).bytes, all(file)), 0);
  });

  await t.step("the parts of a long file outlive the worker, which another one takes up", async () => {
    const file = mp3(20 * MB), manner = audio(file, { headers: { etag: '"one"' } });
    const { id, asked } = await importing({ long: inTurn({ ...manner, cut: 14 * MB, then: "stall" }, manner) });
    const saved = await waitFor("two parts are saved", async () => {
      const [row] = await sql`
        select upload_url, received::int, total::int, source_etag from private.import_transfers t
        join public.podcast_import_items i on i.id = t.import_item_id where i.import_id = ${id} and t.received = ${
        12 * MB
      }`;
      return row;
    });
    assert.match(saved.upload_url, /\/storage\/v1\/upload\/resumable\/./);
    assert.deepEqual([saved.total, saved.source_etag], [20 * MB, '"one"']);
    await worker.kill();
    await stack.bury();
    worker = await startWorker(stack.at);
    const [one] = await ended(id);
    assert.equal(one.status, "completed");
    assert.deepEqual(asked("long").at(-1), { path: asked("long")[0].path, range: `bytes=${12 * MB}-`, sent: 8 * MB });
    assert.equal(Buffer.compare((await served(one.url)).bytes, all(file)), 0);
    const left = await sql`
      select from private.import_transfers t join public.podcast_import_items i on i.id = t.import_item_id where i.import_id = ${id}`;
    assert.equal(left.length, 0);
  });

  await t.step("an episode's own picture becomes its cover, and a useless one is left out and told", async () => {
    const cover = png({ width: 1400, height: 1400, bytes: 50_000 }),
      small = png({ width: 300, height: 300, bytes: 5000 });
    manners.set("/cover.png", inTurn({ status: 503 }, { body: cover, headers: { "content-type": "image/png" } }));
    manners.set("/small.png", () => ({ body: small }));
    const image = (path: string) => `<itunes:image href="${source.url}${path}"/>`;
    const file = () => audio(mp3(1000));
    const { outcomes: [good, bad, none] } = await imported({ good: file, bad: file, none: file }, {
      good: image("cover.png"),
      bad: image("small.png"),
      none: image("none.png"),
    });
    assert.deepEqual([good, bad, none].map(({ status }) => status), ["completed", "completed", "completed"]);
    assert.equal(Buffer.compare((await served(good.cover)).bytes, Buffer.from(cover)), 0);
    assert.deepEqual([bad, none].map(({ cover, warnings }) => [cover, warnings.map(({ code }) => code)]), [
      [null, ["INVALID_IMAGE"]],
      [null, ["INVALID_IMAGE"]],
    ]);
    assert.deepEqual(good.warnings, []);
  });

  await t.step("what the account cannot take fails, before it is all there, and leaves nothing", async () => {
    const used = async (bytes: string) =>
      await sql`update public.billing_accounts set storage_bytes_used = private.storage_allowance_bytes(user_id) - ${bytes}::bigint where user_id = ${stack.ownerId}`;
    const [{ before }] =
      await sql`select storage_bytes_used as before from public.billing_accounts where user_id = ${stack.ownerId}`;
    await used(`${10 * MB}`);
    const { outcomes: [said, unsaid, fits], asked } = await imported({
      said: () => audio(mp3(30 * MB)),
      unsaid: () => audio(mp3(30 * MB), { unmeasured: true }),
      fits: () => audio(mp3(MB)),
    });
    assert.deepEqual([said.status, said.code], ["failed", "STORAGE_ALLOWANCE_EXCEEDED"]);
    assert.deepEqual([unsaid.status, unsaid.code], ["failed", "STORAGE_ALLOWANCE_EXCEEDED"]);
    assert.equal(fits.status, "completed");
    assert.ok(asked("unsaid")[0].sent < 30 * MB, "all of it was fetched");
    await used(`${7 * MB}`); // each alone would fit
    const pair = await imported({ one: () => audio(mp3(4 * MB)), two: () => audio(mp3(4 * MB)) });
    assert.deepEqual(pair.outcomes.map(({ status, code }) => code ?? status).sort(), [
      "STORAGE_ALLOWANCE_EXCEEDED",
      "completed",
    ]);
    await sql`update public.billing_accounts set storage_bytes_used = ${before}::bigint + ${
      5 * MB
    } where user_id = ${stack.ownerId}`;
    assert.equal(await orphans(), 0);
  });

  await t.step("four come at once, however many workers there are", async () => {
    await using _second = await startWorker(stack.at), _third = await startWorker(stack.at);
    source.most = 0;
    const slow = audio(mp3(1000), { cut: 500, then: "stall" });
    const held = Array.from({ length: 9 }, (_, n) => [`held-${n}`, () => slow]);
    const { id, asked } = await importing(Object.fromEntries(held));
    const running = () => held.filter(([name]) => asked(name as string).length > 0).length;
    await waitFor("four are asked for", () => running() === 4);
    for (let look = 0; look < 5; look++) {
      await stack.hurry();
      await new Promise((resolve) => setTimeout(resolve, 500)); // three workers look for more each second
    }
    assert.deepEqual([running(), source.most], [4, 4]);
    await stack.post(`${id}/cancel`);
    for (const path of manners.keys()) if (path.includes("held-")) manners.set(path, () => audio(mp3(1000)));
    source.release();
    const outcomes = await ended(id);
    // the four in transfer lost their source, and a canceled import retries nothing
    assert.deepEqual(outcomes.map(({ status }) => status), outcomes.map(() => "skipped_canceled"));
  });
});

/** All of a file. */
function all(file: ReturnType<typeof mp3>): Buffer {
  const pieces = [];
  for (let at = 0; at < file.size;) {
    const piece = file.from(at);
    pieces.push(piece);
    at += piece.length;
  }
  return Buffer.concat(pieces);
}

Deno.test({
  name: "the executor's stack stops",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await worker.kill();
    await stack[Symbol.asyncDispose]();
    await source[Symbol.asyncDispose]();
  },
});
