// The functions are killed again and again while people upload, publish and edit. In the end the rows, the ledger, the
// objects and the feed agree: what was answered 200 is there, nothing is doubled, and what is orphaned the sweep takes.
import assert from "node:assert/strict";
import { XMLParser } from "fast-xml-parser";
import { at, type Episode, episode, eventually, person, podcast, sql, verb } from "../http/harness.ts";
import { upload } from "../http/api/audio.ts";
import { startFunctions } from "../functions.ts";
import { scaled } from "../scale.ts";

const kills = scaled(5, 40);

/** Seeded, so that a failure can be met again. */
function random(seed: number) {
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}

Deno.test({
  name: "Functions that are killed while they work lose nothing and orphan nothing for good",
  sanitizeOps: false, // connections to killed processes end when they end
  sanitizeResources: false,
  async fn() {
    const next = random(20261121);
    const show = await podcast("Killed", "unlucky"), owner = await person("unlucky"); // an account that no other test charges
    const episodes: Episode[] = [];
    for (let n = 0; n < 8; n++) episodes.push(await episode(show, `Number ${n}`));
    const accepted = new Map<string, string>(); // the last audio that was answered 200, by episode

    for (let kill = 0; kill < kills; kill++) {
      await using functions = await startFunctions(at);
      const work = Promise.all(episodes.map(async (one, n) => {
        for (let turn = 0; turn < 3; turn++) {
          const { path, headers } = upload(show, one);
          const body = new Uint8Array(20_000 + Math.floor(next() * 200_000)).fill(n);
          const answer = await fetch(functions.url + path, {
            method: "PUT",
            headers: { ...headers, authorization: `Bearer ${owner.token}` },
            body,
          }).catch(() => undefined); // killed
          if (!answer) return;
          const told = await answer.json().catch(() => undefined);
          if (answer.status === 200 && told) accepted.set(one.id, told.publicUrl);
          if (n % 2 === 0) await verb(owner, "publish_episode", { episode_id: one.id }).catch(() => {});
        }
      }));
      const before = accepted.size;
      const patience = Date.now() + 5000; // on a busy machine the first answer takes its time
      do await new Promise((resolve) => setTimeout(resolve, 20 + next() * 250)); while (
        kill === 0 && accepted.size === before && Date.now() < patience
      );
      Deno.kill(functions.pid, "SIGKILL");
      await work;
    }

    assert.ok(accepted.size > 0, "no upload was ever accepted: the kills come too early to show anything");
    await eventually("the queues are empty", async () => {
      const [{ left }] = await sql`select sum(depth)::int as left from private.queue_health`;
      return left === 0;
    }, 60);
    const rows = await sql`
      select e.id, e.status, e.audio_url as url, e.audio_file_size_bytes::int as bytes, m.path, m.bytes::int as charged,
        (o.metadata ->> 'size')::int as stored
      from public.episodes e
      left join private.media_objects m on m.episode_id = e.id and m.released_at is null
      left join storage.objects o on o.bucket_id = 'media' and o.name = m.path
      where e.podcast_id = ${show.id}`;
    for (const row of rows) {
      assert.deepEqual([row.charged, row.stored], [row.bytes, row.bytes], "row, ledger and object agree");
      if (!row.url) continue;
      assert.equal(new URL(row.url).pathname.endsWith(row.path), true);
      const served = await fetch(row.url);
      assert.deepEqual([served.status, (await served.arrayBuffer()).byteLength], [200, row.bytes]);
    }
    // an upload that was answered is there, unless a later one, whose answer was killed, replaced it
    for (const id of accepted.keys()) assert.ok(rows.find((row) => row.id === id)?.url);

    const [{ drift }] = await sql`
      select count(*)::int as drift from public.billing_accounts a
      where a.user_id = ${owner.id} and a.storage_bytes_used <> coalesce((select sum(bytes) from private.media_objects m
        where m.account_id = a.user_id and m.released_at is null), 0)`;
    assert.equal(drift, 0);

    const published = rows.filter((row) => row.status === "published").map((row) => row.url).sort();
    await eventually("the feed lists what is published, with its present audio", async () => {
      const text = await (await fetch(`${at.functionsUrl}/public/feeds/${show.slug}.xml`)).text();
      const { rss } = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === "item" }).parse(text);
      const listed = (rss.channel.item ?? []).map((item: { enclosure: Record<string, string> }) =>
        item.enclosure["@_url"]
      );
      return JSON.stringify(listed.sort()) === JSON.stringify(published);
    }, 30);

    // a month later the sweep has taken every object of this podcast that no row refers to
    const ours = `podcasts/${show.id}/%`;
    await sql`update storage.objects set created_at = now() - interval '30 days' where name like ${ours}`;
    await sql`update private.media_objects set released_at = now() - interval '30 days'
      where released_at is not null and path like ${ours}`;
    await sql`select private.sweep_storage()`;
    await eventually("nothing is orphaned", async () => {
      const [{ orphans }] = await sql`
        select count(*)::int as orphans from storage.objects o
        where o.name like ${ours}
          and not exists (select from private.media_objects m where m.path = o.name and m.released_at is null)`;
      return orphans === 0;
    }, 30);
  },
});
