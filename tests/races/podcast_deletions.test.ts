// Deletions of podcasts beside cancellations, each other, uploads, and workers that hold messages of the podcast.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { byScale } from "../scale.ts";
import { assertBlocks, createRaceDatabase, outcome, type RaceDatabase } from "./race_database.ts";

const DUE = "91 days";

/** A podcast pending deletion, with episodes that have audio, and messages. Returns its id. */
async function makePending({ sql, id }: RaceDatabase, name: string): Promise<string> {
  await sql`select tests.podcast(${name}, 'ola'), tests.published_episode(${`${name}/pilot`}, ${name}), tests.episode(${`${name}/draft`}, ${name})`;
  await sql`select tests.upload_audio(${`${name}/draft`}, 500), tests.set_status(${name}, 'pending_deletion')`;
  return await id(name);
}

/** 'deleted', 'kept', or the SQLSTATE of the error. */
async function deleteDue({ sql }: RaceDatabase, podcastId: string): Promise<string> {
  let isDeleted = false;
  const ended = await outcome(
    sql`select private.delete_due_podcast(${podcastId}, now() + ${DUE}::interval) as is_deleted`
      .then(([row]) => isDeleted = row.is_deleted),
  );
  return ended !== "ok" ? ended : isDeleted ? "deleted" : "kept";
}

/** What is left of a podcast: all of it, or its tombstone and the messages that delete its objects. */
async function remains({ sql }: RaceDatabase, podcastId: string): Promise<string> {
  const [left] = await sql`
    select (select count(*)::int from public.podcasts where id = ${podcastId}) as podcasts,
      (select count(*)::int from public.episodes where podcast_id = ${podcastId}) as episodes,
      (select count(*)::int from private.media_objects where podcast_id = ${podcastId} and released_at is null) as objects,
      (select count(*)::int from private.podcast_tombstones where podcast_id = ${podcastId}) as tombstones,
      (select count(*)::int from pgmq.q_feed_invalidation where message ->> 'podcast_id' = ${podcastId}) as messages,
      (select count(distinct path)::int from pgmq.q_storage_gc, jsonb_array_elements_text(message -> 'paths') path
        where path like 'podcasts/' || ${podcastId} || '/%') as removals`;
  const { messages, ...counts } = left;
  const text = JSON.stringify(counts);
  if (text === '{"podcasts":1,"episodes":2,"objects":2,"tombstones":0,"removals":0}' && messages > 0) return "whole";
  if (text === '{"podcasts":0,"episodes":0,"objects":0,"tombstones":1,"removals":2}' && messages === 0) {
    return "deleted";
  }
  return JSON.stringify(left);
}

const drift = async ({ sql }: RaceDatabase) =>
  (await sql`
    select a.user_id from public.billing_accounts a
    where a.storage_bytes_used <> coalesce((
      select sum(m.bytes) from private.media_objects m where m.account_id = a.user_id and m.released_at is null), 0)`)
    .length;

Deno.test("a cancellation and a due deletion of one podcast: the first commit wins", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as } = there;
  await sql`select tests.person('ola')`;

  for (const first of ["cancellation", "deletion"]) {
    await t.step(`the ${first} that takes the lock first wins`, async () => {
      const podcastId = await makePending(there, `first ${first}`);
      const cancel = () => as("ola", "cancel_deletion", { podcastId }), remove = () => deleteDue(there, podcastId);
      const order = first === "cancellation" ? [cancel, remove] : [remove, cancel], ended: Promise<string>[] = [];
      await sql.begin(async (tx) => { // both wait for the podcast, in this order
        await tx`select from public.podcasts where id = ${podcastId} for update`;
        for (const [n, call] of order.entries()) await assertBlocks(there, ended[n] = call(), n);
      });
      deepEqual(await Promise.all(ended), first === "cancellation" ? ["ok", "kept"] : ["deleted", "PT404"]);
      equal(await remains(there, podcastId), first === "cancellation" ? "whole" : "deleted");
    });
  }

  await t.step("at random, every podcast is whole and active, or deleted", async () => {
    const counts: Record<string, number> = {};
    for (let round = 0; round < byScale(10, 200); round++) {
      const podcastId = await makePending(there, `round ${round}`);
      const calls = [() => as("ola", "cancel_deletion", { podcastId }), () => deleteDue(there, podcastId)];
      const [canceled, deleted] = await Promise.all(calls.map((call) => call()));
      const ended = `${canceled} ${deleted}`;
      counts[ended] = (counts[ended] ?? 0) + 1;
      equal(await remains(there, podcastId), deleted === "deleted" ? "deleted" : "whole", ended);
    }
    console.log(`cancellation and deletion: ${JSON.stringify(counts)}`);
    deepEqual(Object.keys(counts).filter((ended) => !["ok kept", "PT404 deleted"].includes(ended)), []);
    equal(await drift(there), 0);
  });
});

