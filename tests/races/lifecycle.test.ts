// Racing changes of a podcast's status end as if one came after the other, in either order.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { byScale } from "../scale.ts";
import { assertBlocks, createRaceDatabase, outcome } from "./race_database.ts";

Deno.test("racing changes of a podcast's status run one after the other", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there;
  await sql`select tests.person('vic'), tests.person('ola'), tests.set_plan('ola', 'pro')`;
  let shows = 0;

  /** A podcast of ola in this status, and calls on it. */
  async function show(status = "active", hosting = "native") {
    const title = `show${shows++}`;
    await sql`select tests.podcast(${title}, 'ola', ${hosting}), tests.member('vic', ${title})`;
    if (status !== "active") await sql`select tests.set_status(${title}, ${status})`;
    const podcastId = await id(title);
    return {
      title,
      podcastId,
      pause: () => as("ola", "pause_podcast", { podcastId }),
      unpause: () => as("ola", "unpause_podcast", { podcastId }),
      remove: () => as("ola", "delete_podcast", { podcastId, confirmName: title }),
      cancel: () => as("ola", "cancel_deletion", { podcastId }),
      /** Runs the calls at once; they reach the podcast's row in this order. */
      async race(...calls: (() => Promise<string>)[]) {
        const ended: Promise<string>[] = [];
        await sql.begin(async (tx) => {
          await tx`select from public.podcasts where id = ${podcastId} for update`;
          for (const [n, call] of calls.entries()) await assertBlocks(there, ended[n] = call(), n);
        });
        return await Promise.all(ended);
      },
      async state() {
        const [row] = await sql`
          select status, paused_at is not null as "isPaused" from public.podcasts where id = ${podcastId}`;
        return row && [row.status, row.isPaused];
      },
    };
  }

  await t.step("of two racing calls of pause_podcast one succeeds", async () => {
    const { pause, race, state } = await show();
    deepEqual(await race(pause, pause), ["ok", "PT409"]);
    deepEqual(await state(), ["paused", true]);
  });

  await t.step("of two racing calls of unpause_podcast one succeeds", async () => {
    const { unpause, race, state } = await show("paused");
    deepEqual(await race(unpause, unpause), ["ok", "PT409"]);
    deepEqual(await state(), ["active", false]);
  });

  await t.step(
    "delete_podcast after a racing pause_podcast keeps the pause, and before it prevents the pause",
    async () => {
      const paused = await show(), deleted = await show();
      deepEqual(await paused.race(paused.pause, paused.remove), ["ok", "ok"]);
      deepEqual(await paused.state(), ["pending_deletion", true]);
      deepEqual(await deleted.race(deleted.remove, deleted.pause), ["ok", "PT409"]);
      deepEqual(await deleted.state(), ["pending_deletion", false]);
    },
  );

  await t.step("of two racing calls of delete_podcast one succeeds", async () => {
    const { remove, race, state } = await show("paused");
    deepEqual(await race(remove, remove), ["ok", "PT409"]);
    deepEqual(await state(), ["pending_deletion", true]);
    const external = await show("active", "external");
    deepEqual(await external.race(external.remove, external.remove), ["ok", "PT404"]);
    deepEqual(await external.state(), ["pending_deletion", false]);
  });

  await t.step("of two racing calls that each set one half of a circle of redirects one succeeds", async () => {
    const one = await show(), other = await show();
    const leadTo = async (from: typeof one, to: typeof one) => {
      const [{ url }] =
        await sql`select private.feed_url(p.slug) as url from public.podcasts p where p.id = ${to.podcastId}`;
      return await as("ola", "set_feed_redirect", { podcastId: from.podcastId, redirectUrl: url });
    };
    const ended: Promise<string>[] = [];
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('redirects to feeds', 0))`;
      await assertBlocks(there, ended[0] = leadTo(one, other));
      await assertBlocks(there, ended[1] = leadTo(other, one), 1);
    });
    deepEqual(await Promise.all(ended), ["ok", "PT400"]);
    const redirects =
      await sql`select from private.feed_redirects where podcast_id in (${one.podcastId}, ${other.podcastId})`;
    equal(redirects.length, 1);
  });

  await t.step("of two racing calls of cancel_deletion one succeeds", async () => {
    const { cancel, race, state } = await show("pending_deletion");
    deepEqual(await race(cancel, cancel), ["ok", "PT409"]);
    deepEqual(await state(), ["active", false]);
  });

  await t.step("the later of racing calls of delete_podcast and cancel_deletion decides", async () => {
    const active = await show(), leaving = await show("pending_deletion"), kept = await show("pending_deletion");
    deepEqual(await active.race(active.cancel, active.remove), ["PT409", "ok"]);
    deepEqual(await active.state(), ["pending_deletion", false]);
    deepEqual(await leaving.race(leaving.cancel, leaving.remove), ["ok", "ok"]);
    deepEqual(await leaving.state(), ["pending_deletion", false]);
    deepEqual(await kept.race(kept.remove, kept.cancel), ["PT409", "ok"]);
    deepEqual(await kept.state(), ["active", false]);
  });

  await t.step("of racing calls of delete_podcast and accept_podcast_transfer one succeeds", async () => {
    for (const first of ["delete", "accept"]) {
      const { title, remove, race, podcastId } = await show();
      await sql`select tests.transfer(${title}, 'vic')`;
      const transferId = await id(`${title}/transfer`);
      const accept = () => as("vic", "accept_podcast_transfer", { transferId });
      deepEqual(await race(...first === "delete" ? [remove, accept] : [accept, remove]), [
        "ok",
        first === "delete" ? "PT409" : "PT403",
      ]);
      const [{ owner_id, status }] = await sql`select owner_id, status from public.podcasts where id = ${podcastId}`;
      deepEqual(
        [owner_id, status],
        first === "delete" ? [await id("ola"), "pending_deletion"] : [await id("vic"), "active"],
      );
    }
  });

  await t.step("an import that is confirmed while its podcast is deleted is canceled, in either order", async () => {
    for (const first of ["delete", "confirm"]) {
      const { title, remove, race } = await show();
      await sql`select tests.import(${`${title}/import`}, ${title})`;
      await sql`select tests.import_item(${`${title}/item`}, ${`${title}/import`})`;
      const importId = await id(`${title}/import`);
      const confirm = () => as("ola", "confirm_import", { importId });
      deepEqual(await race(...first === "delete" ? [remove, confirm] : [confirm, remove]), [
        "ok",
        first === "delete" ? "PT409" : "ok",
      ]);
      const [row] = await sql`
        select i.status, string_agg(t.status::text, ',') as items from public.podcast_imports i
        join public.podcast_import_items t on t.import_id = i.id where i.id = ${importId} group by i.id`;
      deepEqual([row.status, row.items], ["canceled", first === "delete" ? "pending" : "skipped_canceled"]);
    }
    equal((await sql`select from pgmq.q_import_items`).length, 0);
  });

  await t.step("either unpause_podcast or a racing end_expired_pauses ends a pause", async () => {
    await sql`select private.end_expired_pauses('infinity')`; // those of earlier steps
    for (let round = 0; round < byScale(10, 200); round++) {
      const { unpause, state } = await show("paused");
      const endExpired = async () => {
        const [{ ended }] = await sql`select private.end_expired_pauses('infinity') as ended`;
        return ended as number;
      };
      const [unpaused, ended] = await Promise.all([unpause(), endExpired()]);
      deepEqual([unpaused, ended], ended ? ["PT409", 1] : ["ok", 0]);
      deepEqual(await state(), ["active", false]);
    }
  });

  await t.step("concurrent runs of end_expired_pauses end each pause once", async () => {
    for (let i = 0; i < 20; i++) await show("paused");
    await sql`truncate private.events`;
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => sql`select private.end_expired_pauses('infinity') as ended`),
    );
    equal(runs.reduce((sum, [{ ended }]) => sum + ended, 0), 20);
    equal((await sql`select from private.events where type = 'podcast.unpaused'`).length, 20);
  });

  await t.step(
    "end_expired_pauses locks the owners' subscriptions in order, and a run that fails half-way ends no pause",
    async () => {
      await sql`select tests.person(n), tests.podcast(n || '/show', n) from unnest('{eva,uma}'::text[]) n`;
      const owners = await sql<{ id: string; name: string }[]>`
      select id, n as name from unnest('{eva,uma}'::text[]) n, tests.id(n) id order by id`;
      const [first, last] = owners.map(({ name }) => name);
      // the pause of the last owner expires first
      await sql`
      select tests.set_status(${last} || '/show', 'paused', now() - interval '2 days'),
        tests.set_status(${first} || '/show', 'paused', now() - interval '1 day'),
        tests.subscription('eva'), tests.subscription('uma')`;
      await sql`delete from private.events where type = 'podcast.unpaused'`;
      await sql`select pgmq.purge_queue('billing_sync')`;
      const traces = async () => [
        (await sql`select from private.events where type = 'podcast.unpaused'`).length,
        (await sql`select from pgmq.q_billing_sync`).length,
        (await sql`select from public.podcasts where title = any ('{eva/show,uma/show}') and status = 'active'`).length,
      ];
      for (const isCanceled of [true, false]) {
        let run: Promise<string> | undefined;
        await sql.begin(async (tx) => { // as a transfer from the first owner to the last
          await tx`select from private.subscriptions s where s.user_id = tests.id(${first}) for update`;
          run = outcome(sql`select private.end_expired_pauses('infinity')`);
          await assertBlocks(there, run);
          if (isCanceled) {
            await tx`
            select pg_cancel_backend(pid) from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database() and query like '%end_expired_pauses%'`;
          }
          await tx`select from private.subscriptions s where s.user_id = tests.id(${last}) for update`;
        });
        equal(await run, isCanceled ? "57014" : "ok");
        deepEqual(await traces(), isCanceled ? [0, 0, 0] : [2, 2, 2]);
      }
    },
  );

  await t.step(
    "the deletion of an external podcast waits for no write, and leaves its rows to the worker",
    async () => {
      await sql.unsafe(`
      create function tests.wait() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(4711); return new; end $$;
      create trigger t250_wait before update on public.episodes for each row execute function tests.wait()`).simple();
      for (let round = 0; round < byScale(3, 200); round++) {
        const { title, podcastId, remove, cancel, state } = await show("active", "external");
        await sql`select tests.episode(${`${title}/pilot`}, ${title})`;
        const episodeId = await id(`${title}/pilot`);
        let write: Promise<string> | undefined;
        await sql.begin(async (tx) => { // the write has the episode and wants the podcast
          await tx`select pg_advisory_xact_lock(4711)`;
          write = outcome(sql`update public.episodes set title = 'New' where id = ${episodeId}`);
          await assertBlocks(there, write);
          equal(await remove(), "ok");
        });
        deepEqual([await write, await cancel()], ["PT404", "PT404"]);
        await sql`select private.delete_due_podcast(${podcastId})`;
        equal(await state(), undefined);
      }
      await sql`drop trigger t250_wait on public.episodes`;
    },
  );
});
