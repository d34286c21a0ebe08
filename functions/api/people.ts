/** /api/episodes: who takes part in an episode, and who is credited in its feed. The rules are in sql/50_people. */
import { NoFields } from "../../types/envelope.ts";
import {
  AddPersonRequest,
  EpisodePathParams,
  PersonPathParams,
  ReorderCreditsRequest,
  SetCreditRequest,
  UpdatePersonRequest,
} from "../../types/people.ts";
import { authenticatedRouter } from "../app/app.ts";
import { flatReply, reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

export const people = authenticatedRouter()
  .get("/:id/people", valid("param", EpisodePathParams), async (c) => {
    return reply(await c.var.db.call("list_episode_people", episode(c.req.valid("param"))));
  })
  .post("/:id/people", valid("param", EpisodePathParams), valid("json", AddPersonRequest), async (c) => {
    const person = c.req.valid("json");
    return flatReply(await c.var.db.call("add_episode_person", { ...episode(c.req.valid("param")), ...person }));
  })
  .put("/:id/people/:personId", valid("param", PersonPathParams), valid("json", UpdatePersonRequest), async (c) => {
    const changes = c.req.valid("json");
    return reply(await c.var.db.call("update_episode_person", { ...person(c.req.valid("param")), changes }));
  })
  .delete("/:id/people/:personId", valid("param", PersonPathParams), valid("json", NoFields), async (c) => {
    return reply(await c.var.db.call("remove_episode_person", person(c.req.valid("param"))));
  })
  .put("/:id/people/:personId/credit", valid("param", PersonPathParams), valid("json", SetCreditRequest), async (c) => {
    const changes = c.req.valid("json");
    return reply(await c.var.db.call("set_episode_person_credit", { ...person(c.req.valid("param")), changes }));
  })
  .delete("/:id/people/:personId/credit", valid("param", PersonPathParams), valid("json", NoFields), async (c) => {
    return reply(await c.var.db.call("remove_episode_person_credit", person(c.req.valid("param"))));
  })
  .put("/:id/credits/reorder", valid("param", EpisodePathParams), valid("json", ReorderCreditsRequest), async (c) => {
    const order = c.req.valid("json");
    return reply(await c.var.db.call("reorder_episode_credits", { ...episode(c.req.valid("param")), ...order }));
  });

/** What the paths call `id` is the verbs' episodeId. */
const episode = ({ id }: { id: string }) => ({ episodeId: id });
const person = ({ id, personId }: { id: string; personId: string }) => ({ episodeId: id, personId });
