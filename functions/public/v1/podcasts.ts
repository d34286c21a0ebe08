/** /v1/podcasts: published podcasts and episodes, without a login. The rules are in sql/95_public. */
import {
  EpisodePathParams,
  EpisodeResponse,
  ListEpisodesQuery,
  ListEpisodesResponse,
  PodcastResponse,
  SlugPathParams,
} from "../../../types/public.ts";
import { publicReadRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { valid } from "../../app/validation.ts";
import { replyThroughCopies } from "./copied_reads.ts";

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
    (c) => replyThroughCopies(c, "get_public_podcast", c.req.valid("param")),
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
    (c) => replyThroughCopies(c, "list_public_episodes", { ...c.req.valid("param"), ...c.req.valid("query") }),
  )
  .get(
    "/:slug/episodes/latest",
    describeRoute({
      operationId: "getLatestPublicEpisode",
      summary: "Get the newest published episode",
      description: STALE_COPY_DESCRIPTION,
      response: EpisodeResponse,
      hasEtag: true,
      errors: [404],
    }),
    valid("param", SlugPathParams),
    (c) => replyThroughCopies(c, "get_latest_public_episode", c.req.valid("param")),
  )
  .get(
    "/:slug/episodes/:idOrSlug",
    describeRoute({
      operationId: "getPublicEpisode",
      summary: "Get a published episode by its slug or id",
      description: STALE_COPY_DESCRIPTION,
      response: EpisodeResponse,
      hasEtag: true,
      errors: [404],
    }),
    valid("param", EpisodePathParams),
    (c) => replyThroughCopies(c, "get_public_episode", c.req.valid("param")),
  );
