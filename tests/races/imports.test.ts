// Imports under concurrent starts, confirmations, cancels, retries, workers and deletions: exact counters, no duplicates.
import type { Operation } from "../../functions/database/operations.ts";
import { deepEqual, equal, ok } from "node:assert/strict";
import { byScale } from "../scale.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

/** Imports whose counters or status contradict their items. */
const WRONG_IMPORTS = `
  select i.id, i.status, i.total_items, i.completed_count, i.failed_count, i.skipped_count
  from public.podcast_imports i left join lateral (
    select count(*) as total, count(*) filter (where t.status = 'completed') as completed,
      count(*) filter (where t.status = 'failed') as failed, count(*) filter (where t.status::text like 'skipped%') as skipped
    from public.podcast_import_items t where t.import_id = i.id) r on true
  where (i.total_items, i.completed_count, i.failed_count, i.skipped_count) <> (r.total, r.completed, r.failed, r.skipped)
    or i.status = 'running' and r.total = r.completed + r.failed + r.skipped
    or i.status in ('completed', 'partial', 'failed') and (r.total > r.completed + r.failed + r.skipped or i.status::text <>
      case when r.failed = 0 then 'completed' when r.completed = 0 then 'failed' else 'partial' end)`;

Deno.test("concurrent import calls", async (t) => {
  await using there = await createRaceDatabase(24);
  const { sql, as, id } = there;
  await sql`select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin')`;

  const statusOf = async (name: string) =>
    (await sql`select status from public.podcast_imports where id = ${await id(name)}`)[0].status;
  const assertExact = async () => deepEqual([...await sql.unsafe(WRONG_IMPORTS)], []);

  /** Creates an import in preview with items `0`, `1`, …. */
  async function fresh(items: number, podcast = "show"): Promise<{ importId: string; items: string[] }> {
    await sql`delete from public.podcast_imports`;
    await sql`delete from public.episodes`;
    await sql`select pgmq.purge_queue('import_items'), pgmq.purge_queue('import_items_dlq')`;
    await sql`delete from private.leases`;
    await sql`select tests.import('it', ${podcast})`;
    await sql`
      insert into public.podcast_import_items (import_id, podcast_id, position, guid, parsed_payload)
      select tests.id('it'), tests.id(${podcast}), n, n::text, '{"persons": [{"name": "Jane", "role": "guest"}]}'
      from generate_series(0, ${items - 1}::int) n`;
    const rows = await sql`select id from public.podcast_import_items order by position`;
    return { importId: await id("it"), items: rows.map((row) => row.id) };
  }
  const verb = (operation: Operation, args: Record<string, unknown>) => as("ana", operation, args);
  const confirm = (importId: string) => verb("confirm_import", { importId });
  const cancel = (importId: string) => verb("cancel_import", { importId });

  /** Finishes an item as the worker does after it has stored the audio. */
  async function stored(item: string): Promise<string> {
    const [{ path }] = await sql`
      insert into storage.objects (bucket_id, name, metadata)
      select 'media', private.audio_path(i.podcast_id, i.id, gen_random_uuid(), 'audio/mpeg'), '{"size": 100}'
      from public.podcast_import_items i where i.id = ${item} returning name as path`;
    return path;
  }
  /** Begins an item as the worker does. */
  const begin = async (item: string): Promise<string | null> => {
    try {
      return (await sql`select private.begin_import_item(${item}, 1) ->> 'skip' as skip`)[0].skip;
    } catch (error) {
      if ((error as { code: string }).code !== "40001") throw error;
      return await begin(item);
    }
  };
  const finish = (item: string, path: string) =>
    outcome(sql`select private.finish_import_item(${item}, ${path}, 100, 'audio/mpeg', 60)`);
  async function done(item: string): Promise<string> {
    const path = await stored(item);
    await begin(item);
    return await finish(item, path);
  }

  await t.step("concurrent starts: one gets the import slot, the others 409", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      await sql`delete from public.podcast_imports`;
      const podcastId = await id("show");
      const ended = await runConcurrently(
        12,
        () => verb("start_import", { podcastId, feedUrl: "https://feeds.example/a.xml" }),
      );
      deepEqual(ended, { ok: 1, PT409: 11 });
      equal((await sql`select from public.podcast_imports`).length, 1);
    }
  });

  await t.step("concurrent confirmations: one is accepted, and each item gets one message", async () => {
    const { importId } = await fresh(30);
    deepEqual(await runConcurrently(8, () => confirm(importId)), { ok: 1, PT400: 7 });
    equal((await sql`select from pgmq.q_import_items`).length, 30);
    await assertExact();
  });

  await t.step("a confirmation during a cancel leaves no message, in either order", async () => {
    for (let round = 0; round < byScale(10, 100); round++) {
      const { importId } = await fresh(10);
      const [confirmed, canceled] = await Promise.all(
        round % 2 ? [confirm(importId), cancel(importId)] : [cancel(importId), confirm(importId)].reverse(),
      );
      equal(canceled, "ok");
      ok(confirmed === "ok" || confirmed === "PT400", confirmed);
      equal(await statusOf("it"), "canceled");
      equal((await sql`select from pgmq.q_import_items`).length, 0);
      const [{ skipped }] = await sql`
        select count(*)::int as skipped from public.podcast_import_items where status = 'skipped_canceled'`;
      equal(skipped, confirmed === "ok" ? 10 : 0);
      await assertExact();
    }
  });

  await t.step("concurrently finished items are all counted, and the last one finishes the import", async () => {
    for (let round = 0; round < byScale(3, 20); round++) {
      const { importId, items } = await fresh(24);
      equal(await confirm(importId), "ok");
      await sql`update public.podcast_import_items set status = 'processing' where import_id = ${importId}`;
      const ends = items.map((item, i) => async () => {
        if (i % 6 === 4) return await outcome(sql`select private.fail_import_item(${item}, 'no')`);
        if (i % 6 === 5) return await outcome(sql`select private.skip_import_item(${item}, error_message => 'big')`);
        return await done(item);
      });
      deepEqual(await runConcurrently(24, (i) => ends[i]()), { ok: 24 });
      const [row] = await sql`
        select status, completed_count, failed_count, skipped_count from public.podcast_imports where id = ${importId}`;
      deepEqual({ ...row }, { status: "partial", completed_count: 16, failed_count: 4, skipped_count: 4 });
      equal((await sql`select from public.episodes`).length, 16);
      equal((await sql`select from private.media_objects where released_at is null`).length, 16);
      await assertExact();
    }
  });

  await t.step("an item begins while another worker creates an episode of the same import", async () => {
    const { importId, items: [finishing, waiting] } = await fresh(2);
    equal(await confirm(importId), "ok");
    const worker = await sql.reserve();
    await worker`begin`;
    await worker`select private.lock_import_item(${finishing})`;
    const begun = outcome(sql`select private.begin_import_item(${waiting}, 1)`);
    await assertBlocks(there, begun);
    const [{ status }] = await sql`select status from public.podcast_import_items where id = ${waiting}`;
    await worker`rollback`;
    worker.release();
    equal(status, "processing");
    equal(await begun, "ok");
  });

  await t.step("an item whose import is canceled while it begins is skipped by the next try", async () => {
    const { importId, items: [item] } = await fresh(2);
    equal(await confirm(importId), "ok");
    const writer = await sql.reserve();
    await writer`begin`;
    await writer`select private.lock_import_item(${item})`;
    const begun = outcome(sql`select private.begin_import_item(${item}, 1)`);
    await assertBlocks(there, begun);
    // cancel_import would also close the item
    await writer`update public.podcast_imports set status = 'canceled' where id = ${importId}`;
    await writer`commit`;
    writer.release();
    equal(await begun, "40001");
    equal(await begin(item), "skipped_canceled");
    await assertExact();
  });

  await t.step("an item that becomes a duplicate while it begins is skipped when it finishes", async () => {
    const { importId, items: [item] } = await fresh(2);
    equal(await confirm(importId), "ok");
    equal(await begin(item), null);
    await sql`insert into public.episodes (podcast_id, guid, title) select podcast_id, guid, 'First'
      from public.podcast_import_items where id = ${item}`;
    equal(await finish(item, await stored(item)), "ok");
    deepEqual([...await sql`select status from public.podcast_import_items where id = ${item}`], [
      { status: "skipped_duplicate" },
    ]);
    await assertExact();
  });

  await t.step("workers that finish the same item create one episode, with the audio of one of them", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      const { importId, items: [item] } = await fresh(2);
      equal(await confirm(importId), "ok");
      await begin(item);
      const paths = await Promise.all(Array.from({ length: 6 }, () => stored(item)));
      deepEqual(await runConcurrently(6, (i) => finish(item, paths[i])), { ok: 6 });
      const objects = await sql`select path from private.media_objects where released_at is null`;
      equal(objects.length, 1);
      ok(paths.includes(objects[0].path));
      equal((await sql`select from public.episodes`).length, 1);
      equal((await sql`select from public.episode_credits`).length, 1);
      await assertExact();
    }
  });

  await t.step(
    "an item that finishes during a cancel becomes an episode, and waiting items are skipped",
    async () => {
      for (let round = 0; round < byScale(10, 100); round++) {
        const { importId, items } = await fresh(6);
        equal(await confirm(importId), "ok");
        const path = await stored(items[0]);
        equal(await begin(items[0]), null);
        const [, finished, ...begun] = await Promise.all([
          cancel(importId),
          finish(items[0], path),
          ...items.slice(1).map(begin),
        ]);
        equal(finished, "ok");
        equal(await statusOf("it"), "canceled");
        const skipped = begun.filter((skip) => skip === "skipped_canceled").length;
        const rows = await sql`select status, count(*)::int as n from public.podcast_import_items group by 1`;
        const counts = Object.fromEntries(rows.map(({ status, n }) => [status, n]));
        equal(counts.completed, 1);
        equal(counts.skipped_canceled ?? 0, skipped);
        equal(counts.processing ?? 0, 5 - skipped);
        await assertExact();
      }
    },
  );

  await t.step("an item whose attempt fails during a cancel is not retried", async () => {
    for (let round = 0; round < byScale(10, 100); round++) {
      const { importId } = await fresh(4);
      equal(await confirm(importId), "ok");
      await sql`update pgmq.q_import_items set vt = clock_timestamp()`;
      const claimed = await sql`select msg_id, attempt, message from private.claim_jobs('import_items', 2, 60)`;
      for (const { message, attempt, msg_id } of claimed) {
        await sql`select private.begin_import_item(${message.import_item_id}, ${attempt}, ${msg_id})`;
      }
      const fails = claimed.map(({ msg_id }) =>
        outcome(sql`select private.fail_job('import_items', ${msg_id}, 'status 503')`)
      );
      deepEqual(await Promise.all([cancel(importId), ...fails]), ["ok", "ok", "ok"]);
      const rows = await sql`select distinct status, next_attempt_at from public.podcast_import_items`;
      deepEqual(rows.map((row) => ({ ...row })), [{ status: "skipped_canceled", next_attempt_at: null }]);
      await assertExact();
    }
  });

  await t.step("a retry during the finish of a slow worker creates one episode and loses no item", async () => {
    for (let round = 0; round < byScale(10, 100); round++) {
      const { importId, items: [item, other] } = await fresh(2);
      equal(await confirm(importId), "ok");
      equal(await done(other), "ok");
      const path = await stored(item);
      await begin(item);
      await sql`select private.fail_import_item(${item}, 'its worker was thought to be dead')`;
      equal(await statusOf("it"), "partial");
      await Promise.all([
        round % 2
          ? verb("retry_failed_import_items", { importId })
          : verb("retry_import_item", { importId, itemId: item }),
        finish(item, path),
      ]);
      const [{ status }] = await sql`select status from public.podcast_import_items where id = ${item}`;
      ok(status === "pending" || status === "completed", status);
      await assertExact();
      if (status === "pending") equal(await done(item), "ok");
      equal(await statusOf("it"), "completed");
      equal((await sql`select from public.episodes`).length, 2);
      await assertExact();
    }
  });

  await t.step("concurrent retries of either kind: one is accepted", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      const { importId, items: [item] } = await fresh(1);
      await confirm(importId);
      await sql`select private.fail_import_item(${item}, 'no')`;
      await sql`select pgmq.purge_queue('import_items')`;
      const ended = await runConcurrently(
        8,
        (i) =>
          i % 2
            ? verb("retry_failed_import_items", { importId })
            : verb("retry_import_item", { importId, itemId: item }),
      );
      deepEqual(ended, { ok: 1, PT409: 7 });
      equal((await sql`select from pgmq.q_import_items`).length, 1);
      await assertExact();
    }
  });

  await t.step("concurrent resumes and starts: one import gets the slot", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      const { importId } = await fresh(3);
      await confirm(importId);
      await cancel(importId);
      await sql`select tests.import('other', 'show', 'canceled')`;
      const otherId = await id("other"), podcastId = await id("show");
      const ended = await runConcurrently(9, (i) =>
        [
          () => verb("resume_import", { importId }),
          () => verb("resume_import", { importId: otherId }),
          () => verb("start_import", { podcastId, feedUrl: "https://feeds.example/a.xml" }),
        ][i % 3]());
      deepEqual(ended, { ok: 1, PT409: 8 });
      await assertExact();
    }
  });

  await t.step("at most four workers have an import item at once", async () => {
    const { importId } = await fresh(60);
    await confirm(importId);
    await sql`update pgmq.q_import_items set vt = clock_timestamp()`;
    let maxHeld = 0, done = 0;
    const until = Date.now() + 60_000;
    const worker = async () => {
      while (done < 60 && Date.now() < until) {
        const [claimed] = await sql`select msg_id from private.claim_jobs('import_items', 1, 60)`;
        if (!claimed) continue;
        const [{ held }] =
          await sql`select count(*)::int as held from private.leases where expires_at > clock_timestamp()`;
        maxHeld = Math.max(maxHeld, held);
        await sql`select private.acknowledge_jobs('import_items', ${[claimed.msg_id]}::bigint[])`;
        done++;
      }
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    equal(done, 60);
    equal(maxHeld, 4);
    equal((await sql`select from private.leases`).length, 0);
  });

  await t.step("extending a message while it is acknowledged causes no deadlock", async () => {
    await fresh(1);
    for (let round = 0; round < byScale(100, 1000); round++) {
      await sql`select private.enqueue('import_items', '{}')`;
      const [{ msg_id: message, attempt }] =
        await sql`select msg_id, attempt from private.claim_jobs('import_items', 1, 60)`;
      const ended = await Promise.all([
        ...[1, 2, 3].map(() =>
          outcome(sql`select private.extend_job_visibility('import_items', ${message}, 60, ${attempt})`)
        ),
        [
          () =>
            outcome(
              sql`select private.acknowledge_jobs('import_items', ${[message]}::bigint[], array[${attempt}::int])`,
            ),
          () => outcome(sql`select private.fail_job('import_items', ${message}, 'no', attempt => ${attempt})`),
          () => outcome(sql`select private.requeue_job('import_items', ${message}, attempt => ${attempt})`),
        ][round % 3](),
      ]);
      deepEqual(ended, ["ok", "ok", "ok", "ok"]);
      equal((await sql`select from private.leases`).length, 0);
      await sql`select pgmq.purge_queue('import_items')`;
    }
  });

  await t.step("deleting a podcast during its import deletes everything without a deadlock", async () => {
    for (let round = 0; round < byScale(10, 100); round++) {
      const show = `gone${round}`;
      await sql`select tests.podcast(${show}, 'ola'), tests.member('ana', ${show}, 'admin')`;
      const { importId, items } = await fresh(8, show);
      equal(await confirm(importId), "ok");
      const paths = await Promise.all(items.map(stored));
      await Promise.all(items.slice(0, 4).map(begin));
      const ended = await Promise.all([
        ...items.slice(0, 4).map((item, i) => finish(item, paths[i])),
        ...items.slice(4, 6).map((item) => outcome(sql`select private.fail_import_item(${item}, 'no')`)),
        cancel(importId),
        outcome(sql`delete from public.podcasts where id = tests.id(${show})`),
      ]);
      ok(ended.every((how) => ["ok", "PT404"].includes(how)), String(ended));
      equal((await sql`select from public.podcast_import_items`).length, 0);
      equal((await sql`select from private.media_objects where released_at is null`).length, 0);
    }
  });

  await t.step(
    "deleting a podcast while its feed is read or its GUID adopted causes no deadlock",
    async () => {
      for (let round = 0; round < byScale(10, 100); round++) {
        const shows = [`read${round}`, `confirmed${round}`];
        await fresh(1);
        for (const show of shows) {
          await sql`select tests.podcast(${show}, 'ola'), tests.member('ana', ${show}, 'admin')`;
        }
        await sql`select tests.import('reading', ${shows[0]}, 'pending'), tests.import('previewed', ${shows[1]})`;
        await sql`update public.podcast_imports set feed_podcast_guid = gen_random_uuid() where id = tests.id('previewed')`;
        await sql`select tests.import_item('first', 'reading'), tests.import_item('second', 'previewed')`;
        const reading = await id("reading"), previewed = await id("previewed");
        const channel = JSON.stringify({ appleVerifyToken: "a token", locked: false });
        const ended = await Promise.all([
          outcome(sql`select private.stage_import_items(${reading}, '[{"guid": "x", "position": 9}]')`),
          outcome(sql`select private.finish_staging(${reading}, ${channel}::text::jsonb, '{}', '[]')`),
          confirm(previewed),
          ...shows.map((show) => outcome(sql`delete from public.podcasts where id = tests.id(${show})`)),
        ]);
        ok(ended.every((how) => ["ok", "PT404", "PT409"].includes(how)), String(ended));
      }
    },
  );

  await t.step("reading a feed waits for a deletion of its podcast, which deletes the message", async () => {
    const operations = [
      "stage_import_items($1, '[]', $2, 1)",
      "finish_staging($1, '{}', '{}', '[]', msg_id => $2, attempt => 1)",
      "fail_import_feed($1, 'no', 'X', $2, 1)",
    ];
    for (const [n, operation] of operations.entries()) {
      const show = `deleted${n}`;
      await sql`select tests.podcast(${show}, 'ola'), tests.import(${`${show}/import`}, ${show}, 'pending'), pgmq.purge_queue('import_feeds')`;
      await sql`select private.enqueue('import_feeds', jsonb_build_object('import_id', tests.id(${`${show}/import`}), 'podcast_id', tests.id(${show})))`;
      const [{ msg_id }] = await sql`select msg_id from private.claim_jobs('import_feeds', 1, 60)`;
      const importId = await id(`${show}/import`);
      let reading: Promise<string> | undefined;
      await sql.begin(async (tx) => {
        await tx`select from public.podcasts where title = ${show} for update`;
        reading = outcome(sql.unsafe(`select private.${operation}`, [importId, msg_id]));
        await assertBlocks(there, reading);
        await tx`delete from public.podcasts where title = ${show}`;
      });
      ok(["PT404", "PT409"].includes((await reading)!), operation);
      equal((await sql`select from pgmq.q_import_feeds`).length, 0);
    }
  });

  await t.step("deleting the importer's account does not block the import", async () => {
    for (let round = 0; round < byScale(8, 80); round++) {
      const { importId, items } = await fresh(4);
      const name = `importer${round}`;
      await sql`select tests.member(${name}, 'show', 'admin')`;
      await sql`update public.podcast_imports set created_by = tests.id(${name}) where id = ${importId}`;
      await confirm(importId);
      const paths = await Promise.all(items.map(stored));
      await Promise.all(items.map(begin));
      const ended = await Promise.all([
        ...items.map((item, i) => finish(item, paths[i])),
        outcome(sql`delete from public.profiles where id = tests.id(${name})`),
      ]);
      ok(ended.every((how) => how === "ok"), String(ended));
      equal(await statusOf("it"), "completed");
      await assertExact();
    }
  });

  await t.step("transferring the podcast during an import charges the bytes to the new owner", async () => {
    await sql`select tests.person('new')`;
    for (let round = 0; round < byScale(5, 50); round++) {
      const { importId, items } = await fresh(6);
      await confirm(importId);
      await sql`update public.podcast_import_items set status = 'processing' where import_id = ${importId}`;
      const paths = await Promise.all(items.map(stored));
      const to = round % 2 ? "ola" : "new";
      const ended = await Promise.all([
        ...items.map((item, i) => finish(item, paths[i])),
        outcome(sql`update public.podcasts set owner_id = tests.id(${to}) where id = tests.id('show')`),
      ]);
      ok(ended.every((how) => how === "ok"), String(ended));
      const [{ wrong }] = await sql`
        select count(*)::int as wrong from private.media_objects
        where released_at is null and podcast_id = tests.id('show') and account_id <> tests.id(${to})`;
      equal(wrong, 0);
    }
  });
});
