/**
 * Surrogate keys: a CDN drops its copies of the responses that have a key when the worker purges it. Each podcast has
 * one key, which all responses about it and its episodes have (sql/95_public).
 */
import { createHash } from "node:crypto";
import { onlyRow, type PublicReads } from "../database/db.ts";
import { ApiError } from "../runtime/api_error.ts";
import { createLruCache } from "../runtime/lru_cache.ts";
import type { Staleness } from "./stale_copies.ts";

/** The same key in the headers of Fastly and of Cloudflare. */
export type SurrogateKeys = Record<"surrogate-key" | "cache-tag", string>;

const headersBySlug = createLruCache<SurrogateKeys>({ maxCount: 5000, maxBytes: 2 ** 20 });

/** The headers of a response about a podcast, or about an episode of it. */
export function podcastKeys(slug: string): SurrogateKeys {
  const known = headersBySlug.get(slug);
  if (known) return known;
  const key = `podcast-${createHash("sha256").update(slug).digest("hex").slice(0, 16)}`;
  const headers = { "surrogate-key": key, "cache-tag": key };
  headersBySlug.set(slug, headers, 200 + 2 * slug.length);
  return headers;
}

// an episode never changes its podcast, and a podcast never its slug
const headersByEpisode = createLruCache<SurrogateKeys>({ maxCount: 5000, maxBytes: 2 ** 20 });

/** The headers of a response that was found by the id of an episode. A copy needs none: caches do not store it. */
export async function episodeKeys(
  reads: PublicReads,
  episodeId: string,
  { cause }: Staleness,
): Promise<SurrogateKeys | undefined> {
  const known = headersByEpisode.get(episodeId);
  if (known || cause) return known;
  const { slug } = onlyRow(
    await reads.serviceSql<{ slug: string | null }[]>`
      select p.slug from (select) as one_row
      left join public.episodes e on e.id = ${episodeId} left join public.podcasts p on p.id = e.podcast_id`,
  );
  if (slug === null) throw new ApiError(404, "Episode not found"); // deleted since the read
  const headers = podcastKeys(slug);
  headersByEpisode.set(episodeId, headers, 200);
  return headers;
}
