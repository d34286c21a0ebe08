// Readers behind a CDN that never forgets: each change reaches them, because the worker of a running stack purges it.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { CDN_TOKEN, startLoopbackCdn } from "../feed_pings/loopback_cdn.ts";
import { asPostgres } from "../database.ts";
import { waitFor } from "../wait_for.ts";
import { startTestStack } from "../stack.ts";
import { allBytes, mp3 } from "../worker/source.ts";

Deno.test({
  name: "readers behind a CDN see each change of a podcast, from the publication of an episode to the deletion",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using at = await startTestStack({ functionsEnv: { CDN_PURGE_TOKEN: CDN_TOKEN } });
    await using sql = asPostgres(at);
    await using cdn = startLoopbackCdn(`${at.functionsUrl}/public`);
    const auth = { persistSession: false, autoRefreshToken: false };
    const account = { email: "cached@people.test", password: "correct horse" };
    await createClient(at.url, at.secretKey, { auth }).auth.admin.createUser({ ...account, email_confirm: true });
    const owner = createClient(at.url, at.publishableKey, { auth });
    const { data: { session } } = await owner.auth.signInWithPassword(account);
    const run = async (name: string, args: object) => {
      const { data, error } = await owner.rpc(name, args);
      assert.equal(error, null, name);
      return data;
    };
    const put = async (path: string, type: string, body: BodyInit, query: Record<string, string>) => {
      const url = `${at.functionsUrl}/api/media/${path}/upload/${crypto.randomUUID()}?${new URLSearchParams(query)}`;
      const headers = { authorization: `Bearer ${session!.access_token}`, "content-type": type };
      const response = await fetch(url, { method: "PUT", headers, body });
      assert.equal(response.status, 200, path);
      return await response.json();
    };

    await sql`select private.set_setting('fetch_allowed_hosts', concat_ws(',', private.get_setting('fetch_allowed_hosts'),
      ${cdn.host}::text)), private.set_setting('cdn_purge_url', ${cdn.purgeUrls.fastly}),
      private.set_setting('cdn_purge_delay_seconds', '0')`;
    const show = await run("create_podcast", { title: "夜 行", slug: "夜-行" });
    const episode = await run("create_episode", { podcast_id: show.id, title: "Paris" });
    const query = { podcastId: show.id, episodeId: episode.id };
    await put("audio", "audio/mpeg", allBytes(mp3(20_000, 0)), { ...query, filename: "a.mp3", duration: "1" });
    await put("transcript", "application/json+chapters", '{"version":"1.2.0","chapters":[{"startTime":0}]}', query);
    const { transcriptId } = await put("transcript", "text/vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n", query);

    const slug = encodeURIComponent(show.slug), podcast = `/v1/podcasts/${slug}`;
    /** Addresses of the podcast, and of the episode. */
    const lists = [podcast, `${podcast}/episodes`, `/feeds/${slug}.xml`, `/listen/${slug}`];
    const pages = [
      `/v1/episodes/${episode.id}/transcripts`,
      `/chapters/${episode.id}.json`,
      `/transcripts/${transcriptId}.vtt`,
      `/transcripts/${transcriptId}.srt`,
      `/listen/${slug}/${episode.slug}`,
      `/ep/${episode.id}`,
      `/latest/${slug}`,
      `/show/${slug}`,
    ];
    async function read(base: string, path: string) {
      const response = await fetch(base + path, { redirect: "manual" });
      const { status, headers } = response;
      return { status, text: await response.text(), cache: headers.get("x-cache") };
    }
    const through = (path: string) => read(cdn.url, path);
    const fromOrigin = (path: string) => read(`${at.functionsUrl}/public`, path);
    /** Each purge is enqueued by the transaction that makes it necessary, so one statement sees all that are left. */
    const isPurged = async () =>
      (await sql`select from pgmq.q_audio_probes union all select from pgmq.q_feed_invalidation
        union all select from pgmq.q_cdn_purge`).length === 0;
    /**
     * Waits for the last purge, and until the CDN returns what the origin does, for all addresses. So it keeps each of
     * them that may be kept.
     */
    async function settled(what: string, isTrue: (text: string) => boolean) {
      await waitFor(what, async () => isTrue((await fromOrigin(`/feeds/${slug}.xml`)).text), 60);
      await waitFor(`${what}: the purges`, isPurged, 60);
      for (const path of [...lists, ...pages]) {
        await waitFor(`${what}: ${path}`, async () => {
          const [kept, fresh] = await Promise.all([through(path), fromOrigin(path)]);
          return kept.status === fresh.status && kept.text.replace(/"requestId":"[^"]*"/, "") === fresh.text;
        }, 60);
      }
    }
    const statuses = async (paths: string[]) =>
      await Promise.all(paths.map(async (path) => (await through(path)).status));
    const found = [200, 200, 302, 200, 200, 200, 200, 200];

    assert.deepEqual(await statuses(pages), pages.map(() => 404), "a draft is not public");
    await run("publish_episode", { episode_id: episode.id });
    await settled("the publication", (feed) => feed.includes("Paris"));
    assert.deepEqual(await statuses(pages), found);
    for (const path of [...lists, ...pages]) assert.equal((await through(path)).cache, "HIT", path);
    assert.equal(cdn.purges.flat().every((key) => /^podcast-[0-9a-f]{16}$/.test(key)), true);

    const { error } = await owner.from("podcasts").update({ title: "Nightly" }).eq("id", show.id);
    assert.equal(error, null);
    await settled("the podcast's title", (feed) => feed.includes("Nightly"));
    assert.match((await through(`/chapters/${episode.id}.json`)).text, /Nightly/);

    await run("unpublish_episode", { episode_id: episode.id });
    await settled("the end of the publication", (feed) => !feed.includes("Paris"));
    assert.deepEqual(await statuses(pages), pages.map(() => 404));
    for (const path of pages) assert.equal((await through(path)).cache, "MISS", `${path}: a 404 is not kept`);

    await sql`select private.set_setting('cdn_purge_url', ${cdn.purgeUrls.cloudflare}),
      private.set_setting('cdn_purge_format', 'cloudflare')`;
    await run("publish_episode", { episode_id: episode.id });
    await settled("the second publication", (feed) => feed.includes("Paris"));
    assert.deepEqual(await statuses(pages), found);

    await run("delete_podcast", { podcast_id: show.id, confirm_name: "Nightly", redirect_url: null, redirect_days: 1 });
    await sql`select private.delete_due_podcast(${show.id}, now() + interval '2 days')`;
    await settled("the deletion", (feed) => feed.includes("PODCAST_DELETED"));
    assert.deepEqual(await statuses(lists), [404, 404, 410, 410]);
    assert.deepEqual(await statuses(pages), [404, 404, 404, 404, 410, 410, 410, 410]);
  },
});
