/**
 * Renders a podcast's feed: the items that changed, then the document from all of them. Only changed items pass through
 * here; the others are joined in the database as they were stored (sql/90_public).
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { TransactionSql } from "postgres";
import { service } from "../db.ts";
import { combine, GZIP_HEADER, gzipTrailer, part, type Sum } from "./gzip.ts";
import { head, item, itemContext, TAIL } from "./render.ts";
import type { FeedEpisode, FeedPodcast, ItemContext } from "./rows.ts";

/**
 * Brings the stored feed up to date. Running it twice, or twice at once, is harmless: each transaction holds the feed's
 * lock, and one that dies leaves the batches before it stored and the served document as it was.
 */
export async function renderFeed(podcastId: string): Promise<void> {
  while (await service.begin((sql) => renderBatch(sql, podcastId)) === "more");
}

/** One transaction: a batch of items and, when none is left dirty, the document. */
async function renderBatch(sql: TransactionSql, podcastId: string): Promise<"more" | "done"> {
  const [{ podcast }] = await sql<{ podcast: FeedPodcast | null }[]>`select private.open_feed(${podcastId}) as podcast`;
  if (!podcast) return "done"; // external or gone: nothing is served
  const show = itemContext(podcast);
  const context = sha256(JSON.stringify(show)).toString("base64url");
  const stale = await sql<{ item: FeedEpisode; dirty: string }[]>`
    select item, dirty from private.dirty_feed_items(${podcastId}, ${context})`;
  if (stale.length > 0) {
    const items = JSON.stringify(stale.map((row) => storable(row.item, show)));
    await sql`select private.store_feed_items(${podcastId}, ${context}, ${items}::text::jsonb)`;
    if (Number(stale[0].dirty) > stale.length) return "more";
  }
  await writeDocument(sql, podcast);
  return "done";
}

/** A rendered item as private.store_feed_items takes it. */
function storable(episode: FeedEpisode, show: ItemContext) {
  const text = item(episode, show);
  const { deflated, crc32, bytes } = part(text);
  return {
    episode_id: episode.id,
    published_at: episode.published_at,
    rendered_from: episode.updated_at,
    deflated: Buffer.from(deflated).toString("base64"),
    crc32,
    bytes,
    digest: sha256(text).toString("base64"),
  };
}

interface Measure {
  sums: [crc32: number, bytes: number][];
  digest: string;
  /** The digest of the present document; null when there is none. */
  written: string | null;
  date: string;
}

/** Writes the document unless the one that stands says the same: ETag and Last-Modified change with the content only. */
async function writeDocument(sql: TransactionSql, podcast: FeedPodcast) {
  const [{ measure }] = await sql<{ measure: Measure }[]>`select private.measure_feed(${podcast.id}) as measure`;
  // without its date, which is that of the change
  const digest = sha256(`${head(podcast)}\0${measure.digest}\0${TAIL}`);
  if (digest.toString("hex") === measure.written) return;

  const begin = part(head({ ...podcast, changed_at: new Date(measure.date) }));
  const end = part(TAIL);
  const whole = combine([begin, ...measure.sums.map(([crc32, bytes]): Sum => ({ crc32, bytes })), end]);
  const etag = sha256(`${digest.toString("hex")} ${measure.date}`).toString("base64url").slice(0, 27);
  await sql`
    select private.write_feed(${podcast.id}, ${digest}, ${etag}, ${measure.date}, ${whole.bytes},
      ${Buffer.concat([GZIP_HEADER, begin.deflated])}, ${Buffer.concat([end.deflated, gzipTrailer(whole)])})`;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
