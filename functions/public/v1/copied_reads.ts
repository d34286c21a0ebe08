/** Public reads, with copies for an unavailable database. */
import { type Context, type Handler, Hono } from "hono";
import type { z } from "zod";
import type { AppEnv } from "../../app/app.ts";
import { declare, type RouteDescription } from "../../app/describe_route.ts";
import { addSuccess, type CacheableBody, cacheableReply } from "../../app/reply.ts";
import { type CopiedRead, createStaleCopies, STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { episodeKeys, podcastKeys } from "../../app/surrogate_keys.ts";
import { readValid } from "../../app/validation.ts";
import { type Arguments, type PublicRead, toCamelName } from "../../database/operations.ts";

const copies = createStaleCopies<CacheableBody>(
  { maxCount: 5000, maxBytes: 16 * 1024 * 1024 },
  ({ bytes }) => bytes.length,
);
const encoder = new TextEncoder();

/** Runs a public read. The function and its arguments are the key of a copy. */
export async function readThroughCopies<R extends PublicRead>(
  c: Context<AppEnv>,
  read: R,
  args: Arguments<R>,
  toBody: (text: string) => string = addSuccess,
): Promise<CopiedRead<CacheableBody>> {
  const found = await copies.read(`${read} ${JSON.stringify(args)}`, async (known) => {
    const { etag, text } = await c.var.reads.read(read, args, known?.etag);
    return text === null ? known : { bytes: encoder.encode(toBody(text)), etag };
  });
  return found!;
}

/** `Params` and `Query` are what the schemas return: the arguments of the read. */
interface Declaration<Params, Query> extends Pick<RouteDescription, "summary" | "response"> {
  params: z.ZodType<Params>;
  query?: z.ZodType<Query>;
}

/**
 * Declares a route by its public read, whose result is an object about the podcast or the episode that the path names,
 * and is sent with `success`. The `operationId` is the name of the read in camelCase.
 */
export function publicRead<
  R extends PublicRead,
  Params extends { slug: string } | { episodeId: string },
  Query extends object = Record<never, never>,
>(
  path: string,
  read: R,
  { params, query, ...description }:
    & Declaration<Params, Query>
    & (Params & Query extends Arguments<R> ? unknown : never),
): Hono<AppEnv> {
  const handler: Handler<AppEnv> = async (c) => {
    const subject = await readValid(c, "param", params);
    const args = { ...subject, ...query && await readValid(c, "query", query) } as unknown as Arguments<R>;
    const found = await readThroughCopies(c, read, args);
    const keys = "slug" in subject
      ? podcastKeys(subject.slug)
      : await episodeKeys(c.var.reads, subject.episodeId, found);
    return cacheableReply(c, found, keys);
  };
  declare(handler, {
    operationId: toCamelName(read),
    description: STALE_COPY_DESCRIPTION,
    hasEtag: true,
    errors: [404],
    ...description,
    param: params,
    query,
  });
  return new Hono<AppEnv>().get(path, handler);
}
