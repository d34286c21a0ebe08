// The show_notes job on a real database: batches, versions, feeds, concurrent and dying workers.
import assert from "node:assert/strict";
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { within } from "../wait_for.ts";
import { runUntil } from "../worker/run_until.ts";
import { childrenNamed } from "./fixture.ts";
import { createRenderings } from "./rendering.ts";
import { makeEpisodes, makePodcast } from "./feed_database.ts";

Deno.test({ name: "sanitizing show notes", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using scratch = await createRenderings();
  const { sql, items } = scratch;
  const { drain } = await import("../../functions/worker/loop.ts");
  const { sanitizeShowNotesJob } = await import("../../functions/worker/jobs/sanitize_show_notes.ts");
  const { renderFeedJob } = await import("../../functions/worker/jobs/render_feed.ts");
  const work = (job: unknown) => drain(job as Job, timeBudget(60_000));
  // the job reads again until no note of the feed is unsanitized
  const render = () => within("sanitized show notes, without which a feed is not rendered", work(renderFeedJob));
  const safe = async (podcastId: string) =>
    (await sql`select show_notes_safe_html as html from public.episodes where podcast_id = ${podcastId} order by slug`)
      .map(({ html }) => html);
  const queued = async (queue: string) => Number((await sql`select count(*) from pgmq.${sql(`q_${queue}`)}`)[0].count);
  const reset = () => sql`select pgmq.purge_queue('show_notes'), pgmq.purge_queue('feed_invalidation')`;

  await t.step("the job sanitizes every episode of a podcast, regardless of its status, in batches", async () => {
    await reset();
    const id = await makePodcast(sql);
    await makeEpisodes(sql, id, 450, "<p>a</p><script>b</script>");
    await sql`update public.episodes set status = 'draft' where podcast_id = ${id} and slug < 'paris-2'`;
    assert.equal(await queued("show_notes"), 2);
    await work(sanitizeShowNotesJob);
    assert.equal(await queued("show_notes"), 0);
    // the factory appends the episode's number to its notes, inside the script element
    assert.deepEqual(new Set(await safe(id)), new Set(Array.from({ length: 450 }, (_, n) => `<p>a</p>${n}`)));
  });

  await t.step("the render job sanitizes notes before it renders them", async () => {
    await reset();
    const id = await scratch.show(3, "<p>Notes</p><script>x</script>");
    await render();
    const { channel } = await scratch.rendered(id);
    assert.deepEqual(childrenNamed(channel, "item").map((item) => childrenNamed(item, "content:encoded")[0].text), [
      "<p>Notes</p>0",
      "<p>Notes</p>1",
      "<p>Notes</p>2",
    ]);
    const before = await items(id);
    await work(sanitizeShowNotesJob);
    await render();
    assert.deepEqual(await items(id), before, "no item is rendered twice");
  });

  await t.step("a feed without sanitized notes has no notes", async () => {
    await reset();
    const id = await scratch.show(1, "<p>Raw</p>");
    const { channel } = await scratch.rendered(id);
    assert.deepEqual(childrenNamed(childrenNamed(channel, "item")[0], "content:encoded"), []);
    assert.deepEqual(childrenNamed(childrenNamed(channel, "item")[0], "description"), []);
    await work(sanitizeShowNotesJob);
    await render();
    assert.equal(
      childrenNamed(childrenNamed((await scratch.rendered(id)).channel, "item")[0], "content:encoded")[0].text,
      "<p>Raw</p>0",
    );
  });

  await t.step("concurrent workers and repeated messages give the same notes", async () => {
    await reset();
    const id = await scratch.show(50, "<p>a</p>");
    const { sanitizePodcastShowNotes } = await import("../../functions/show_notes/sanitize_podcast.ts");
    await Promise.all([1, 2, 3].map(() => sanitizePodcastShowNotes(id, runUntil(Infinity), { forFeed: false })));
    const notes = await safe(id);
    await work(sanitizeShowNotesJob);
    assert.deepEqual(await safe(id), notes);
    assert.ok(notes.every((html) => html.startsWith("<p>a</p>")));
  });

  await t.step("a job at its deadline keeps its results and requeues its message", async () => {
    await reset();
    const id = await scratch.show(250, "<p>a</p>");
    await assert.rejects(
      sanitizeShowNotesJob.run([{ podcast_id: id }], runUntil(0)),
      { message: "Job continues in another run" },
    );
    assert.equal((await safe(id)).filter(Boolean).length, 200);
    await work(sanitizeShowNotesJob);
    assert.equal((await safe(id)).filter(Boolean).length, 250);
  });

  await t.step(
    "notes of a megabyte of nested elements are sanitized, and the next episode's notes as well",
    async () => {
      await reset();
      const id = await scratch.show(2, "<p>a</p>");
      await sql`update public.episodes set show_notes_html = repeat('<b>', 300000) where podcast_id = ${id} and slug = 'paris-0'`;
      await work(sanitizeShowNotesJob);
      assert.deepEqual(await safe(id), [null, "<p>a</p>1"]);
    },
  );

  await t.step("an invalid message goes to the dead-letter queue", async () => {
    await reset();
    await sql`select private.enqueue('show_notes', '{"podcast_id": "x"}')`;
    await work(sanitizeShowNotesJob);
    const [{ message }] = await sql`select message from pgmq.q_show_notes_dlq`;
    assert.match(message.error, /^Invalid payload: podcast_id/);
  });

  await t.step("notes of an older version are served until the new version replaces them", async () => {
    await reset();
    const id = await scratch.show(2, "<p>a</p>");
    await work(sanitizeShowNotesJob);
    await sql`
      create or replace function private.show_notes_version() returns int language plpgsql immutable parallel safe
      security invoker set search_path = '' as 'begin return 2; end'`;
    await reset();
    const [{ enqueued }] = await sql`select private.enqueue_stale_show_notes() as enqueued`;
    assert.ok(enqueued >= 1);
    assert.ok((await safe(id)).every(Boolean), "served meanwhile");
  });
});
