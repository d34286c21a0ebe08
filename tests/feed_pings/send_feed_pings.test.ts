// The job feed_pings: from a changed feed to its receivers, which fail, hang, or are turned off.
import assert from "node:assert/strict";
import { groupFeeds, MAX_URLS_PER_PODPING } from "../../functions/feed_pings/group_feeds.ts";
import { startPeer } from "../safe_fetch/peer.ts";
import { waitFor } from "../wait_for.ts";
import { drainIn, startDrain } from "../worker/worker.ts";
import { startPingWorker } from "./ping_worker.ts";

const status = (status: number, headers: Record<string, string> = {}) => () => new Response("no", { status, headers });

Deno.test({ name: "sending feed pings", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using worker = await startPingWorker();
  const { sql, hub, podping, turnOn, makeShow, change, work, topics, podpings, waiting, deadLetters } = worker;
  const step = (title: string, run: () => Promise<void>) =>
    t.step(title, async () => (await worker.reset(), await run()));
  /** Podcasts without a feed, which are the only ones titled `Show 1` and so on. */
  const makeShows = (count: number) =>
    sql.begin(async (tx) => {
      await tx`delete from public.podcasts where title ~ '^Show [0-9]+$'`;
      await tx`
        insert into public.podcasts (owner_id, title)
        select p.owner_id, 'Show ' || n from generate_series(1, ${count}) n, (select * from public.podcasts limit 1) p`;
    });

  await step("a changed feed pings the hub and podping once, and an unchanged one does not", async () => {
    const { id, url } = await makeShow();
    await change(id);
    await work();
    assert.deepEqual(topics(), [{ "hub.mode": "publish", "hub.url": url }]);
    assert.equal(hub.received[0].headers.get("content-type"), "application/x-www-form-urlencoded");
    assert.equal(hub.received[0].headers.get("authorization"), null);
    assert.deepEqual(podpings(), [{ urls: [url], reason: "update", medium: "podcast" }]);
    assert.equal(podping.received[0].headers.get("content-type"), "application/json");
    assert.equal(podping.received[0].headers.get("authorization"), "Bearer podping-key");
    await sql`select private.confirm_feed_document(d.podcast_id, d.version, '[]') from private.feed_documents d`;
    assert.deepEqual(await waiting(), []);
  });

  await step("several changes of a feed before its pings are sent give one ping of each kind", async () => {
    const { id } = await makeShow();
    for (let n = 0; n < 5; n++) await change(id);
    assert.deepEqual((await waiting()).map(({ type, attempts }) => [type, attempts]), [["podping", 0], ["websub", 0]]);
    await work();
    assert.deepEqual([hub.received.length, podping.received.length], [1, 1]);
  });

  await step("a batch sends one ping for several messages of a feed", async () => {
    const { id } = await makeShow();
    for (const type of ["websub", "podping", "websub", "podping"]) {
      await sql`select private.enqueue('feed_pings', ${sql.json({ type, podcast_id: id })})`;
    }
    await work();
    assert.deepEqual([hub.received.length, podpings().map(({ urls }) => urls.length)], [1, [1]]);
    assert.deepEqual([await waiting(), await deadLetters()], [[], []]);
  });

  await step("a podping names the medium, and the known URL of a feed that its owner moves", async () => {
    const song = await makeShow({ medium: "music" }), moved = await makeShow();
    await sql`update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(),
      deletion_scheduled_at = now() + interval '1 day', deletion_redirect_url = 'https://new.example/feed'
      where id = ${moved.id}`;
    await sql`update private.feed_documents set last_modified = last_modified - interval '1 minute'`;
    const { renderFeed } = await import("../../functions/feed_writer/render_feed.ts");
    await renderFeed(moved.id);
    await change(song.id);
    await work();
    assert.deepEqual(podpings().sort((a, b) => a.medium < b.medium ? -1 : 1), [
      { urls: [song.url], reason: "update", medium: "music" },
      { urls: [moved.url], reason: "update", medium: "podcast" },
    ]);
  });

  await step(
    "pings of podcasts that were deleted or blocked meanwhile, and of unknown ones, are not sent",
    async () => {
      const blocked = await makeShow(), { id: unknown } = { id: crypto.randomUUID() };
      for (const type of ["websub", "podping"]) {
        await sql`select private.enqueue('feed_pings', ${sql.json({ type, podcast_id: unknown })})`;
      }
      await change(blocked.id);
      await sql`update public.podcasts set is_blocked = true where id = ${blocked.id}`;
      await work();
      assert.deepEqual(topics().map((topic) => topic["hub.url"]), [blocked.url], "the feed itself names the hub");
      assert.deepEqual([podpings(), await waiting(), await deadLetters()], [[], [], []]);
    },
  );

  await step("pings that wait when their receiver is turned off are not sent", async () => {
    await change((await makeShow()).id);
    await turnOn({});
    await work();
    assert.deepEqual([hub.received.length, podping.received.length, await waiting()], [0, 0, []]);
  });

  await step("a failing hub is pinged until it recovers, and podping is not repeated", async () => {
    await change((await makeShow()).id);
    hub.respondWith(status(500));
    await work(3);
    assert.deepEqual((await waiting()).map(({ type, attempts, error }) => [type, attempts, error]), [
      ["websub", 3, "The WebSub hub responded with status 500"],
    ]);
    hub.respondWith();
    await work();
    assert.deepEqual([hub.received.length, podping.received.length, await waiting()], [4, 1, []]);
  });

  await step("a failing podping endpoint gets the whole batch again, and the hub is not pinged again", async () => {
    const shows = [await makeShow(), await makeShow(), await makeShow({ medium: "music" })];
    for (const { id } of shows) await change(id);
    podping.respondWith(({ body }) => new Response(null, { status: body.includes("music") ? 200 : 502 }));
    await work();
    const error = "The podping endpoint responded with status 502";
    assert.deepEqual((await waiting()).map(({ type, attempts, error }) => [type, attempts, error]), [
      ["podping", 1, error],
      ["podping", 1, error],
    ], "the accepted request is done");
    podping.respondWith();
    await work();
    assert.deepEqual(podpings().at(-1)!.urls.sort(), shows.slice(0, 2).map(({ url }) => url).sort());
    assert.deepEqual([hub.received.length, podping.received.length, await waiting()], [3, 3, []]);
  });

  await step("Retry-After postpones the next ping", async () => {
    await change((await makeShow()).id);
    hub.respondWith(status(429, { "retry-after": "1800" }));
    podping.respondWith(status(503, { "retry-after": "900" }));
    await work();
    const seconds = Object.fromEntries((await waiting()).map(({ type, seconds }) => [type, seconds]));
    assert.ok(seconds.websub > 1700 && seconds.websub <= 1800, `${seconds.websub}`);
    assert.ok(seconds.podping > 800 && seconds.podping <= 900, `${seconds.podping}`);
  });

  await step("receivers that never recover end in the dead-letter queue with the reason", async () => {
    await change((await makeShow()).id);
    hub.respondWith(status(404));
    podping.respondWith(status(401));
    await work(13);
    assert.deepEqual(await waiting(), []);
    assert.deepEqual((await deadLetters()).sort((a, b) => a.type < b.type ? -1 : 1), [
      { type: "podping", attempts: 12, error: "The podping endpoint responded with status 401" },
      { type: "websub", attempts: 12, error: "The WebSub hub responded with status 404" },
    ]);
    assert.deepEqual([hub.received.length, podping.received.length], [12, 12]);
  });

  await step("receivers in private networks are not requested unless fetch_allowed_hosts lists them", async () => {
    await change((await makeShow()).id);
    await sql`select private.set_setting('fetch_allowed_hosts', null)`;
    await work();
    const blocked = "The URL does not point to the public internet";
    assert.deepEqual((await deadLetters()).map(({ error, attempts }) => [error, attempts]).sort(), [
      [`The WebSub hub: ${blocked}`, 1],
      [`The podping endpoint: ${blocked}`, 1],
    ]);
    assert.deepEqual([hub.received.length, podping.received.length], [0, 0]);
  });

  await step("podping receives its pings while the hub hangs", async () => {
    const released = Promise.withResolvers<Response>();
    hub.respondWith(() => released.promise.then((response) => response.clone()));
    const shows = [await makeShow(), await makeShow()];
    for (const { id } of shows) await change(id);
    const working = work();
    await waitFor("the podping", () => podping.received.length === 1);
    await waitFor("the pings of the hub", () => hub.received.length === 2);
    released.resolve(new Response(null, { status: 202 }));
    await working;
    assert.deepEqual([podping.received.length, await waiting()], [1, []]);
  });

  await step("after a ping without a response the rest of the batch waits, without a request", async () => {
    await using broken = startPeer(() => {});// closes each connection
    await sql`select private.set_setting('fetch_allowed_hosts', ${broken.host}),
      private.set_setting('websub_hub_url', ${broken.url})`;
    await makeShows(100);
    await sql`
      select private.enqueue('feed_pings', jsonb_build_object('type', 'websub', 'podcast_id', p.id))
      from public.podcasts p where p.title ~ '^Show [0-9]+$'`;
    await work();
    const left = await waiting();
    assert.deepEqual([left.length, new Set(left.map(({ attempts }) => attempts))], [100, new Set([1])]);
    for (const { error } of left) assert.match(error!, /^The WebSub hub: The (?:server|connection) /);
    assert.ok(broken.requests.length <= 64, `${broken.requests.length} requests`);
  });

  await step("the hub receives its pings while podping hangs", async () => {
    const released = Promise.withResolvers<Response>();
    podping.respondWith(() => released.promise);
    await change((await makeShow()).id);
    const working = work();
    await waitFor("the podping", () => podping.received.length === 1);
    await waitFor("the ping of the hub", () => hub.received.length === 1);
    released.resolve(new Response(null, { status: 202 }));
    await working;
    assert.deepEqual([hub.received.length, await waiting()], [1, []]);
  });

  await step("a feed that changes while its ping is in process is pinged again", async () => {
    const { id } = await makeShow(), released = Promise.withResolvers<void>();
    hub.respondWith(async () => {
      hub.respondWith();
      await released.promise;
      return new Response();
    });
    await turnOn({ hub: true });
    await change(id);
    const working = work();
    await waitFor("the first ping", () => hub.received.length === 1);
    await change(id);
    assert.equal((await waiting()).length, 2);
    released.resolve();
    await working;
    await work();
    assert.deepEqual([hub.received.length, await waiting()], [2, []]);
  });

  await step("the pings of a killed worker are sent again", async () => {
    await using silent = startPeer(({ left }) => left());
    const { id, url } = await makeShow();
    await sql`select private.set_setting('fetch_allowed_hosts', ${silent.host}),
      private.set_setting('websub_hub_url', ${silent.url}), private.set_setting('podping_url', ${silent.url})`;
    await change(id);
    await sql`update pgmq.q_feed_pings set vt = clock_timestamp()`;
    const child = startDrain(worker.env, "feed_pings");
    try {
      await waitFor("both pings", () => silent.requests.length === 2, 60);
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
    assert.deepEqual((await waiting()).map(({ attempts }) => attempts), [1, 1]);
    await sql`select private.set_setting('fetch_allowed_hosts', ${`${hub.host},${podping.host}`})`;
    await turnOn({ hub: true, podping: true });
    await work();
    assert.deepEqual(topics().map((topic) => topic["hub.url"]), [url]);
    assert.deepEqual(podpings().map(({ urls }) => urls), [[url]]);
    assert.deepEqual(await waiting(), []);
  });

  await step("while one authorization of podping replaces another, both are in use and no ping is lost", async () => {
    const { id, url } = await makeShow(), accepted = new Set(["Bearer podping-key", "Bearer next-key"]);
    const isolate = { ...worker.env, PODPING_AUTHORIZATION: "Bearer next-key" };
    async function workElsewhere() {
      await sql`update pgmq.q_feed_pings set vt = clock_timestamp()`;
      await drainIn(isolate, "feed_pings");
    }
    await turnOn({ podping: true });
    podping.respondWith(({ headers }) =>
      new Response(null, { status: accepted.has(headers.get("authorization")!) ? 204 : 401 })
    );
    await change(id);
    await work();
    await change(id);
    await workElsewhere();
    const authorizations = () => podping.received.map(({ headers }) => headers.get("authorization"));
    assert.deepEqual([authorizations(), await waiting()], [[...accepted], []]);

    accepted.delete("Bearer podping-key");
    await change(id);
    await work(); // an isolate with the old environment
    assert.deepEqual((await waiting()).map(({ error }) => error), ["The podping endpoint responded with status 401"]);
    await workElsewhere();
    assert.deepEqual([podpings().at(-1)?.urls, authorizations().at(-1)], [[url], "Bearer next-key"]);
    assert.deepEqual([await waiting(), await deadLetters()], [[], []]);
  });

  await step("1,000 changed feeds give ten podpings of 100 URLs, and one ping of the hub each", async () => {
    await makeShows(1000);
    await sql`
      select private.enqueue('feed_pings', jsonb_build_object('type', receiver, 'podcast_id', p.id))
      from public.podcasts p, unnest('{podping,websub}'::text[]) receiver where p.title ~ '^Show [0-9]+$'`;
    await work();
    assert.deepEqual(podpings().map(({ urls }) => urls.length), Array(10).fill(100));
    assert.equal(new Set(podpings().flatMap(({ urls }) => urls)).size, 1000);
    assert.equal(new Set(topics().map((topic) => topic["hub.url"])).size, 1000);
    assert.deepEqual([hub.received.length, await waiting(), await deadLetters()], [1000, [], []]);
  });

  await step("malformed messages go to the dead-letter queue", async () => {
    const podcast_id = crypto.randomUUID();
    for (
      const message of [{}, [], null, { podcast_id }, { type: "fax", podcast_id }, { type: "websub", podcast_id: 1 }]
    ) {
      await sql`select pgmq.send('feed_pings', ${sql.json(message as never)})`;
    }
    await work();
    const dead = await deadLetters();
    assert.equal(dead.length, 6);
    for (const { error } of dead) assert.match(error, /^Invalid payload: /);
  });

  await step("a rendered feed names the hub and podping only while they are turned on", async () => {
    const { gunzipSync } = await import("node:zlib");
    const { id } = await makeShow(), hidden = await makeShow({ is_blocked: true });
    const tagsOf = async (podcastId: string) => {
      await change(podcastId);
      const [{ gzip }] = await sql<{ gzip: Uint8Array }[]>`select gzip from private.get_feed_gzip(${podcastId})`;
      return gunzipSync(gzip).toString().match(/<atom:link [^>]*rel="hub"[^>]*>|<podcast:podping [^>]*>/g) ?? [];
    };
    const link = `<atom:link href="${hub.url}" rel="hub"/>`;
    assert.deepEqual(await tagsOf(id), [link, '<podcast:podping usesPodping="true"/>']);
    assert.deepEqual(await tagsOf(hidden.id), [link]);
    await turnOn({ podping: true });
    assert.deepEqual(await tagsOf(id), ['<podcast:podping usesPodping="true"/>']);
    await turnOn({});
    assert.deepEqual(await tagsOf(id), []);
  });
});

Deno.test("groupFeeds separates media, and limits the URLs and bytes of a podping", () => {
  const feed = (feed_url: string, medium = "podcast") => ({ podcast_id: "", feed_url, medium });
  const many = Array.from({ length: 2 * MAX_URLS_PER_PODPING + 1 }, (_, n) => feed(`https://a.example/${n}`));
  assert.deepEqual(groupFeeds([]), []);
  assert.deepEqual(groupFeeds(many).map((group) => group.length), [MAX_URLS_PER_PODPING, MAX_URLS_PER_PODPING, 1]);
  assert.deepEqual(groupFeeds(many).flat(), many);
  const [a, b, c] = [feed("https://a.example/"), feed("https://b.example/", "music"), feed("https://c.example/")];
  assert.deepEqual(groupFeeds([a, b, c]), [[a, c], [b]]);
  const long = Array.from({ length: 50 }, (_, n) => feed(`https://a.example/${n}/`.padEnd(1500, "x")));
  const groups = groupFeeds(long);
  assert.deepEqual(groups.map((group) => group.length), [33, 17]);
  for (const group of groups) assert.ok(JSON.stringify(group.map(({ feed_url }) => feed_url)).length < 65_536);
});
