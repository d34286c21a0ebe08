// Rendering on a real database: which items are re-rendered, and what is served.
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import type postgres from "postgres";
import { ITEM_RENDER_VERSION } from "../../functions/feed_writer/render.ts";
import { byScale } from "../scale.ts";
import { waitFor } from "../wait_for.ts";
import { childrenNamed, parseXml } from "./fixture.ts";
import { createRenderings, itemCredits } from "./rendering.ts";
import { makePodcast } from "./feed_database.ts";

const channelOf = (gzip: Uint8Array) => parseXml(gunzipSync(gzip).toString()).children[0];
/** A served document. */
const document = ({ etag, last_modified, gzip }: { etag: string; last_modified: Date; gzip: Uint8Array }) => ({
  etag,
  last_modified,
  gzip,
});

/** The clock of this database's renderings, which does not advance by itself. */
async function stoppedClock(sql: postgres.Sql, at: Date) {
  const [{ definition }] =
    await sql`select pg_get_functiondef('private.get_feed_for_rendering'::regproc) as definition`;
  const set = async (to: Date) =>
    void await sql.unsafe(`
      create or replace function public.stopped_clock() returns timestamptz language sql
      return timestamptz '${to.toISOString()}'`);
  await set(at);
  const stopped = definition.replace("clock_timestamp()", "public.stopped_clock()");
  assert.notEqual(stopped, definition);
  await sql.unsafe(stopped);
  return {
    set,
    async [Symbol.asyncDispose]() {
      await sql.unsafe(definition);
      await sql`drop function public.stopped_clock()`;
    },
  };
}

