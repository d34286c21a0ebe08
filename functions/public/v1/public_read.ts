/** Routes that only send a public read. A route with logic of its own has a handler instead. */
import { type Handler, Hono } from "hono";
import type { z } from "zod";
import type { AppEnv } from "../../app/app.ts";
import { declare, type RouteDescription } from "../../app/describe_route.ts";
import type { ArgumentCheck, Nothing } from "../../app/operation.ts";
import { cacheableReply } from "../../app/reply.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { episodeKeys, podcastKeys } from "../../app/surrogate_keys.ts";
import { readValid } from "../../app/validation.ts";
import { type Arguments, type PublicRead, toCamelName } from "../../database/operations.ts";
import { readThroughCopies } from "./copied_reads.ts";

/** `Params` and `Query` are what the schemas return: the arguments of the read. */
interface PublicReadOptions<Params, Query> extends Pick<RouteDescription, "summary" | "response"> {
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
  Query extends object = Nothing,
>(
  path: string,
  read: R,
  { params, query, ...description }:
    & PublicReadOptions<Params, Query>
    & ArgumentCheck<Params & Query, Arguments<R>>,
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
