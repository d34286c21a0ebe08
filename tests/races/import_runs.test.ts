// Workers of one import, also during a cancel or a deletion: exact counters, one episode per item, no lost message.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { byScale } from "../scale.ts";
import { importRows } from "./import_rows.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent import runs", async (t) => {
  await using there = await createRaceDatabase(24);
  const { sql, id } = there;
  const { statusOf, assertExact, fresh, confirm, cancel, stored, begin, finish, done } = await importRows(there);

  await t.step("concurrently finished items are all counted, and the last one finishes the import", async () => {
    for (let round = 0; round < byScale(3, 20); round++) {
      const { importId, items } = await fresh(24);
      equal(await confirm(importId), "ok");
      await sql`update public.podcast_import_items set status = 'processing' where import_id = ${importId}`;
      const ends = items.map((item, i) => async () => {
        if (i % 6 === 4) return await outcome(sql`select private.fail_import_item(${item}, 'no')`);
        if (i % 6 === 5) return await outcome(sql`select private.skip_import_item(${item}, _error_message => 'big')`);
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
    let begun: Promise<string> | undefined;
    await sql.begin(async (worker) => {
      await worker`select private.lock_import_item(${finishing})`;
      begun = outcome(sql`select private.begin_import_item(${waiting}, 1)`);
      await assertBlocks(there, begun);
      const [{ status }] = await sql`select status from public.podcast_import_items where id = ${waiting}`;
      equal(status, "processing");
    });
    equal(await begun, "ok");
  });

  await t.step("an item begins while the account of its importer is deleted", async () => {
    const { importId, items } = await fresh(1);
    await sql`select tests.member('importer', 'show', 'admin')`;
    await sql`update public.podcast_imports set created_by = tests.id('importer') where id = ${importId}`;
    equal(await confirm(importId), "ok");
    await sql.begin(async (deleting) => {
      await deleting`delete from public.profiles where id = tests.id('importer')`;
      const [{ begun }] = await sql`
        select private.begin_import_item(${items[0]}, 1) ->> 'itemId' as begun`;
      equal(begun, items[0]);
    });
  });

  await t.step("an item whose import is canceled while it begins is skipped by the next try", async () => {
    const { importId, items: [item] } = await fresh(2);
    equal(await confirm(importId), "ok");
    let begun: Promise<string> | undefined;
    await sql.begin(async (writer) => {
      await writer`select private.lock_import_item(${item})`;
      begun = outcome(sql`select private.begin_import_item(${item}, 1)`);
      await assertBlocks(there, begun);
      // cancel_import would also close the item
      await writer`update public.podcast_imports set status = 'canceled' where id = ${importId}`;
    });
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

  await t.step("a cancel and a retry do not wait for an item that waits for their import", async () => {
    const { importId, items: [item, failed] } = await fresh(3);
    equal(await confirm(importId), "ok");
    const path = await stored(item);
    equal(await begin(item), null);
    await sql`delete from pgmq.q_import_items where message ->> 'import_item_id' = ${item}`; // orphans the item
    equal(await outcome(sql`select private.fail_import_item(${failed}, 'no')`), "ok");
    let finished: Promise<string> | undefined;
    await sql.begin(async (writer) => {
      await writer`select from public.podcast_imports where id = ${importId} for no key update`;
      finished = finish(item, path);
      await assertBlocks(there, finished);
      await writer`select private.dispatch_and_run_import(i, '{failed}') from public.podcast_imports i`;
      await writer`select private.cancel_locked_import(i) from public.podcast_imports i`;
    });
    equal(await finished, "ok");
    const rows = await sql`select status from public.podcast_import_items order by position`;
    deepEqual(rows.map(({ status }) => status), ["completed", "skipped_canceled", "skipped_canceled"]);
    await assertExact();
  });

  await t.step("an item that waits for a retry by the time it is locked is closed by the next try", async () => {
    for (
      const close of [
        (item: string) => outcome(sql`select private.fail_import_item(${item}, 'no')`),
        async (item: string) => await finish(item, await stored(item)),
      ]
    ) {
      const { importId, items: [item] } = await fresh(2);
      equal(await confirm(importId), "ok");
      equal(await begin(item), null);
      let closed: Promise<string> | undefined;
      await sql.begin(async (writer) => {
        await writer`
          update public.podcast_import_items set status = 'pending', error_message = 'status 503' where id = ${item}`;
        closed = close(item);
        await assertBlocks(there, closed);
      });
      equal(await closed, "40001");
      equal(await close(item), "ok");
      await assertExact();
    }
  });

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
        const [{ held }] = await sql`select count(*)::int as held from pgmq.q_import_items where read_ct > 0`;
        maxHeld = Math.max(maxHeld, held);
        await sql`select private.acknowledge_jobs('import_items', ${[claimed.msg_id]}::bigint[])`;
        done++;
      }
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    equal(done, 60);
    equal(maxHeld, 4);
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
          () => outcome(sql`select private.fail_job('import_items', ${message}, 'no', _attempt => ${attempt})`),
          () => outcome(sql`select private.requeue_job('import_items', ${message}, _attempt => ${attempt})`),
        ][round % 3](),
      ]);
      deepEqual(ended, ["ok", "ok", "ok", "ok"]);
      await sql`select pgmq.purge_queue('import_items')`;
    }
  });

  await t.step("reading a feed waits for a deletion of its podcast, which deletes the message", async () => {
    const operations = [
      "stage_import_items($1, '[]', $2, 1)",
      "finish_staging($1, '{}', '{}', '[]', _msg_id => $2, _attempt => 1)",
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
});
