/** /api/episodes: roster and credits of an episode. The rules are in sql/50_people. */
import { NoFields } from "../../types/envelope.ts";
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
import { describeRoute } from "../app/describe_route.ts";
import { flatReply, reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

export const people = authenticatedRouter()
  .get(
    "/:id/people",
    describeRoute({
      operationId: "listEpisodePeople",
      summary: "List roster, credits and candidates",
      response: ListPeopleResponse,
      errors: [403, 404],
    }),
    valid("param", EpisodePathParams),
    async (c) => {
      return reply(await c.var.db.call("list_episode_people", episodeIdParam(c.req.valid("param"))));
    },
  )
  .post(
    "/:id/people",
    describeRoute({
      operationId: "addEpisodePerson",
      summary: "Add a person to the roster (and, except guests, to the credits); 200 if already there",
      response: AddPersonResponse,
      status: [200, 201],
      errors: [403, 404, 409, 500],
    }),
    valid("param", EpisodePathParams),
    valid("json", AddPersonRequest),
    async (c) => {
      const person = c.req.valid("json");
      return flatReply(
        await c.var.db.call("add_episode_person", { ...episodeIdParam(c.req.valid("param")), ...person }),
      );
    },
  )
  .put(
    "/:id/people/:personId",
    describeRoute({
      operationId: "updateEpisodePerson",
      summary: "Update a roster entry; deactivating removes the credit",
      response: UpdatePersonResponse,
      errors: [403, 404, 409],
    }),
    valid("param", PersonPathParams),
    valid("json", UpdatePersonRequest),
    async (c) => {
      const changes = c.req.valid("json");
      return reply(await c.var.db.call("update_episode_person", { ...personIdParams(c.req.valid("param")), changes }));
    },
  )
  .delete(
    "/:id/people/:personId",
    describeRoute({
      operationId: "removeEpisodePerson",
      summary: "Remove a person from roster and credits",
      response: RemovePersonResponse,
      errors: [403, 404, 409],
    }),
    valid("param", PersonPathParams),
    valid("json", NoFields),
    async (c) => {
      return reply(await c.var.db.call("remove_episode_person", personIdParams(c.req.valid("param"))));
    },
  )
  .put(
    "/:id/people/:personId/credit",
    describeRoute({
      operationId: "setEpisodePersonCredit",
      summary: "Create (201) or update (200) a person's credit",
      response: SetCreditResponse,
      status: [200, 201],
      errors: [403, 404, 409, 422],
    }),
    valid("param", PersonPathParams),
    valid("json", SetCreditRequest),
    async (c) => {
      const changes = c.req.valid("json");
      return reply(
        await c.var.db.call("set_episode_person_credit", { ...personIdParams(c.req.valid("param")), changes }),
      );
    },
  )
  .delete(
    "/:id/people/:personId/credit",
    describeRoute({
      operationId: "removeEpisodePersonCredit",
      summary: "Remove a person's credit",
      response: RemoveCreditResponse,
      errors: [403, 404, 409, 422],
    }),
    valid("param", PersonPathParams),
    valid("json", NoFields),
    async (c) => {
      return reply(await c.var.db.call("remove_episode_person_credit", personIdParams(c.req.valid("param"))));
    },
  )
  .put(
    "/:id/credits/reorder",
    describeRoute({
      operationId: "reorderEpisodeCredits",
      summary: "Reorder an episode's credits",
      response: ReorderCreditsResponse,
      errors: [403, 404, 409],
    }),
    valid("param", EpisodePathParams),
    valid("json", ReorderCreditsRequest),
    async (c) => {
      const order = c.req.valid("json");
      return reply(
        await c.var.db.call("reorder_episode_credits", { ...episodeIdParam(c.req.valid("param")), ...order }),
      );
    },
  );

/** The paths' `id` is the episodeId of the SQL functions. */
const episodeIdParam = ({ id }: { id: string }) => ({ episodeId: id });
const personIdParams = ({ id, personId }: { id: string; personId: string }) => ({ episodeId: id, personId });
