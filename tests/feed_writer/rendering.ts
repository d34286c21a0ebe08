// A database whose feeds are rendered, with the served documents and the rendered items.
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { childrenNamed, type Node, parseXml } from "./fixture.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "./feed_database.ts";

interface Document {
  etag: string;
  last_modified: Date;
  uncompressed_bytes: string;
  gzip_bytes: string;
  gzip: Uint8Array;
}

/** Starts the database; `await using` stops it at the end of the scope. */
export async function createRenderings() {
  const scratch = await createFeedDatabase(), { sql } = scratch;
  const { renderFeed } = await import("../../functions/feed_writer/render_feed.ts");

  async function stored(podcastId: string, page = 1): Promise<Document> {
    const [row] = await sql<Document[]>`
      select * from private.get_feed_gzip(${podcastId}, ${page})`;
    return row;
  }

  async function rendered(podcastId: string): Promise<Document & { channel: Node; titles: string[] }> {
    await renderFeed(podcastId);
    const document = await stored(podcastId);
    const xml = gunzipSync(document.gzip);
    assert.deepEqual([Number(document.uncompressed_bytes), Number(document.gzip_bytes)], [
      xml.length,
      document.gzip.length,
    ]);
    const channel = parseXml(xml.toString()).children[0];
    return {
      ...document,
      channel,
      titles: childrenNamed(channel, "item").map((item) => childrenNamed(item, "title")[0].text),
    };
  }

  /** Ids of a feed's items; a re-rendered item has a new id. */
  async function items(podcastId: string): Promise<Record<string, string>> {
    const rows = await sql`
      select e.title, i.id from private.feed_items i join public.episodes e on e.id = i.episode_id
      where i.podcast_id = ${podcastId}`;
    return Object.fromEntries(rows.map((row) => [row.title, row.id]));
  }

  /** Creates a podcast with so many published episodes without credits. */
  async function show(count: number, notes?: string): Promise<string> {
    const id = await makePodcast(sql);
    await makeEpisodes(sql, id, count, notes);
    return id;
  }

  /** Appends credits in sequence. */
  async function credit(podcastId: string, slug: string, people: [name: string, label: string][]) {
    for (const [name, label] of people) {
      await sql`
        insert into public.episode_credits (episode_id, name, role_label, display_order)
        select e.id, ${name}, ${label}, (select count(*) from public.episode_credits c where c.episode_id = e.id)
        from public.episodes e where e.podcast_id = ${podcastId} and e.slug = ${slug}`;
    }
  }

  return {
    ...{ sql, renderFeed, stored, rendered, items, show, credit },
    [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
  };
}

/** Credits of an item, such as `Host: Ana`. */
export const itemCredits = (item: Node) =>
  childrenNamed(item, "podcast:person").map(({ text, attributes }) => `${attributes.role}: ${text}`);
