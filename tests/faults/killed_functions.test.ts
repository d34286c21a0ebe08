// Functions are killed while users upload, publish and edit. In the end rows, storage usage, objects and feed agree:
// every 200 took effect once, and the sweep deletes all orphans.
import assert from "node:assert/strict";
import { XMLParser } from "fast-xml-parser";
import { callRpc, type Episode, episode, person, podcast, sql, stackInfo, waitFor } from "../http/harness.ts";
import { upload } from "../http/api/audio.ts";
import { randomNumbers } from "../random.ts";
import { byScale } from "../scale.ts";
import {
  assertNoDrift,
  assertNoOrphans,
  assertQueuesEmpty,
  killRepeatedly,
  orNullIfKilled,
  sanitize,
} from "./kill_functions.ts";

Deno.test({
  name: "functions that are killed at work lose no data and leave no permanent orphan",
  ...sanitize,
  async fn() {
    const next = randomNumbers(20261121);
    const show = await podcast("Killed", "unlucky"), owner = await person("unlucky"); // an account that no other test charges
    const episodes: Episode[] = [];
    for (let n = 0; n < 8; n++) episodes.push(await episode(show, `Number ${n}`));
    const accepted = new Map<string, string>(); // the last audio whose upload returned 200, by episode

    await killRepeatedly(byScale(5, 40), next, (functions) =>
      Promise.all(episodes.map(async (one, n) => {
        for (let turn = 0; turn < 3; turn++) {
          const { path, headers } = upload(show, one);
          const body = new Uint8Array(20_000 + Math.floor(next() * 200_000)).fill(n);
          const response = await orNullIfKilled(fetch(functions.url + path, {
            method: "PUT",
            headers: { ...headers, authorization: `Bearer ${owner.token}` },
            body,
          }));
          if (!response) return;
          if (response.status === 200) accepted.set(one.id, response.body.publicUrl);
          if (n % 2 === 0) await callRpc(owner, "publish_episode", { episode_id: one.id }).catch(() => {});
        }
      })), () => accepted.size > 0);

    await assertQueuesEmpty();
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
    // a successful upload exists unless a later one, whose response was lost, replaced it
    for (const id of accepted.keys()) assert.ok(rows.find((row) => row.id === id)?.url);

    await assertNoDrift(owner);

    const published = rows.filter((row) => row.status === "published").map((row) => row.url).sort();
    await waitFor("the feed lists what is published, with its present audio", async () => {
      const text = await (await fetch(`${stackInfo.functionsUrl}/public/feeds/${show.slug}.xml`)).text();
      const { rss } = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === "item" }).parse(text);
      const listed = (rss.channel.item ?? []).map((item: { enclosure: Record<string, string> }) =>
        item.enclosure["@_url"]
      );
      return JSON.stringify(listed.sort()) === JSON.stringify(published);
    }, 30);

    await assertNoOrphans(`podcasts/${show.id}/`);
  },
});
