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
import { publicRead } from "./public_read.ts";

export const podcasts = publicReadRouter([
  publicRead("/:slug", "get_public_podcast", {
    summary: "Get a published podcast",
    params: SlugPathParams,
    response: PodcastResponse,
  }),
  publicRead("/:slug/episodes", "list_public_episodes", {
    summary: "List published episodes, newest first",
    params: SlugPathParams,
    query: ListEpisodesQuery,
    response: ListEpisodesResponse,
  }),
  publicRead("/:slug/episodes/latest", "get_latest_public_episode", {
    summary: "Get the newest published episode",
    params: SlugPathParams,
    response: EpisodeResponse,
  }),
  publicRead("/:slug/episodes/:idOrSlug", "get_public_episode", {
    summary: "Get a published episode by its slug or id",
    params: EpisodePathParams,
    response: EpisodeResponse,
  }),
]);
