// Images, moves and completions whose database connection is lost: referenced objects stay, others are deleted, and a
// repeated request succeeds.
import assert from "node:assert/strict";
import {
  type ApiResponse,
  assertError,
  episode,
  person,
  type Podcast,
  podcast,
  type RequestOptions,
  sql,
  waitFor,
} from "../http/harness.ts";
import { MOVE } from "../http/api/artwork.ts";
import { audioOf } from "../http/api/audio.ts";
import { filled, path as direct } from "../http/api/direct_upload.ts";
import { transcriptsOf, upload as uploadTranscript, uploaded as uploadedTranscript } from "../http/api/transcripts.ts";
import { named, objects, publicUrl, upload, uploaded } from "../http/api/images.ts";
import { importArtwork, isStored } from "./storage_objects.ts";
import { requestTo, startFaultyFunctions } from "./faulty_functions.ts";

const owner = await person("cut-pictures"), as = { token: owner.token };

interface Case {
  /** The database function that finishes the request. */
  finish: string;
  request: RequestOptions;
  /** The path of the object that the column or row references. */
  now(): Promise<string | undefined>;
  /** The object that waits to be moved or completed. */
  source?: string;
}

const bare = (url: string | null) => url?.split("?")[0].replace(publicUrl(""), "");

/**
 * Each kind of finish, on a podcast that already has the image or audio. The same finish is not twice in sequence: on the
 * connection of the first, its statement would be prepared, and a proxy would not see it. The transcript is last, because
 * the queue deletes the replaced one later.
 */
async function cases(show: Podcast): Promise<Case[]> {
  const pilot = await episode(show);
  await uploaded(show, pilot);
  await uploaded(show, "header");
  await uploadedTranscript(show, pilot, { as });
  const source = await importArtwork(owner);
  const { uploadId, uploadPath } = await filled(show, pilot);
  return [
    {
      finish: "finish_image_upload",
      request: upload(show, pilot, { format: "jpeg", as }),
      now: async () => bare(await named(show, pilot)),
    },
    {
      finish: "finish_artwork_move",
      request: { method: "POST", path: MOVE, as, json: { sourcePath: source, podcastId: show.id, imageType: "cover" } },
      now: async () => bare(await named(show, "cover")),
      source,
    },
    {
      finish: "finish_audio_upload",
      request: { method: "POST", path: `${direct}/complete`, as, json: { uploadId } },
      now: async () => bare((await audioOf(pilot)).url),
      source: uploadPath,
    },
    {
      finish: "finish_image_upload",
      request: upload(show, "header", { format: "webp", as }),
      now: async () => bare(await named(show, "header")),
    },
    {
      finish: "finish_transcript_upload",
      request: uploadTranscript(show, pilot, { as }),
      now: async () => bare((await transcriptsOf(pilot))[0].url),
    },
  ];
}

Deno.test("a connection lost before the write changes nothing, and a repeated request succeeds", async () => {
  const show = await podcast("Cut before", "cut-pictures");
  await using functions = await startFaultyFunctions();
  for (const { finish, request, now, source } of await cases(show)) {
    const before = [await now(), await objects(show)];
    let cuts = 0;
    functions.database.cuts = (sent) => sent.includes(finish) && ++cuts === 1;
    assertError(await requestTo(functions, request), 503);
    assert.equal(cuts, 1);
    assert.deepEqual([await now(), await objects(show)], before);
    if (source) assert.ok(await isStored(source));

    const { status, body, text } = await requestTo(functions, request);
    assert.equal(status, 200, text);
    assert.deepEqual([await now(), await isStored(body.path)], [body.path, true]);
    if (source) assert.equal(await isStored(source), false);
  }
});

Deno.test("a connection lost during the write removes no object that a column references, regardless of the response", async () => {
  const show = await podcast("Cut within", "cut-pictures");
  /** Statements of these functions, past or present connections, that wait for a lock. */
  const waiting = async (what: string) => {
    const rows = await sql<{ port: number }[]>`
      select client_port as port from pg_stat_activity
      where wait_event_type = 'Lock' and application_name = 'functions' and query like ${`%${what}%`}`;
    return rows.map(({ port }) => port);
  };
  await using functions = await startFaultyFunctions();
  for (const { finish, request, now, source } of await cases(show)) {
    const before = await now();
    let response!: Promise<ApiResponse>;
    await sql.begin(async (t) => {
      await t`select from public.billing_accounts where user_id = ${owner.id} for update`;
      response = requestTo(functions, request);
      await waitFor("the write waits for the account", async () => {
        const [port] = await waiting(finish);
        return functions.database.ports().includes(port);
      });
      functions.database.cut();
      await waitFor("the removal waits for the write", async () => {
        const [port] = await waiting("begin_object_removal");
        return functions.database.ports().includes(port);
      });
    });
    const { status, text } = await response;
    const after = await now();
    assert.notEqual(after, before, "the column was written");
    assert.ok(await isStored(after!), "the object is stored");
    // the database shows afterwards that a move or a completion succeeded, but not that an upload did
    assert.equal(status, source ? 200 : 503, text);
    if (source) await waitFor("the source is deleted", async () => !await isStored(source));
    assert.equal((await fetch(publicUrl(after!), { method: "HEAD" })).status, 200);
  }
});

Deno.test("a request whose write is canceled returns 503, changes nothing and can be repeated", async () => {
  const show = await podcast("Canceled", "cut-pictures");
  await using functions = await startFaultyFunctions();
  for (const { finish, request, now, source } of await cases(show)) {
    const before = [await now(), await objects(show)];
    let response!: Promise<ApiResponse>;
    await sql.begin(async (t) => {
      await t`select from public.billing_accounts where user_id = ${owner.id} for update`;
      response = requestTo(functions, request);
      // as the statement timeout does after eight seconds
      await waitFor("the write is canceled", async () => {
        const canceled = await sql`
          select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and query like ${`%${finish}%`}
            and client_port = any (${functions.database.ports()}::int[])`;
        return canceled.length === 1;
      });
      assertError(await response, 503, { error: "The database timed out" });
    });
    assert.deepEqual([await now(), await objects(show)], before);
    const { status, body, text } = await requestTo(functions, request);
    assert.equal(status, 200, text);
    assert.equal(await now(), body.path);
    if (source) assert.equal(await isStored(source), false);
  }
});
