// While an operator replaces Stripe's API key, isolates with either key run side by side.
import assert from "node:assert/strict";
import { drainIn } from "../worker/worker.ts";
import { startBillingWorker } from "./billing_worker.ts";
import { STRIPE_KEY } from "./stripe_peer.ts";

const options = { sanitizeOps: false, sanitizeResources: false };

Deno.test("while one API key of Stripe replaces another, both are in use and no work is lost", options, async () => {
  await using billing = await startBillingWorker();
  const { peer, work } = billing;
  const isolate = { ...billing.env, STRIPE_SECRET_KEY: "sk_test_next" };
  const { userId, podcastId, subscription } = await billing.subscriber();
  const behavior = () => subscription.pause_collection?.behavior;
  peer.apiKeys.add("sk_test_next");
  await billing.pause(podcastId);
  await drainIn(isolate, "billing_sync");
  assert.equal(behavior(), "void");
  await billing.unpause(podcastId);
  await work();
  assert.equal(behavior(), undefined);
  await billing.openPortal(userId);

  peer.apiKeys.delete(STRIPE_KEY);
  await billing.pause(podcastId);
  await work(); // an isolate with the old environment
  const [{ error }, ...more] = await billing.waiting();
  assert.match(error!, /^Stripe responded 401 /);
  assert.deepEqual([more, behavior()], [[], undefined]);
  await billing.makeVisible();
  await drainIn(isolate, "billing_sync");
  assert.deepEqual([behavior(), await billing.waiting()], ["void", []]);
});
