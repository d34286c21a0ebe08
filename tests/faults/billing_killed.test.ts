// Workers that are killed while Stripe has their request: the next one finishes, and Stripe runs no request twice.
import assert from "node:assert/strict";
import { setPodcastStatus } from "../billing/podcast_status.ts";
import { startStripePeer, STRIPE_KEY } from "../billing/stripe_peer.ts";
import { connectTo } from "../database.ts";
import { makePodcast } from "../feed_writer/feed_database.ts";
import { startTestStack } from "../stack.ts";
import { waitFor } from "../wait_for.ts";
import { startWorker } from "../worker/worker.ts";

const KILLS = 12;

Deno.test({
  name: "twelve workers killed during a request to Stripe leave it as desired, and each change was made once",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using peer = startStripePeer();
    await using at = await startTestStack();
    const env = { STRIPE_SECRET_KEY: STRIPE_KEY, STRIPE_API_URL: peer.url };
    const sql = connectTo(at.dbUrl, 2);
    await sql`select private.set_setting('worker_url', 'http://127.0.0.1:1')`; // only the workers of this test
    const podcastId = await makePodcast(sql);
    const form = { method: "POST", headers: { authorization: `Bearer ${STRIPE_KEY}` } };
    const post = async (path: string, body: Record<string, string>) =>
      await (await fetch(`${peer.url}/v1/${path}`, { ...form, body: new URLSearchParams(body) })).json();
    const customer = await post("customers", {});
    const session = await post("checkout/sessions", {
      mode: "subscription",
      customer: customer.id,
      "line_items[0][price]": "price_pro",
      "line_items[0][quantity]": "1",
      "subscription_data[metadata][castbase_subscription]": "test",
    });
    const subscription = peer.completeCheckout(session.id);
    await sql`insert into private.subscriptions (user_id, stripe_customer_id)
      select owner_id, ${customer.id} from public.podcasts where id = ${podcastId}`;

    peer.events.length = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const isPaused = kill % 2 === 0;
      await setPodcastStatus(sql, podcastId, isPaused ? "paused" : "active");
      const worker = await startWorker(at, ["billing_sync"], env);
      const reached = Promise.withResolvers<void>();
      // after Stripe ran the request, before it, or while the worker reads
      const [method, fault] = [["POST", "lost_after"], ["POST", "lost_before"], ["GET", "lost_before"]][kill % 3];
      let killed: Promise<unknown> | undefined;
      peer.setFault((request) => {
        if (request.method !== method || !/subscriptions/.test(request.path)) return;
        killed ??= worker.kill().then(() => reached.resolve());
        return fault as "lost_after" | "lost_before";
      });
      await reached.promise;
      peer.setFault(() => undefined);
      await sql`update pgmq.q_billing_sync set vt = now()`;
      const next = await startWorker(at, ["billing_sync"], env);
      await waitFor("the next worker finishes", async () => {
        const [{ count }] = await sql`select count(*)::int from pgmq.q_billing_sync`;
        return count === 0 && !!subscription.pause_collection === isPaused;
      }, 60);
      await next.kill();
      assert.equal(peer.events.length, kill + 1, `kill ${kill}`);
    }
    await sql.end();
  },
});
