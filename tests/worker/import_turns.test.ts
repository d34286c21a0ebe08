// The worker's loop beside a backlog: whose item gets each place that becomes free.
import assert from "node:assert/strict";
import { z } from "zod";
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { waitFor } from "../wait_for.ts";

Deno.test({
  name: "the worker gives the next free places to three items of a customer beside three thousand of another",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using database = await createFeedDatabase();
    const { sql } = database;
    const { drain } = await import("../../functions/worker/loop.ts");
    const send = (account: string, count: number) =>
      sql`select private.enqueue('import_items', jsonb_build_object('account_id', ${account}::text))
        from generate_series(1, ${count}::int)`;
    const begun: { account: string; end: () => void }[] = [];
    let isOver = false;
    const job: Job<{ account_id: string }> = {
      queue: "import_items",
      schema: z.object({ account_id: z.string() }),
      batchSize: 1,
      visibilityTimeoutSeconds: 60,
      concurrency: 4,
      async run([{ account_id: account }]) {
        if (!isOver) await new Promise<void>((end) => begun.push({ account, end }));
      },
    };
    const accounts = () => begun.map(({ account }) => account).join(" ");

    await send("many", 3000);
    const draining = drain(job as Job, timeBudget(60_000));
    await waitFor("all places are taken", () => begun.length === 4);
    await send("few", 3);
    for (let n = 0; n < 3; n++) {
      begun[n].end();
      await waitFor("the place is taken again", () => begun.length === 5 + n);
    }
    // the third waits until one of its two ends, because each customer then has two of the four places
    assert.equal(accounts(), "many many many many few few many");
    begun[4].end();
    await waitFor("the place is taken again", () => begun.length === 8);
    assert.equal(accounts(), "many many many many few few many few");

    isOver = true;
    await sql`delete from pgmq.q_import_items q where q.read_ct = 0`;
    for (const { end } of begun) end();
    await draining;
  },
});
