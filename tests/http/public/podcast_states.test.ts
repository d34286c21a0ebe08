// How every public address responds in each state of its podcast, from active to deleted.
import assert from "node:assert/strict";
import { callRpc, podcast, sql, waitFor } from "../harness.ts";
import {
  deleteNow,
  get,
  type Got,
  LOCATION,
  makeShow,
  NEW_HOME,
  newFeedUrls,
  owner,
  requestDeletion,
  type Show,
} from "./podcast_moves.ts";

const [{ pages_url }] = await sql<{ pages_url: string }[]>`select private.get_setting('pages_url') as pages_url`;

const listenUrl = ({ slug, published }: Show) => `${pages_url}/listen/${slug}/${published.slug}`;

/** Keeps the scheduled job from deleting a due podcast while a test reads it: a dead letter waits for an operator. */
const holdDeletion = ({ id }: Show) =>
  sql`select pgmq.send('podcast_deletions_dlq', jsonb_build_object('message', jsonb_build_object('podcast_id', ${id}::uuid)))`;

/** Redirects the feed of a podcast that stays. */
const redirectFeed = ({ id }: Show, redirect_url: string | null) =>
  callRpc(owner, "set_feed_redirect", { podcast_id: id, redirect_url });

/** As redirect_delay_minutes, which all tests share, would hold a redirect back. */
async function holdBack({ id, slug }: Show, former: string | null) {
  await sql`
    update private.feed_redirects set starts_at = now() + interval '1 hour', former_url = ${former} where podcast_id = ${id}`;
  await sql`select private.invalidate_feed('podcast.updated', ${id}, ${slug})`;
}

type Expected = number | [status: number, location: string];

interface Responses {
  /** To GET, HEAD, If-None-Match and If-Modified-Since. */
  feed: [get: Expected, head: Expected, etag: Expected, date: Expected];
  v1: Expected;
  /** Of pages and players. */
  pages: Expected;
  /** The feed's itunes:new-feed-url; absent: the feed has none, or there is no document. */
  newFeedUrl?: string;
}

const moved = (to: string): Responses["feed"] => [[301, to], [301, to], [301, to], [301, to]];
const PUBLIC: Responses = { feed: [200, 200, 304, 304], v1: 200, pages: 200 };
const MOVED: Responses = { ...PUBLIC, feed: moved(LOCATION), newFeedUrl: LOCATION };
const DELETED: Responses = { feed: [410, 410, 410, 410], v1: 404, pages: 410 };
const MERGED_INTO = await podcast("Merged into");
const [{ merged_feed }] = await sql<
  { merged_feed: string }[]
>`select private.feed_url(${MERGED_INTO.slug}) as merged_feed`;

const STATES: Record<string, Responses & { enter: (show: Show) => Promise<unknown> }> = {
  "active": { ...PUBLIC, enter: () => Promise.resolve() },
  "paused": {
    ...PUBLIC,
    enter: ({ id }) =>
      sql`update public.podcasts set status = 'paused', paused_at = now(), pause_expires_at = now() + interval '1 day' where id = ${id}`,
  },
  "redirected without deletion": {
    ...MOVED,
    enter: (show) => redirectFeed(show, NEW_HOME),
  },
  "redirected, with a redirect that is held back": {
    ...MOVED,
    enter: async (show) => {
      await redirectFeed(show, "https://later.example/feed");
      await holdBack(show, NEW_HOME);
    },
  },
  "not redirected yet, because the redirect is held back": {
    ...PUBLIC,
    enter: async (show) => {
      await redirectFeed(show, NEW_HOME);
      await holdBack(show, null);
    },
  },
  "no longer redirected": {
    ...PUBLIC,
    enter: async (show) => {
      await redirectFeed(show, NEW_HOME);
      await redirectFeed(show, null);
    },
  },
  "merged into another podcast": {
    ...PUBLIC,
    feed: moved(merged_feed),
    newFeedUrl: merged_feed,
    enter: (show) => redirectFeed(show, merged_feed),
  },
  "merged into another podcast and deleted": {
    ...DELETED,
    feed: moved(merged_feed),
    enter: async (show) => {
      await requestDeletion(show, merged_feed, 90);
      await deleteNow(show);
    },
  },
  "pending deletion with a redirect": {
    ...MOVED,
    enter: (show) => requestDeletion(show, NEW_HOME, 90),
  },
  "pending deletion with the redirect that it had": {
    ...MOVED,
    enter: async (show) => {
      await redirectFeed(show, NEW_HOME);
      await requestDeletion(show, null, 90);
    },
  },
  "pending deletion with a redirect that is held back": {
    ...PUBLIC,
    enter: async (show) => {
      await requestDeletion(show, NEW_HOME, 90);
      await holdBack(show, null);
    },
  },
  "pending deletion without a redirect": {
    ...PUBLIC,
    enter: (show) => requestDeletion(show, null, 90),
  },
  "due at once": {
    ...PUBLIC,
    enter: async (show) => {
      await holdDeletion(show);
      await requestDeletion(show, NEW_HOME, 0);
    },
  },
  "kept after a canceled deletion": {
    ...PUBLIC,
    enter: async (show) => {
      await requestDeletion(show, NEW_HOME, 90);
      await callRpc(owner, "cancel_deletion", { podcast_id: show.id });
    },
  },
  "redirected again after a canceled deletion": {
    ...MOVED,
    enter: async (show) => {
      await redirectFeed(show, NEW_HOME);
      await requestDeletion(show, "https://other.example/feed", 90);
      await callRpc(owner, "cancel_deletion", { podcast_id: show.id });
    },
  },
  "deleted with the redirect that it had": {
    ...DELETED,
    feed: moved(LOCATION),
    enter: async (show) => {
      await redirectFeed(show, NEW_HOME);
      await requestDeletion(show, null, 90);
      await deleteNow(show);
    },
  },
  "deleted with a redirect that was corrected": {
    ...DELETED,
    feed: moved(LOCATION),
    enter: async (show) => {
      await requestDeletion(show, "https://wrong.example/feed", 90);
      await deleteNow(show);
      await callRpc(owner, "update_deleted_podcast_redirect", { podcast_id: show.id, redirect_url: NEW_HOME });
    },
  },
  "deleted with a redirect that is held back": {
    ...DELETED,
    enter: async (show) => {
      await requestDeletion(show, null, 90);
      await deleteNow(show);
      await callRpc(owner, "update_deleted_podcast_redirect", { podcast_id: show.id, redirect_url: NEW_HOME });
      await holdBack(show, null);
    },
  },
  "deleted with a redirect that ended": {
    ...DELETED,
    enter: async (show) => {
      await requestDeletion(show, NEW_HOME, 90);
      await deleteNow(show);
      await callRpc(owner, "update_deleted_podcast_redirect", { podcast_id: show.id, redirect_url: null });
    },
  },
  "deleted with a redirect": {
    ...DELETED,
    feed: moved(LOCATION),
    enter: async (show) => {
      await requestDeletion(show, NEW_HOME, 90);
      await deleteNow(show);
    },
  },
  "deleted without a redirect": {
    ...DELETED,
    enter: async (show) => {
      await requestDeletion(show, null, 90);
      await deleteNow(show);
    },
  },
  "deleted at once": {
    ...DELETED,
    enter: async (show) => {
      await holdDeletion(show);
      await requestDeletion(show, NEW_HOME, 0);
      await deleteNow(show);
    },
  },
};