Deno.test({ name: "rendering a feed", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using feeds = await createRenderings();
  const { sql, renderFeed, stored, rendered, items, show, credit } = feeds;

  await t.step("a new podcast has a feed before its first episode", async () => {
    const { channel, titles } = await rendered(await makePodcast(sql, { title: "Silence" }));
    assert.equal(childrenNamed(channel, "title")[0].text, "Silence");
    assert.deepEqual(titles, []);
  });

  await t.step("an external podcast has no feed", async () => {
    const id = await makePodcast(sql, { hosting_type: "external" });
    await renderFeed(id);
    assert.equal(await stored(id), undefined);
  });

  await t.step("a deleted podcast has no feed, and rendering it does nothing", async () => {
    await renderFeed(crypto.randomUUID());
  });

  await t.step("credits and trailers of a podcast appear in the channel, and no item is re-rendered", async () => {
    const id = await show(3);
    await sql`update public.episodes set episode_type = 'trailer' where podcast_id = ${id} and slug = 'paris-1'`;
    await rendered(id);
    const before = await items(id);
    await sql`
      insert into public.podcast_credits (podcast_id, name, role_label, display_order) values (${id}, 'Ana', 'Host', 0)`;
    const { channel } = await rendered(id);
    assert.deepEqual(itemCredits(channel), ["Host: Ana"]);
    assert.deepEqual(childrenNamed(channel, "podcast:trailer").map(({ text, attributes }) => [text, attributes.url]), [
      ["Paris 1", "https://media.example/1.mp3"],
    ]);
    const [newest] = childrenNamed(channel, "item").map((item) => childrenNamed(item, "pubDate")[0].text);
    assert.equal(childrenNamed(channel, "pubDate")[0].text, newest);
    assert.deepEqual(await items(id), before);
  });

  await t.step("an extra tag that is not well-formed is left out, and the feed stays well-formed", async () => {
    const id = await show(1);
    const tags = sql.json(["<podcast:chat server='a'/>", "<broken>", "<media:undeclared/>"]);
    await sql`update public.episodes set extra_tags = ${tags} where podcast_id = ${id}`;
    await sql`update public.podcasts set extra_tags = ${tags} where id = ${id}`;
    const { channel } = await rendered(id);
    for (const place of [channel, ...childrenNamed(channel, "item")]) {
      assert.equal(childrenNamed(place, "podcast:chat").length, 1);
      assert.deepEqual([...childrenNamed(place, "broken"), ...childrenNamed(place, "media:undeclared")], []);
    }
  });

  await t.step("items are sorted newest first", async () => {
    const { titles } = await rendered(await show(5));
    assert.deepEqual(titles, ["Paris 0", "Paris 1", "Paris 2", "Paris 3", "Paris 4"]);
  });

  await t.step("drafts, scheduled and archived episodes are not in the feed", async () => {
    const id = await show(4);
    await sql`update public.episodes set status = 'archived' where podcast_id = ${id} and slug = 'paris-1'`;
    await sql`update public.episodes set status = 'draft' where podcast_id = ${id} and slug = 'paris-2'`;
    await sql`update public.episodes set status = 'scheduled', scheduled_at = now() + interval '1 day'
      where podcast_id = ${id} and slug = 'paris-3'`;
    assert.deepEqual((await rendered(id)).titles, ["Paris 0"]);
  });

  await t.step("rendering unchanged content keeps ETag, Last-Modified, bytes and items", async () => {
    const id = await show(3);
    const [first, before] = [await rendered(id), await items(id)];
    assert.deepEqual(document(await rendered(id)), document(first));
    assert.deepEqual(await items(id), before);
  });

  await t.step("a change outside the feed keeps ETag and Last-Modified", async () => {
    const id = await show(2);
    const first = await rendered(id);
    await sql`update public.podcasts set header_image_url = 'https://media.example/h.jpg' where id = ${id}`;
    await sql`update public.episodes set title = title where podcast_id = ${id}`; // a new updated_at, unchanged content
    assert.deepEqual(document(await rendered(id)), document(first));
  });

  await t.step("a changed episode is re-rendered, and no other", async () => {
    const id = await show(3);
    const [first, before] = [await rendered(id), await items(id)];
    await sql`update public.episodes set title = 'Lyon' where podcast_id = ${id} and slug = 'paris-1'`;
    const second = await rendered(id);
    assert.deepEqual(second.titles, ["Paris 0", "Lyon", "Paris 2"]);
    assert.notEqual(second.etag, first.etag);
    assert.ok(second.last_modified > first.last_modified);
    const after = await items(id);
    assert.deepEqual([after["Paris 0"], after["Paris 2"]], [before["Paris 0"], before["Paris 2"]]);
  });

  await t.step("a change within the same second moves Last-Modified, never into the future", async () => {
    const id = await show(1);
    const dates: Date[] = [];
    for (const title of ["One", "Two", "Three"]) {
      await sql`update public.episodes set title = ${title} where podcast_id = ${id}`;
      dates.push((await rendered(id)).last_modified);
      assert.ok(dates.at(-1)!.getTime() <= Date.now());
    }
    assert.ok(dates[0] < dates[1] && dates[1] < dates[2]);
  });

  await t.step("a rendering that waits for the next second includes later changes", async () => {
    const id = await show(1);
    const title = (title: string) => sql`update public.episodes set title = ${title} where podcast_id = ${id}`;
    await title("One");
    const { last_modified: second } = await rendered(id);
    await using clock = await stoppedClock(sql, new Date(second.getTime() + 950));
    await title("Two");
    const rendering = rendered(id);
    await waitFor("the rendered item of Two", async () => {
      const stored = await sql`
        select from private.feed_items i join public.episodes e on e.id = i.episode_id and e.updated_at = i.episode_updated_at
        where i.podcast_id = ${id}`;
      return stored.length === 1;
    });
    await title("Three");
    const next = new Date(second.getTime() + 1000);
    await clock.set(next);
    const { titles, last_modified } = await rendering;
    assert.deepEqual([titles, last_modified], [["Three"], next]);
  });

  for (
    const [statement, table, where] of [
      ["store_feed_items", "episodes", sql`podcast_id`],
      ["store_feed_document", "podcasts", sql`id`], // only the head changes: no item is stored before
    ] as const
  ) {
    await t.step(`a rendering reads again when a concurrent one was faster than its ${statement}`, async () => {
      const id = await show(1);
      const title = (title: string) => sql`update public.${sql(table)} set title = ${title} where ${where} = ${id}`;
      await rendered(id);
      await sql`update private.feed_documents set last_modified = last_modified - interval '1 minute' where podcast_id = ${id}`;
      await title("Older");
      let rendering: Promise<unknown> | undefined;
      await sql.begin(async (faster) => {
        await faster`select private.lock_feed_document(${id}, 0)`;
        rendering = renderFeed(id);
        await waitFor(`${statement} waits`, async () => {
          const waiting = await sql`
            select from pg_stat_activity where wait_event = 'advisory' and datname = current_database() and query like ${`%${statement}%`}`;
          return waiting.length === 1;
        });
        await title("Newer");
        await faster`update private.feed_documents set version = version + 1 where podcast_id = ${id}`;
      });
      await rendering;
      const xml = gunzipSync((await stored(id)).gzip).toString();
      assert.ok(xml.includes("<title>Newer</title>") && !xml.includes("Older"));
    });
  }

  await t.step("a rendering without changes prevents a concurrent one with older rows from storing", async () => {
    const id = await show(1);
    const title = (title: string) => sql`update public.episodes set title = ${title} where podcast_id = ${id}`;
    await title("Kept");
    await rendered(id);
    await sql`update private.feed_documents set last_modified = last_modified - interval '1 minute' where podcast_id = ${id}`;
    const before = await stored(id);
    await title("Taken back"); // the older rows
    const [older] = await sql`select version from private.get_feed_for_rendering(${id}, ${ITEM_RENDER_VERSION})`;
    await title("Kept");
    await renderFeed(id);
    const { etag } = await stored(id);
    assert.equal(etag, before.etag);
    const [{ done }] = await sql`
      select private.store_feed_document(${id}, ${older.version}, '{"etag": "older"}', '', '{}', '') as done`;
    assert.equal(done, false);
    assert.equal((await stored(id)).etag, etag);
  });

  await t.step("a feed dated in the future after a clock change is stored immediately", async () => {
    const id = await show(1);
    await rendered(id);
    await sql`update private.feed_documents set last_modified = last_modified + interval '1 hour' where podcast_id = ${id}`;
    await sql`update public.episodes set title = 'Back' where podcast_id = ${id}`;
    const { titles, last_modified } = await rendered(id);
    assert.deepEqual(titles, ["Back"]);
    assert.ok(last_modified.getTime() <= Date.now());
  });

  await t.step("restored content gets a new ETag, because its date differs", async () => {
    const id = await show(1);
    const etags: string[] = [];
    for (const title of ["One", "Two", "One"]) {
      await sql`update public.episodes set title = ${title} where podcast_id = ${id}`;
      etags.push((await rendered(id)).etag);
    }
    assert.equal(new Set(etags).size, 3);
  });

  await t.step("lastBuildDate equals Last-Modified", async () => {
    const { channel, last_modified } = await rendered(await show(1));
    assert.equal(Date.parse(childrenNamed(channel, "lastBuildDate")[0].text), last_modified.getTime());
  });

  await t.step("an episode published later with an earlier date is sorted by date", async () => {
    const id = await show(2);
    await rendered(id);
    await sql`update public.episodes set published_at = now() - interval '5 years' where podcast_id = ${id} and slug = 'paris-0'`;
    assert.deepEqual((await rendered(id)).titles, ["Paris 1", "Paris 0"]);
  });

  await t.step("unpublished and deleted episodes leave the feed, and their items are deleted", async () => {
    const id = await show(3);
    await rendered(id);
    await sql`update public.episodes set status = 'draft' where podcast_id = ${id} and slug = 'paris-0'`;
    await sql`delete from public.episodes where podcast_id = ${id} and slug = 'paris-2'`;
    assert.deepEqual((await rendered(id)).titles, ["Paris 1"]);
    assert.deepEqual(Object.keys(await items(id)), ["Paris 1"]);
  });

  await t.step("new podcast artwork re-renders the items without their own", async () => {
    const id = await show(2);
    await rendered(id);
    await sql`update public.podcasts set cover_image_url = 'https://media.example/new.jpg' where id = ${id}`;
    for (const item of childrenNamed((await rendered(id)).channel, "item")) {
      assert.equal(childrenNamed(item, "itunes:image")[0].attributes.href, "https://media.example/new.jpg");
    }
  });

  await t.step("the owner's email is in the feed only if the podcaster publishes it", async () => {
    const id = await makePodcast(sql, { owner_name: "Ana", owner_email: "ana@example.com" });
    const xml = async () => gunzipSync((await rendered(id)).gzip).toString();
    assert.ok(!(await xml()).includes("ana@example.com"));
    await sql`update public.podcasts set show_owner_email = true where id = ${id}`;
    assert.ok((await xml()).includes("<itunes:email>ana@example.com</itunes:email>"));
  });

  await t.step(
    "batches are bounded by the size of their notes, and a larger episode is still rendered",
    async () => {
      const id = await show(12, "n".repeat(1_000_000));
      await sql`
        update public.episodes set show_notes_safe_html = show_notes_html, show_notes_version = 1 where podcast_id = ${id}`;
      const batch = async (bytes: number) =>
        (await sql`select jsonb_array_length(stale) as stale, remaining_stale as rest from private.get_feed_for_rendering(${id}, 0, 500, ${bytes})`)[
          0
        ];
      assert.deepEqual({ ...await batch(2_500_000) }, { stale: 2, rest: 10 });
      assert.deepEqual({ ...await batch(1000) }, { stale: 1, rest: 11 });
      assert.equal((await rendered(id)).titles.length, 12);
    },
  );

  await t.step("a feed of thousands of episodes is rendered", async () => {
    const count = byScale(1200, 5000); // in batches of 500
    const { titles } = await rendered(await show(count));
    assert.equal(titles.length, count);
    assert.equal(titles.at(-1), `Paris ${count - 1}`);
  });

  await t.step("concurrent renderings with edits in between end with the last edit", async () => {
    const id = await show(30);
    const edits = Array.from({ length: byScale(20, 40) }, async (_, n) => {
      await sql`update public.episodes set title = ${`Edit ${n}`} where podcast_id = ${id} and slug = ${`paris-${
        n % 30
      }`}`;
      if (n < 30) await credit(id, `paris-${n}`, [[`Person ${n}`, "Guest"]]); // once each: the RPC functions wait for each other, this does not
      await renderFeed(id);
    });
    await Promise.all(edits);
    const served = channelOf((await stored(id)).gzip);
    const rows = await sql`select title from public.episodes where podcast_id = ${id} order by published_at desc`;
    assert.deepEqual(
      childrenNamed(served, "item").map((item) => childrenNamed(item, "title")[0].text),
      rows.map(({ title }) => title),
    );
    const credited = await sql`
      select array_to_json(array(
        select 'Guest: ' || c.name from public.episode_credits c where c.episode_id = e.id order by c.display_order)) as people
      from public.episodes e where e.podcast_id = ${id} order by e.published_at desc`;
    assert.deepEqual(childrenNamed(served, "item").map(itemCredits), credited.map(({ people }) => people));
  });
});
