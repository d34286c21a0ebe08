// A changed episode on a running stack reaches the WebSub hub and podping, which find the change in the feed.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { asPostgres } from "../database.ts";
import { waitFor } from "../wait_for.ts";
import { startHttpServer } from "../http_server.ts";
import { startTestStack } from "../stack.ts";
import { allBytes, mp3 } from "../worker/source.ts";

Deno.test({
  name: "a publication and a changed title ping the hub and podping, which then read them in the feed",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using at = await startTestStack();
    await using sql = asPostgres(at);
    /** The feeds that each receiver was told of, with what they were at that moment. */
    const read = { hub: [] as string[], podping: [] as string[] };
    let feedUrl = "";
    const readFeed = async () => await (await fetch(feedUrl)).text();
    await using hub = startHttpServer(async (request) => {
      const form = new URLSearchParams(await request.text());
      if (form.get("hub.mode") === "publish" && form.get("hub.url") === feedUrl) read.hub.push(await readFeed());
      return new Response(null, { status: 204 });
    });
    await using podping = startHttpServer(async (request) => {
      if ((await request.json()).urls.includes(feedUrl)) read.podping.push(await readFeed());
      return new Response();
    });
    const auth = { persistSession: false, autoRefreshToken: false };
    const account = { email: "pinged@people.test", password: "correct horse" };
    await createClient(at.url, at.secretKey, { auth }).auth.admin.createUser({ ...account, email_confirm: true });
    const owner = createClient(at.url, at.publishableKey, { auth });
    const { data: { session } } = await owner.auth.signInWithPassword(account);
    const run = async (name: string, args: object) => {
      const { data, error } = await owner.rpc(name, args);
      assert.equal(error, null, name);
      return data;
    };

    await sql`update private.settings set value = concat_ws(',', value, ${new URL(hub.url).host}::text,
      ${new URL(podping.url).host}::text) where key = 'fetch_allowed_hosts'`;
    await sql`select private.set_setting('websub_hub_url', ${hub.url}),
      private.set_setting('podping_url', ${podping.url}), private.set_setting('feed_ping_delay_seconds', '0')`;
    const show = await run("create_podcast", { title: "Pinged" });
    [{ feedUrl }] = await sql<{ feedUrl: string }[]>`select private.feed_url(${show.slug}) as "feedUrl"`;
    const episode = await run("create_episode", { podcast_id: show.id, title: "Paris" });
    const query = new URLSearchParams({ podcastId: show.id, episodeId: episode.id, filename: "a.mp3", duration: "1" });
    const stored = await fetch(`${at.functionsUrl}/api/media/audio/upload/${crypto.randomUUID()}?${query}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${session!.access_token}`, "content-type": "audio/mpeg" },
      body: allBytes(mp3(20_000, 0)),
    });
    assert.equal(stored.status, 200, await stored.text());

    const pinged = async (title: string) => {
      for (const [receiver, feeds] of Object.entries(read)) {
        await waitFor(
          `${receiver} reads ${title}`,
          () => feeds.some((feed) => feed.includes(`<title>${title}</title>`)),
        );
      }
    };
    assert.deepEqual(Object.values(read).flat(), [], "a podcast without a public episode is not announced");
    await run("publish_episode", { episode_id: episode.id });
    await pinged("Paris");
    assert.ok(read.hub[0].includes(`<atom:link href="${hub.url}/" rel="hub"/>`), read.hub[0]);
    const { headers } = await fetch(feedUrl, { method: "HEAD" });
    assert.equal(headers.get("link"), `<${hub.url}/>; rel="hub", <${feedUrl}>; rel="self"`);
    assert.ok(read.hub[0].includes('<podcast:podping usesPodping="true"/>'));
    const { error } = await owner.from("episodes").update({ title: "Vienna" }).eq("id", episode.id);
    assert.equal(error, null);
    await pinged("Vienna");
  },
});
