/** Public reads, with copies for an unavailable database. */
import type { Context } from "hono";
import { DEFAULT_EPISODES } from "../../../types/public.ts";
import type { AppEnv } from "../../app/app.ts";
import { addSuccess, type CacheableBody } from "../../app/reply.ts";
import { type CopiedRead, createStaleCopies } from "../../app/stale_copies.ts";
import type { Arguments, PublicRead } from "../../database/operations.ts";

const createCopies = (maxCount: number, maxBytes: number) =>
  createStaleCopies<CacheableBody>({ maxCount, maxBytes }, ({ bytes }) => bytes.length);

const copies = createCopies(5000, 16 * 1024 * 1024);
/** Of reads whose arguments strangers can vary without end, apart: they never displace another copy. */
const endlessCopies = createCopies(200, 1024 * 1024);
const encoder = new TextEncoder();

/** Runs a public read. The function and its arguments are the key of a copy. */
export async function readThroughCopies<R extends PublicRead>(
  c: Context<AppEnv>,
  read: R,
  args: Arguments<R>,
  toBody: (text: string) => string = addSuccess,
): Promise<CopiedRead<CacheableBody>> {
  const store = isEndless(read, args) ? endlessCopies : copies;
  const found = await store.read(`${read} ${JSON.stringify(args)}`, async (known) => {
    const { etag, text } = await c.var.reads.read(read, args, known?.etag);
    return text === null ? known : { bytes: encoder.encode(toBody(text)), etag };
  });
  return found!;
}

/** Searches, cursors, sizes of lists, and the URLs and sizes of oEmbed. */
function isEndless(read: PublicRead, args: { q?: unknown; cursor?: unknown; limit?: unknown }): boolean {
  return read === "get_oembed" || args.q !== undefined || args.cursor !== undefined ||
    args.limit !== undefined && args.limit !== DEFAULT_EPISODES;
}
