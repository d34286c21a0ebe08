/** /v1/podcasts: published podcasts and their published episodes, for anyone. The rules are in sql/90_feeds. */
import type { Context } from "hono";
import { ListEpisodesQuery, SlugPathParams } from "../../types/public.ts";
import { type AppEnv, readRouter } from "../app/app.ts";
import { keepCopies } from "../app/stale_copies.ts";
import { beside, publish, type Published, published } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

export const podcasts = readRouter()
  .get("/:slug", valid("param", SlugPathParams), (c) => read(c, "get_public_podcast", c.req.valid("param")))
  .get(
    "/:slug/episodes",
    valid("param", SlugPathParams),
    valid("query", ListEpisodesQuery),
    (c) => read(c, "list_public_episodes", { ...c.req.valid("param"), ...c.req.valid("query") }),
  );

const copies = keepCopies<Published>({ maxCount: 5000, maxBytes: 16 * 1024 * 1024 }, ({ bytes }) => bytes.length);

/** What a verb answers an anonymous user. Copies are known by verb and arguments: unknown parameters make no others. */
async function read(c: Context<AppEnv>, verb: string, args: Record<string, unknown>): Promise<Response> {
  const found = await copies.read(`${verb} ${JSON.stringify(args)}`, async () => {
    return publish(beside(await c.var.reads.call(verb, args)).text);
  });
  return published(c, found!);
}
