// Imports under concurrent starts, confirmations, cancels, retries and deletions: exact counters, no duplicates.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { byScale } from "../scale.ts";
import { importRows } from "./import_rows.ts";
import { createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent import calls", async (t) => {
  await using there = await createRaceDatabase(24);
  const { sql, id } = there;
  const { statusOf, assertExact, fresh, verb, confirm, cancel, stored, begin, finish, done } = await importRows(there);

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
