/** /v1/episodes: published episodes by their id alone. The rules are in sql/95_public. */
import { EpisodeIdPathParams, EpisodeResponse, ListTranscriptsResponse } from "../../../types/public.ts";
import { publicReadRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { valid } from "../../app/validation.ts";
import { replyAboutEpisode } from "./copied_reads.ts";

export const episodes = publicReadRouter()
  .get(
    "/:episodeId",
    describeRoute({
      operationId: "getPublicEpisodeById",
      summary: "Get a published episode by its id",
      description: STALE_COPY_DESCRIPTION,
      response: EpisodeResponse,
      hasEtag: true,
      errors: [404],
    }),
    valid("param", EpisodeIdPathParams),
    (c) => replyAboutEpisode(c, "get_public_episode_by_id", c.req.valid("param")),
  )
  .get(
    "/:episodeId/transcripts",
    describeRoute({
      operationId: "listPublicTranscripts",
      summary: "List the transcripts of a published episode, with the formats in which each can be read",
      description: STALE_COPY_DESCRIPTION,
      response: ListTranscriptsResponse,
      hasEtag: true,
      errors: [404],
    }),
    valid("param", EpisodeIdPathParams),
    (c) => replyAboutEpisode(c, "list_public_transcripts", c.req.valid("param")),
  );
