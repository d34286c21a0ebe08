/**
 * Renders a podcast's feed: the items of episodes that changed, then the document that lists all items. Only what
 * changed passes through here; the rest stays in the database as it was stored (sql/90_public).
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type postgres from "postgres";
import { service } from "../db.ts";
import { combine, GZIP_HEADER, gzipTrailer, part } from "./gzip.ts";
import { head, item, ITEM_VERSION, TAIL } from "./render.ts";
import type { FeedEpisode, FeedPodcast, Show } from "./rows.ts";

/**
 * Brings the stored feed up to date. Running it twice, or twice at once, is harmless: each transaction holds the feed's
 * lock, and one that dies leaves the batches before it stored and the served document as it was.
 */
export async function renderFeed(podcastId: string): Promise<void> {
  for (let rest: Rest; (rest = await service.begin((sql) => renderBatch(sql, podcastId))) !== DONE;) {
    // outside of the transaction: nobody waits for its lock meanwhile, and what else changes joins the next document
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  }
}

/** What a transaction leaves to do: nothing, or another one after that many milliseconds. */
type Rest = number | typeof DONE;
const DONE = "done";

/** What private.open_feed hands over. */
interface Opened {
  podcast: FeedPodcast;
  show: Show;
  context: string;
  /** JSON arrays, an element per item of the feed: its id, its sum, and how long its fragment is. */
  items: string;
  crc32s: string;
  sizes: string;
  zipped: string;
  stale: (FeedEpisode & { place: number })[];
  waiting: number;
  written: string | null;
  dated: Date;
  early: number;
}

/** One transaction: a batch of items and, when no other waits, the document. */
async function renderBatch(sql: postgres.TransactionSql, podcastId: string): Promise<Rest> {
  const [opened] = await sql<Opened[]>`
    select podcast, show, context, to_json(items)::text as items, to_json(crc32s)::text as crc32s,
      to_json(sizes)::text as sizes, to_json(zipped)::text as zipped, stale, waiting, written, dated, early
    from private.open_feed(${podcastId}, ${ITEM_VERSION})`;
  if (!opened) return DONE; // external or gone: nothing is served
  const list = listOf(opened);
  if (opened.stale.length > 0) await renderItems(sql, opened, list);
  if (opened.waiting > 0) return 0;
  return await writeDocument(sql, opened, list);
}

/** The items of the feed in its order. */
interface Item {
  id: number;
  crc32: number;
  bytes: number;
  zipped: number;
}

function listOf(opened: Opened): Item[] {
  const [ids, crc32s, sizes, zipped]: number[][] = [opened.items, opened.crc32s, opened.sizes, opened.zipped]
    .map((text) => JSON.parse(text));
  return ids.map((id, i) => ({ id, crc32: crc32s[i], bytes: sizes[i], zipped: zipped[i] }));
}

/** Renders and stores the batch's items, and puts them into the list. */
async function renderItems(sql: postgres.TransactionSql, { podcast, show, context, stale }: Opened, list: Item[]) {
  const rendered = stale.map((episode) => {
    const text = item(episode, show);
    const { deflated, crc32, bytes } = part(text);
    list[episode.place] = { id: 0, crc32, bytes, zipped: deflated.length };
    return {
      episode_id: episode.id,
      rendered_from: episode.updated_at,
      deflated: deflated.toString("base64"),
      crc32,
      bytes,
      digest: sha256(text).digest("base64"),
    };
  });
  const stored = await sql<{ episode_id: string; item: string }[]>`
    select episode_id, item
    from private.store_feed_items(${podcast.id}, ${context}, ${JSON.stringify(rendered)}::text::jsonb)`;
  const ids = new Map(stored.map(({ episode_id, item }) => [episode_id, Number(item)]));
  for (const { id, place } of stale) list[place].id = ids.get(id)!;
}

/** Writes the document unless the one that stands says the same: ETag and Last-Modified change with the content only. */
async function writeDocument(sql: postgres.TransactionSql, opened: Opened, list: Item[]): Promise<Rest> {
  const { podcast, written, dated, early } = opened;
  const ids = JSON.stringify(list.map(({ id }) => id));
  // without its date, which is that of the change; items are known by their ids, since their words never change
  const digest = sha256(`${head(podcast)}\0${ids}\0${TAIL}`).digest("base64url");
  if (digest === written) return DONE;
  if (early > 0) return early; // the present one is of this very second, and another date is to tell them apart

  const opening = part(head({ ...podcast, changed_at: dated }));
  const closing = part(TAIL);
  const whole = combine([opening, ...list, closing]);
  const begin = Buffer.concat([GZIP_HEADER, opening.deflated]);
  const end = Buffer.concat([closing.deflated, gzipTrailer(whole)]);
  const document = {
    etag: sha256(`${digest} ${dated.toISOString()}`).digest("base64url").slice(0, 27),
    last_modified: dated,
    digest,
    bytes: whole.bytes,
    zipped: begin.length + list.reduce((sum, { zipped }) => sum + zipped, 0) + end.length,
  };
  await sql`
    select private.write_feed(${podcast.id}, ${JSON.stringify(document)}::text::jsonb, ${begin},
      ${`{${ids.slice(1, -1)}}`}::text::bigint[], ${end})`;
  return DONE;
}

const sha256 = (text: string) => createHash("sha256").update(text);
