// The job cdn_purge: from a changed podcast to a CDN, which fails, hangs, or is turned off.
import assert from "node:assert/strict";
import { startHttpServer } from "../http_server.ts";
import { startPeer } from "../safe_fetch/peer.ts";
import { stoppedClock } from "../safe_fetch/stopped_clock.ts";
import { drainIn } from "../worker/worker.ts";
import { CDN_TOKEN } from "./loopback_cdn.ts";
import { startPurgeWorker } from "./purge_worker.ts";

const status = (status: number, headers: Record<string, string> = {}) => () => new Response("no", { status, headers });

Deno.test({ name: "purging a CDN", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using worker = await startPurgeWorker();
  const { MAX_KEYS_PER_PURGE } = await import("../../functions/feed_pings/purge_keys.ts");
  const { sql, cdn, keyOf, change, setUrl, work, waiting, deadLetters } = worker;
  const step = (title: string, run: () => Promise<void>) =>
    t.step(title, async () => (await worker.reset(), await run()));

  await step("the changed podcasts of a batch are purged by one request, each once", async () => {
    await change("night-trains", "夜-行");
    await sql`select private.enqueue('cdn_purge', jsonb_build_object('key', private.surrogate_key('night-trains')))`;
    await work();
    assert.deepEqual(cdn.purges.map((keys) => keys.sort()), [[keyOf("night-trains"), keyOf("夜-行")].sort()]);
    assert.deepEqual([await waiting(), await deadLetters()], [[], []]);
  });

  await step(
    "250 changed podcasts are purged in the format of Cloudflare by requests of at most 100 keys",
    async () => {
      await setUrl(cdn.purgeUrls.cloudflare);
      await sql`select private.set_setting('cdn_purge_format', 'cloudflare')`;
      const slugs = Array.from({ length: 250 }, (_, n) => `show-${n}`);
      await change(...slugs);
      await work();
      assert.deepEqual(cdn.purges.map((keys) => keys.length), [MAX_KEYS_PER_PURGE, MAX_KEYS_PER_PURGE, 50]);
      assert.deepEqual(cdn.purges.flat().sort(), slugs.map(keyOf).sort());
      assert.deepEqual([await waiting(), await deadLetters()], [[], []]);
    },
  );

  await step("purges that wait when the CDN is turned off are not sent", async () => {
    await change("night-trains");
    await sql`select private.set_setting('cdn_purge_url', null)`;
    await work();
    assert.deepEqual([cdn.attempts, await waiting(), await deadLetters()], [0, [], []]);
  });

  await step("a failing CDN is arrived until it recovers", async () => {
    await change("night-trains");
    cdn.respondToPurges(status(500));
    await work(3);
    assert.deepEqual((await waiting()).map(({ attempts, error }) => [attempts, error]), [
      [3, "The CDN responded with status 500"],
    ]);
    cdn.respondToPurges();
    await work();
    assert.deepEqual([cdn.purges, await waiting()], [[[keyOf("night-trains")]], []]);
  });

  await step("while one token of the CDN replaces another, both are in use and no purge is lost", async () => {
    const isolate = { ...worker.env, CDN_PURGE_TOKEN: "next-token" };
    async function workElsewhere() {
      await sql`update pgmq.q_cdn_purge set vt = clock_timestamp()`;
      await drainIn(isolate, "cdn_purge");
    }
    cdn.tokens.add("next-token");
    await change("night-trains");
    await work();
    await change("day-trains");
    await workElsewhere();
    assert.deepEqual(cdn.purges, [[keyOf("night-trains")], [keyOf("day-trains")]]);

    cdn.tokens.delete(CDN_TOKEN);
    await change("night-trains");
    await work(); // an isolate with the old environment
    assert.deepEqual((await waiting()).map(({ error }) => error), ["The CDN responded with status 401"]);
    await workElsewhere();
    assert.deepEqual([cdn.purges.slice(2), await waiting()], [[[keyOf("night-trains")]], []]);
  });

  await step("a change replaces the purge that failed, and is purged once", async () => {
    await change("night-trains");
    cdn.respondToPurges(status(500));
    await work(3);
    await change("night-trains");
    assert.deepEqual((await waiting()).map(({ attempts }) => attempts), [0]);
    cdn.respondToPurges();
    await work();
    assert.deepEqual([cdn.purges, await waiting()], [[[keyOf("night-trains")]], []]);
  });

  await step("Retry-After of a 429 postpones the next purge", async () => {
    await change("night-trains");
    cdn.respondToPurges(status(429, { "retry-after": "1800" }));
    await work();
    const [{ seconds, error }] = await waiting();
    assert.equal(error, "The CDN responded with status 429");
    assert.ok(seconds > 1700 && seconds <= 1800, `${seconds}`);
  });

  await step("a CDN that never accepts the token ends in the dead-letter queue with the reason", async () => {
    await change("night-trains");
    cdn.respondToPurges(status(401));
    await work(13);
    assert.deepEqual(await deadLetters(), [{ attempts: 12, error: "The CDN responded with status 401" }]);
    assert.deepEqual([cdn.attempts, await waiting()], [12, []]);
  });

  await step("a redirect to a private address is not followed", async () => {
    await using inner = startPeer("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    await using outer = startHttpServer(() => new Response(null, { status: 307, headers: { location: inner.url } }));
    await setUrl(outer.url);
    await change("night-trains");
    await work();
    assert.deepEqual((await waiting()).map(({ error }) => error), ["The CDN responded with status 307"]);
    assert.deepEqual(inner.requests, []);
  });

  await step("a CDN in a private network is not requested unless fetch_allowed_hosts lists it", async () => {
    await change("night-trains");
    await sql`select private.set_setting('fetch_allowed_hosts', null)`;
    await work();
    assert.deepEqual(await deadLetters(), [
      { attempts: 1, error: "The CDN: The URL does not point to the public internet" },
    ]);
    assert.equal(cdn.attempts, 0);
  });

  await step("a purge without a response within ten seconds waits for another attempt", async () => {
    const arrived = Promise.withResolvers<void>();
    await using silent = startPeer(({ left }) => (arrived.resolve(), left()));
    await setUrl(silent.url);
    await change("night-trains");
    await sql`update pgmq.q_cdn_purge set vt = clock_timestamp()`;
    using clock = stoppedClock();
    const working = work();
    await Promise.race([arrived.promise, working]);
    clock.advance(10_000);
    await working;
    const [{ attempts, error }] = await waiting();
    assert.deepEqual([attempts, error], [1, "The CDN: The server took too long to respond"]);
  });

  await step("a purge whose connection breaks waits for another attempt", async () => {
    await using broken = startPeer(() => {});// closes each connection
    await setUrl(broken.url);
    await change("night-trains");
    await work();
    assert.match((await waiting())[0].error!, /^The CDN: The (?:server|connection) /);
  });

  await step("a podcast that changes while its purge is in process is purged again", async () => {
    const released = Promise.withResolvers<void>(), arrived = Promise.withResolvers<void>();
    cdn.respondToPurges(async () => {
      cdn.respondToPurges();
      arrived.resolve();
      await released.promise;
      return new Response();
    });
    await change("night-trains");
    const working = work();
    await Promise.race([arrived.promise, working]);
    await change("night-trains");
    assert.deepEqual((await waiting()).map(({ attempts }) => attempts), [1, 0]);
    released.resolve();
    await working;
    await work();
    assert.deepEqual([cdn.purges, await waiting()], [[[keyOf("night-trains")]], []]);
  });

  await step("malformed messages go to the dead-letter queue", async () => {
    for (const message of [{}, [], null, { key: 1 }, { key: "" }, { key: "a b" }, { key: "a,b" }, { key: "夜" }]) {
      await sql`select pgmq.send('cdn_purge', ${sql.json(message as never)})`;
    }
    await work();
    const dead = await deadLetters();
    assert.equal(dead.length, 8);
    for (const { error } of dead) assert.match(error, /^Invalid payload: /);
    assert.equal(cdn.attempts, 0);
  });
});
