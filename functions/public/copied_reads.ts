/** Public functions, called as an anonymous caller, with copies for an unavailable database. */
import type { Context } from "hono";
import type { AppEnv } from "../app/app.ts";
import { type CacheableBody, cacheableReply, toCacheableBody, withSuccess } from "../app/reply.ts";
import { type CopiedRead, createStaleCopies } from "../app/stale_copies.ts";
import { episodeKeys, podcastKeys } from "../app/surrogate_keys.ts";
import type { RpcResult } from "../database/db.ts";
import type { Arguments, Operation } from "../database/operations.ts";

const copies = createStaleCopies<CacheableBody>(
  { maxCount: 5000, maxBytes: 16 * 1024 * 1024 },
  ({ bytes }) => bytes.length,
);

/** Calls a public function. The function and its arguments are the key of a copy. */
export async function readThroughCopies<O extends Operation>(
  c: Context<AppEnv>,
  operation: O,
  args: Arguments<O>,
  wrap: (result: RpcResult) => RpcResult = withSuccess,
): Promise<CopiedRead<CacheableBody>> {
  const found = await copies.read(`${operation} ${JSON.stringify(args)}`, async () => {
    return toCacheableBody(wrap(await c.var.reads.call(operation, args)).text);
  });
  return found!;
}

/** Calls a public function whose result is an object about this podcast, and sends it with `success`. */
export async function replyThroughCopies<O extends Operation>(
  c: Context<AppEnv>,
  operation: O,
  args: Arguments<O> & { slug: string },
): Promise<Response> {
  return cacheableReply(c, await readThroughCopies(c, operation, args), podcastKeys(args.slug));
}

/** Calls a public function whose result is an object about this episode, and sends it with `success`. */
export async function replyAboutEpisode<O extends Operation>(
  c: Context<AppEnv>,
  operation: O,
  args: Arguments<O> & { episodeId: string },
): Promise<Response> {
  const found = await readThroughCopies(c, operation, args);
  return cacheableReply(c, found, await episodeKeys(c.var.reads, args.episodeId, found));
}
