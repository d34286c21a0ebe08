/** /v1/podcasts: published podcasts and episodes, without a login. The rules are in sql/95_public. */
import type { Context } from "hono";
import { ListEpisodesQuery, ListEpisodesResponse, PodcastResponse, SlugPathParams } from "../../types/public.ts";
import { type AppEnv, publicReadRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import type { Arguments, Operation } from "../database/operations.ts";
import { createStaleCopies, STALE_COPY_DESCRIPTION } from "../app/stale_copies.ts";
import { type CacheableBody, cacheableReply, toCacheableBody, withSuccess } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

export const podcasts = publicReadRouter()
  .get(
    "/:slug",
    describeRoute({
      operationId: "getPublicPodcast",
      summary: "Get a published podcast",
      description: STALE_COPY_DESCRIPTION,
      response: PodcastResponse,
      hasEtag: true,
      errors: [404],
    }),
    valid("param", SlugPathParams),
    (c) => readThroughCopies(c, "get_public_podcast", c.req.valid("param")),
  )
  .get(
    "/:slug/episodes",
    describeRoute({
      operationId: "listPublicEpisodes",
      summary: "List published episodes, newest first",
      description: STALE_COPY_DESCRIPTION,
      response: ListEpisodesResponse,
      hasEtag: true,
      errors: [404],
    }),
    valid("param", SlugPathParams),
    valid("query", ListEpisodesQuery),
    (c) => readThroughCopies(c, "list_public_episodes", { ...c.req.valid("param"), ...c.req.valid("query") }),
  );

const copies = createStaleCopies<CacheableBody>(
  { maxCount: 5000, maxBytes: 16 * 1024 * 1024 },
  ({ bytes }) => bytes.length,
);

/** Calls a public function as an anonymous caller. The function and its arguments are the key of a copy. */
async function readThroughCopies<O extends Operation>(
  c: Context<AppEnv>,
  operation: O,
  args: Arguments<O>,
): Promise<Response> {
  const found = await copies.read(`${operation} ${JSON.stringify(args)}`, async () => {
    return toCacheableBody(withSuccess(await c.var.reads.call(operation, args)).text);
  });
  return cacheableReply(c, found!);
}
