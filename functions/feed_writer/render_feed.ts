/**
 * Renders a podcast's feed: the items of changed episodes, then the document that lists all items. Unchanged items
 * stay in the database as stored (sql/90_feeds).
 */
import { createHash } from "node:crypto";
import { fitKeywords } from "../text/keywords.ts";
import { logError } from "../runtime/log.ts";
import { service } from "../database/service.ts";
import type { checkItem } from "../feed_report/check.ts";
import type { PlaceFacts } from "../feed_report/rule.ts";
import { SHOW_NOTES_VERSION } from "../show_notes/version.ts";
import { wellFormedTags } from "./extra_tags.ts";
import { compressPart } from "./gzip.ts";
import { buildPages, renderPageLinks, splitIntoPages } from "./feed_pages.ts";
import { aloneInFeed, ITEM_RENDER_VERSION, renderHead, renderItem, TAIL } from "./render.ts";
import type { FeedEpisode, FeedPodcast, PodcastContext } from "./feed_rows.ts";

/**
 * Brings the stored feed up to date. Concurrent or repeated runs are harmless: each statement stores only if the
 * document still has the version that the rows were read with; if not, the rendering reads again. A run that dies
 * keeps its stored batches and leaves the served document unchanged. `sanitize` runs when show notes of a changed
 * item are unsanitized, and stores them; without it such items would be rendered twice.
 */
export async function renderFeed(podcastId: string, sanitize?: () => Promise<void>): Promise<void> {
  for (let next: NextStep; (next = await renderBatch(podcastId, sanitize)) !== DONE;) {
    if (next > 0) await new Promise((resolve) => setTimeout(resolve, next)); // later changes are included
  }
}

/** The step after a batch: none, or another batch after this many milliseconds. */
type NextStep = number | typeof DONE;
const DONE = "done";
const RETRY = 0;

/** What private.get_feed_for_rendering returns. */
interface RenderInput {
  podcast: FeedPodcast & { has_owner_email: boolean; cover_size: PlaceFacts["coverSize"] };
  podcast_context: PodcastContext;
  context_hash: string;
  /** One element per item: id, checksum, and sizes. */
  items: number[];
  crc32s: number[];
  uncompressed_bytes: number[];
  gzip_bytes: number[];
  stale: (FeedEpisode & { position: number; cover_size: PlaceFacts["coverSize"] })[];
  remaining_stale: number;
  /** Version of the current document, as text: a bigint. */
  version: string;
  current_digest: string | null;
  last_modified: Date;
  wait_ms: number;
}

/** Renders a batch of items and, after the last one, the document. */
async function renderBatch(podcastId: string, sanitize?: () => Promise<void>): Promise<NextStep> {
  const [input] = await service("get_feed_for_rendering", {
    podcastId,
    itemVersion: ITEM_RENDER_VERSION,
  }) as RenderInput[];
  if (!input) return DONE; // external or deleted: there is no feed
  if (sanitize && input.stale.some(awaitsSanitizing)) {
    await sanitize();
    return RETRY;
  }
  for (const row of [input.podcast, ...input.stale]) row.extra_tags = await wellFormedTags(row.extra_tags);
  const list = listItems(input);
  if (input.stale.length > 0 && !await storeItems(input, list)) return RETRY;
  if (input.remaining_stale > 0) return RETRY;
  return await storeDocument(input, list);
}

const awaitsSanitizing = ({ show_notes_version: version }: FeedEpisode) =>
  version !== null && version < SHOW_NOTES_VERSION;

/** An item of the document, in feed order. */
interface ListedItem {
  id: number;
  crc32: number;
  bytes: number;
  gzipBytes: number;
}

function listItems({ items, crc32s, uncompressed_bytes, gzip_bytes }: RenderInput): ListedItem[] {
  return items.map((id, i) => ({ id, crc32: crc32s[i], bytes: uncompressed_bytes[i], gzipBytes: gzip_bytes[i] }));
}