Deno.test("several due deletions of one podcast at once delete it once", async () => {
  await using there = await createRaceDatabase();
  await there.sql`select tests.person('ola')`;
  for (let round = 0; round < byScale(5, 50); round++) {
    const podcastId = await makePending(there, `round ${round}`);
    const ended = await Promise.all(Array.from({ length: 4 }, () => deleteDue(there, podcastId)));
    deepEqual(ended.sort(), ["deleted", "kept", "kept", "kept"]);
    equal(await remains(there, podcastId), "deleted");
  }
  equal(await drift(there), 0);
});

Deno.test("two runs of enqueue_due_deletions at once enqueue each podcast once", async () => {
  await using there = await createRaceDatabase();
  const { sql } = there;
  await sql`select tests.person('ola')`;
  await makePending(there, "first");
  await makePending(there, "second");
  let second: Promise<number> | undefined;
  await sql.begin(async (tx) => {
    const [{ enqueued }] = await tx`select private.enqueue_due_deletions(now() + ${DUE}::interval) as enqueued`;
    equal(enqueued, 2);
    second = sql`select private.enqueue_due_deletions(now() + ${DUE}::interval) as enqueued`
      .then(([row]) => row.enqueued);
    await assertBlocks(there, second.then(String));
  });
  equal(await second, 0);
  equal((await sql`select from pgmq.q_podcast_deletions`).length, 2);
});

Deno.test("an upload that finishes beside a deletion is rejected and leaves no row", async () => {
  await using there = await createRaceDatabase();
  const { sql, id } = there;
  await sql`select tests.person('ola')`;
  for (const first of ["upload", "deletion"]) {
    const podcastId = await makePending(there, first);
    const [{ path }] = await sql`select tests.store_audio_object(${`${first}/draft`}, 700) as path`;
    const [ola, draft] = await Promise.all([id("ola"), id(`${first}/draft`)]);
    const upload = () =>
      outcome(
        sql`select private.finish_audio_upload(${ola}, ${podcastId}, ${draft}, ${path}, 700, 'audio/mpeg', 1, null)`,
      );
    const remove = () => deleteDue(there, podcastId);
    const order = first === "upload" ? [upload, remove] : [remove, upload], ended: Promise<string>[] = [];
    await sql.begin(async (tx) => {
      await tx`select from public.podcasts where id = ${podcastId} for update`;
      for (const [n, call] of order.entries()) await assertBlocks(there, ended[n] = call(), n);
    });
    deepEqual(await Promise.all(ended), first === "upload" ? ["PT409", "deleted"] : ["deleted", "PT404"]);
    const [{ count }] = await sql`select count(*)::int from private.media_objects where path = ${path}`;
    equal(count, 0);
  }
  equal(await drift(there), 0);
});

Deno.test("a deletion locks the messages of a podcast in the order in which a worker acknowledges them", async () => {
  await using there = await createRaceDatabase();
  const { sql } = there;
  await sql`select tests.person('ola')`;
  const podcast_id = await makePending(there, "one");
  const jobs = await sql<{ msg_id: string }[]>`
    select msg_id from private.claim_jobs('feed_invalidation', 100, 60) order by msg_id`;
  const [first, second] = jobs.map(({ msg_id }) => msg_id);
  await sql`update pgmq.q_feed_invalidation set vt = vt where msg_id = ${first}`; // is now stored behind the others
  let deletion: Promise<string> | undefined;
  await sql.begin(async (tx) => {
    await tx`select from private.lock_job('feed_invalidation', ${first})`;
    deletion = outcome(sql`select private.delete_jobs(${sql.json({ podcast_id })})`);
    await assertBlocks(there, deletion);
    await tx`select private.acknowledge_jobs('feed_invalidation', array[${second}]::bigint[])`;
  });
  equal(await deletion, "ok");
});

Deno.test("a worker that holds messages of a deleted podcast loses them without an error", async () => {
  await using there = await createRaceDatabase();
  const { sql } = there;
  await sql`select tests.person('ola')`;
  for (let round = 0; round < byScale(5, 50); round++) {
    const podcastId = await makePending(there, `round ${round}`);
    const jobs = await sql<{ msg_id: string; attempt: number }[]>`
      select msg_id, attempt from private.claim_jobs('feed_invalidation', 100, 60)`;
    ok(jobs.length > 1);
    const [first, ...rest] = jobs;
    const ended = await Promise.all([
      deleteDue(there, podcastId),
      outcome(sql`select private.fail_job('feed_invalidation', ${first.msg_id}, 'x', _attempt => ${first.attempt})`),
      outcome(
        sql`select private.acknowledge_jobs('feed_invalidation', ${rest.map((job) => job.msg_id)}::bigint[], ${
          rest.map((job) => job.attempt)
        }::int[])`,
      ),
      outcome(
        sql`select private.extend_job_visibility('feed_invalidation', ${rest[0].msg_id}, 60, ${rest[0].attempt})`,
      ),
    ]);
    deepEqual(ended, ["deleted", "ok", "ok", "ok"]);
    equal(await remains(there, podcastId), "deleted");
  }
});
