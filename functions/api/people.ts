/** /api/episodes: roster and credits of an episode. The rules are in sql/50_people. */
import {
  AddPersonRequest,
  AddPersonResponse,
  EpisodePathParams,
  ListPeopleResponse,
  PersonPathParams,
  RemoveCreditResponse,
  RemovePersonResponse,
  ReorderCreditsRequest,
  ReorderCreditsResponse,
  SetCreditRequest,
  SetCreditResponse,
  UpdatePersonRequest,
  UpdatePersonResponse,
} from "../../types/people.ts";
import { authenticatedRouter } from "../app/app.ts";
import { operation } from "../app/operation.ts";
import { flatReply } from "../app/reply.ts";

/** Routes of an episode, and of a person on its roster: `:id` is the argument `episodeId`. */
const ofEpisode = { params: EpisodePathParams, rename: { id: "episodeId" } } as const;
const ofPerson = { ...ofEpisode, params: PersonPathParams };

export const people = authenticatedRouter([
  operation("GET", "/:id/people", "list_episode_people", {
    summary: "List roster, credits and candidates",
    ...ofEpisode,
    response: ListPeopleResponse,
    errors: [403, 404],
  }),
  operation("POST", "/:id/people", "add_episode_person", {
    summary: "Add a person to the roster (and, except guests, to the credits); 200 if already there",
    ...ofEpisode,
    json: AddPersonRequest,
    reply: flatReply,
    response: AddPersonResponse,
    status: [200, 201],
    errors: [403, 404, 409, 500],
  }),
  operation("PUT", "/:id/people/:personId", "update_episode_person", {
    summary: "Update a roster entry; deactivating removes the credit",
    ...ofPerson,
    changes: UpdatePersonRequest,
    response: UpdatePersonResponse,
    errors: [403, 404, 409],
  }),
  operation("DELETE", "/:id/people/:personId", "remove_episode_person", {
    summary: "Remove a person from roster and credits",
    ...ofPerson,
    response: RemovePersonResponse,
    errors: [403, 404, 409],
  }),
  operation("PUT", "/:id/people/:personId/credit", "set_episode_person_credit", {
    summary: "Create (201) or update (200) a person's credit",
    ...ofPerson,
    changes: SetCreditRequest,
    response: SetCreditResponse,
    status: [200, 201],
    errors: [403, 404, 409, 422],
  }),
  operation("DELETE", "/:id/people/:personId/credit", "remove_episode_person_credit", {
    summary: "Remove a person's credit",
    ...ofPerson,
    response: RemoveCreditResponse,
    errors: [403, 404, 409, 422],
  }),
  operation("PUT", "/:id/credits/reorder", "reorder_episode_credits", {
    summary: "Reorder an episode's credits",
    ...ofEpisode,
    json: ReorderCreditsRequest,
    response: ReorderCreditsResponse,
    errors: [403, 404, 409],
  }),
]);