/** One for each state, rendered at the same time. */
const shows = await Promise.all(Object.keys(STATES).map((state) => makeShow(`State ${state}`)));

for (const [n, [state, { enter, feed, v1, pages, newFeedUrl }]] of Object.entries(STATES).entries()) {
  Deno.test(`every public address of a podcast that is ${state} responds as its state requires`, async () => {
    const show = shows[n], feedPath = `/feeds/${show.slug}.xml`;
    const { headers } = await get(feedPath, { "accept-encoding": "identity" });
    await enter(show);
    // a change renders the feed again, with another ETag if its document has changed
    await waitFor("the worker has rendered", async () => {
      const [{ is_rendered }] = await sql`
        select not exists (select from pgmq.q_feed_invalidation where message ->> 'podcast_id' = ${show.id}) as is_rendered`;
      return is_rendered;
    });
    const now = await get(feedPath, { "accept-encoding": "identity" });
    const etag = now.headers.get("etag") ?? headers.get("etag")!;
    const date = now.headers.get("last-modified") ?? headers.get("last-modified")!;

    const head = await get(feedPath, {}, "HEAD");
    const responses: [what: string, expected: Expected, actual: Got][] = [
      ["feed", feed[0], now],
      ["feed by HEAD", feed[1], head],
      ["feed by If-None-Match", feed[2], await get(feedPath, { "if-none-match": etag })],
      ["feed by If-Modified-Since", feed[3], await get(feedPath, { "if-modified-since": date })],
      ["/v1 podcast", v1, await get(`/v1/podcasts/${show.slug}`)],
      ["/v1 episodes", v1, await get(`/v1/podcasts/${show.slug}/episodes`)],
      ["/v1 newest episode", v1, await get(`/v1/podcasts/${show.slug}/episodes/latest`)],
      ["/v1 episode", v1, await get(`/v1/podcasts/${show.slug}/episodes/${show.published.slug}`)],
      ["/v1 episode by id", v1, await get(`/v1/episodes/${show.published.id}`)],
      ["/v1 transcripts", v1, await get(`/v1/episodes/${show.published.id}/transcripts`)],
      ["/v1 oEmbed", v1, await get(`/v1/oembed?url=${encodeURIComponent(listenUrl(show))}`)],
      ["page of the podcast", pages, await get(`/listen/${show.slug}`)],
      ["page of an episode", pages, await get(`/listen/${show.slug}/${show.published.slug}`)],
      ["page of an episode by id", pages, await get(`/listen/${show.slug}/${show.published.id}`)],
      ["player of an episode", pages, await get(`/ep/${show.published.id}`)],
      ["player of the latest episode", pages, await get(`/latest/${show.slug}`)],
      ["player of the podcast", pages, await get(`/show/${show.slug}`)],
      ["page of a draft", pages === 410 ? 410 : 404, await get(`/listen/${show.slug}/${show.draft.id}`)],
      ["player of a draft", 404, await get(`/ep/${show.draft.id}`)],
    ];
    assert.deepEqual(
      responses.map(([what, , { status, location }]) => [what, location ? [status, location] : status]),
      responses.map(([what, expected]) => [what, expected]),
    );
    assert.deepEqual(newFeedUrls(now), newFeedUrl ? [newFeedUrl] : []);
    const lifetime = pages === 410 ? 86_400 : "60, stale-if-error=600"; // the feed of a deleted podcast stays as it is
    for (const { headers } of [now, head]) {
      assert.equal(headers.get("cache-control")?.replace(", no-transform", ""), `public, max-age=${lifetime}`);
    }
    for (const [what, , { status, text }] of responses) {
      if (status === 410 && text) {
        assert.deepEqual(JSON.parse(text), { error: "The podcast was deleted", code: "PODCAST_DELETED" }, what);
      }
    }
  });
}
