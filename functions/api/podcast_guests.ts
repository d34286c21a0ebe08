/** /api/podcast-guests: a podcast's guests. The rules are in sql/40_guests. */
import {
  ListPodcastGuestsQuery,
  ListPodcastGuestsResponse,
  PodcastGuestPathParams,
  PodcastGuestResponse,
  UpdatePodcastGuestRequest,
  UpdatePodcastGuestResponse,
} from "../../types/guests.ts";
import { authenticatedRouter } from "../app/app.ts";
import { operation } from "../app/operation.ts";

export const podcastGuests = authenticatedRouter([
  operation("GET", "/", "list_podcast_guests", {
    summary: "List or search a podcast's guests",
    query: ListPodcastGuestsQuery,
    response: ListPodcastGuestsResponse,
    errors: [403, 404],
  }),
  operation("GET", "/:id", "get_podcast_guest", {
    summary: "Get a guest with their episodes",
    params: PodcastGuestPathParams,
    rename: { id: "podcastGuestId" },
    response: PodcastGuestResponse,
    errors: [403, 404],
  }),
  operation("PUT", "/:id", "update_podcast_guest", {
    summary: "Update a guest's name, notes or bio",
    params: PodcastGuestPathParams,
    rename: { id: "podcastGuestId" },
    changes: UpdatePodcastGuestRequest,
    response: UpdatePodcastGuestResponse,
    errors: [403, 404, 409],
  }),
]);
