/** /v1/podcasts: published podcasts and their published episodes, for anyone. The rules are in sql/90_public. */
import { EpisodeListing, Slug } from "../../types/public.ts";
import { openRouter } from "../_shared/app.ts";
import { beside, published } from "../_shared/reply.ts";
import { valid } from "../_shared/valid.ts";

export const podcasts = openRouter()
  .get("/:slug", valid("param", Slug), async (c) => {
    return published(c, beside(await c.var.db.call("get_public_podcast", c.req.valid("param"))));
  })
  .get("/:slug/episodes", valid("param", Slug), valid("query", EpisodeListing), async (c) => {
    const asked = { ...c.req.valid("param"), ...c.req.valid("query") };
    return published(c, beside(await c.var.db.call("list_public_episodes", asked)));
  });