/** Renders and stores the batch's items and lists them; false if a concurrent rendering was faster. */
async function storeItems(
  { podcast, podcast_context, context_hash, stale, version }: RenderInput,
  list: ListedItem[],
): Promise<boolean> {
  const check = logFailure(podcast.id, (await importChecks()).checkItem);
  const rendered = stale.map((episode) => {
    const text = renderItem(episode, podcast_context);
    const { deflated, crc32, bytes } = compressPart(text);
    list[episode.position] = { id: 0, crc32, bytes, gzipBytes: deflated.length };
    return {
      episode_id: episode.id,
      episode_updated_at: episode.updated_at,
      deflated: deflated.toString("base64"),
      crc32,
      uncompressed_bytes: bytes,
      digest: sha256(text).digest("base64"),
      findings: check(aloneInFeed(text), {
        podcastType: podcast_context.type,
        inheritsArtwork: episode.cover_image_url === null,
        coverSize: episode.cover_size,
        hasSeekTable: episode.audio_has_seek_table,
        carriedTags: episode.extra_tags.length,
        hasMoreKeywords: hasMoreKeywords(episode),
      }),
    };
  });
  const stored = await service("store_feed_items", {
    podcastId: podcast.id,
    version,
    contextHash: context_hash,
    items: rendered,
  });
  const ids = new Map(stored.map(({ episode_id, item }) => [episode_id, Number(item)]));
  for (const { id, position } of stale) list[position].id = ids.get(id)!;
  return stored.length > 0;
}

/** Stores the document if its content changed; only then do ETag and Last-Modified change. */
async function storeDocument(
  { podcast, version, current_digest, last_modified, wait_ms }: RenderInput,
  list: ListedItem[],
): Promise<NextStep> {
  const pages = splitIntoPages(list, podcast.feed_page_size), is_paged = pages.length > 1;
  const links = pages.map((_, n) => is_paged ? renderPageLinks(podcast, n + 1, pages.length) : "");
  const ids = pages.map((items) => JSON.stringify(items.map(({ id }) => id)));
  // excludes the date, which is that of the change; the content behind an item id never changes
  const digest = sha256(`${renderHead({ ...podcast, is_paged })}${links[0]}\0${ids.join("\0")}\0${TAIL}`)
    .digest("base64url");
  if (digest !== current_digest && wait_ms > 0) return wait_ms; // two documents need different values of Last-Modified

  const head = renderHead({ ...podcast, is_paged, changed_at: last_modified });
  const check = logFailure(podcast.id, (await importChecks()).checkChannel);
  const { has_owner_email: hasOwnerEmail, cover_size: coverSize, extra_tags: { length: carriedTags } } = podcast;
  const facts = {
    ...{ hasOwnerEmail, coverSize, carriedTags },
    episodeCount: list.length,
    hasMoreKeywords: hasMoreKeywords(podcast),
  };
  const findings = check(`${head}${links[0]}${TAIL}`, facts);
  if (digest === current_digest) {
    return await service("confirm_feed_document", { podcastId: podcast.id, version, findings }) ? DONE : RETRY;
  }
  const { begin, end, ...parts } = buildPages(pages, head, links, `${digest} ${last_modified.toISOString()}`);
  const page_size = is_paged ? podcast.feed_page_size : null;
  const document = { ...parts, page_size, last_modified, digest, findings };
  const items = list.map(({ id }) => id);
  const isStored = await service("store_feed_document", {
    podcastId: podcast.id,
    version,
    document,
    head: begin,
    items,
    tail: end,
  });
  return isStored ? DONE : RETRY;
}

/** On demand: the parser is large, and few isolates render. */
const importChecks = () => import("../feed_report/check.ts");

/** The check without its errors: a defective rule must not stop the feed. */
function logFailure(podcastId: string, check: typeof checkItem): typeof checkItem {
  return (xml, facts) => {
    try {
      return check(xml, facts);
    } catch (error) {
      logError({ podcast_id: podcastId, error });
      return [];
    }
  };
}

const hasMoreKeywords = ({ keywords }: Pick<FeedPodcast, "keywords">) => fitKeywords(keywords).length < keywords.length;

const sha256 = (text: string) => createHash("sha256").update(text);
