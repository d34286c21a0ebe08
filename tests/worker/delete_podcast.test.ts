// The job podcast_deletions: due podcasts, canceled deletions, and workers and backends that end while they delete.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "../feed_writer/feed_database.ts";
import { waitFor } from "../wait_for.ts";

const EPISODES = 3;

Deno.test({ name: "deleting due podcasts", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using scratch = await createFeedDatabase();
  const { sql } = scratch;
  const { drain } = await import("../../functions/worker/loop.ts");
  const { deletePodcastJob } = await import("../../functions/worker/jobs/delete_podcast.ts");
  const run = () => drain(deletePodcastJob as Job, timeBudget(60_000));
  await sql`update private.queues set backoff_base = '1 minute'`; // no retry is due before makeVisible()

  async function makeDue(): Promise<string> {
    const id = await makePodcast(sql, { slug: `show-${crypto.randomUUID()}` });
    await makeEpisodes(sql, id, EPISODES);
    await sql`
      update public.podcasts set status = 'pending_deletion', deletion_requested_at = now() - interval '1 day',
        deletion_scheduled_at = now() where id = ${id}`;
    await sql`select private.enqueue_due_deletions()`;
    return id;
  }
  async function stateOf(id: string): Promise<string> {
    const [{ podcasts, episodes, tombstones, messages }] = await sql`
      select (select count(*)::int from public.podcasts where id = ${id}) as podcasts,
        (select count(*)::int from public.episodes where podcast_id = ${id}) as episodes,
        (select count(*)::int from private.podcast_tombstones where podcast_id = ${id}) as tombstones,
        (select count(*)::int from pgmq.q_podcast_deletions where message ->> 'podcast_id' = ${id}) as messages`;
    const states: Record<string, string> = { [`1 ${EPISODES} 0`]: "whole", "0 0 1": "deleted" };
    return `${states[`${podcasts} ${episodes} ${tombstones}`] ?? "torn"}, ${messages} messages`;
  }
  const makeVisible = () => sql`update pgmq.q_podcast_deletions set vt = now() where vt > now()`;
  /** Begins a deletion and runs `work` with the process id of its backend, while it waits for the podcast's lock. */
  const whileDeleting = (id: string, begin: () => void, work: (backend: number) => Promise<unknown>) =>
    sql.begin(async (tx) => {
      await tx`select from public.podcasts where id = ${id} for update`;
      begin();
      await work(
        await waitFor("the deletion waits", async () => {
          const [waiting] = await sql<{ pid: number }[]>`
            select pid from pg_stat_activity where datname = current_database() and query like '%delete_due_podcast%' and wait_event_type = 'Lock'`;
          return waiting?.pid;
        }, 60),
      );
    });

  await t.step("a due podcast is deleted, and a second message of it changes nothing", async () => {
    const id = await makeDue();
    await run();
    assert.equal(await stateOf(id), "deleted, 0 messages");
    await sql`select private.enqueue('podcast_deletions', jsonb_build_object('podcast_id', ${id}::uuid))`;
    await run();
    assert.equal(await stateOf(id), "deleted, 0 messages");
  });

  await t.step("a podcast whose deletion was canceled is kept, and its message is done", async () => {
    const id = await makeDue();
    await sql`
      update public.podcasts set status = 'active', deletion_requested_at = null, deletion_scheduled_at = null where id = ${id}`;
    await run();
    assert.equal(await stateOf(id), "whole, 0 messages");
  });

  await t.step(
    "a podcast whose backend is terminated while it is deleted is whole, and is deleted by the retry",
    async () => {
      const id = await makeDue();
      let running: Promise<void> | undefined;
      await whileDeleting(id, () => running = run(), (backend) => sql`select pg_terminate_backend(${backend})`);
      await running;
      assert.equal(await stateOf(id), "whole, 1 messages");
      await makeVisible();
      await run();
      assert.equal(await stateOf(id), "deleted, 0 messages");
    },
  );

  await t.step(
    "a podcast whose worker is killed while it is deleted is deleted once, by it or by the next",
    async () => {
      const id = await makeDue();
      const worker = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", join(repository, "functions/worker/standalone.ts"), "podcast_deletions"],
        env: scratch.env,
        stdin: "null",
        stdout: "null",
        stderr: "null",
      });
      let killed: Deno.ChildProcess | undefined;
      await whileDeleting(id, () => killed = worker.spawn(), () => {
        killed!.kill("SIGKILL");
        return killed!.status;
      });
      await waitFor(
        "its backend has ended",
        async () =>
          (await sql`select from pg_stat_activity where datname = current_database() and query like '%delete_due_podcast%' and application_name = 'functions'
        and state = 'active'`).length === 0,
      );
      assert.match(await stateOf(id), /^(whole, 1|deleted, 0) messages$/);
      await makeVisible();
      await run();
      assert.equal(await stateOf(id), "deleted, 0 messages");
    },
  );

  await t.step("a podcast whose deletion fails at every attempt waits whole, with a dead letter", async () => {
    const id = await makeDue();
    await sql.unsafe(`create function public.fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger fail before delete on public.podcasts for each row execute function public.fail()`);
    await sql`update private.queues set max_attempts = 1`;
    await run();
    await sql.unsafe("drop trigger fail on public.podcasts");
    assert.equal(await stateOf(id), "whole, 0 messages");
    const [{ message }] = await sql`select message from pgmq.q_podcast_deletions_dlq`;
    assert.deepEqual([message.message, message.error], [{ podcast_id: id }, "no"]);
    assert.equal((await sql`select private.enqueue_due_deletions() as n`)[0].n, 0);
    // as docs/operating.md moves dead letters back
    await sql`
      with dead_letters as (delete from pgmq.q_podcast_deletions_dlq returning message)
      select private.enqueue('podcast_deletions', message -> 'message') from dead_letters`;
    await run();
    assert.equal(await stateOf(id), "deleted, 0 messages");
  });
});
