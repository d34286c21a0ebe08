/** /v1/episodes: published episodes by their id alone. The rules are in sql/95_public. */
import { EpisodeIdPathParams, EpisodeResponse, ListTranscriptsResponse } from "../../../types/public.ts";
import { publicReadRouter } from "../../app/app.ts";
import { publicRead } from "./public_read.ts";

export const episodes = publicReadRouter([
  publicRead("/:episodeId", "get_public_episode_by_id", {
    summary: "Get a published episode by its id",
    params: EpisodeIdPathParams,
    response: EpisodeResponse,
  }),
  publicRead("/:episodeId/transcripts", "list_public_transcripts", {
    summary: "List the transcripts of a published episode, with the formats in which each can be read",
    params: EpisodeIdPathParams,
    response: ListTranscriptsResponse,
  }),
]);
