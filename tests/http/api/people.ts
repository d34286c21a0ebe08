// What the tests of /api/episodes/…/people share.
import assert from "node:assert/strict";
import type { z } from "zod";
import { type ApiResponse, type Episode, type RequestOptions, sendRequest, sql } from "../harness.ts";
import { type AddPersonRequest, AddPersonResponse, SetCreditResponse } from "../../../types/people.ts";

export const at = ({ id }: Episode, rest = "people") => `/api/episodes/${id}/${rest}`;
type As = RequestOptions["as"];

export const list = (episode: Episode, as: As = "admin") => sendRequest({ method: "GET", path: at(episode), as });
export const add = (episode: Episode, json: unknown, as: As = "admin") =>
  sendRequest({ method: "POST", path: at(episode), as, json });
export const change = (episode: Episode, personId: string, json: unknown, as: As = "admin") =>
  sendRequest({ method: "PUT", path: at(episode, `people/${personId}`), as, json });
export const remove = (episode: Episode, personId: string, as: As = "admin") =>
  sendRequest({ method: "DELETE", path: at(episode, `people/${personId}`), as });
export const credit = (episode: Episode, personId: string, json?: unknown, as: As = "admin") =>
  sendRequest({ method: "PUT", path: at(episode, `people/${personId}/credit`), as, json });
export const uncredit = (episode: Episode, personId: string, as: As = "admin") =>
  sendRequest({ method: "DELETE", path: at(episode, `people/${personId}/credit`), as });
export const reorder = (episode: Episode, json: unknown, as: As = "admin") =>
  sendRequest({ method: "PUT", path: at(episode, "credits/reorder"), as, json });

/** The answer has this status and exactly the members that its schema names. */
export function assertResponse<S extends z.ZodType>(
  { status, body, text }: ApiResponse,
  wanted: number,
  schema: S,
): z.output<S> {
  assert.equal(status, wanted, text);
  return schema.parse(body);
}

/** Adds someone who is not on the roster, without a warning; returns the entry. */
export async function added(episode: Episode, json: z.input<typeof AddPersonRequest>, as: As = "admin") {
  const answer = assertResponse(await add(episode, json, as), 201, AddPersonResponse);
  assert.deepEqual(Object.keys(answer).sort(), ["data", "success"]);
  return answer.data;
}

/** Credits someone, or changes the credit; returns it. */
export async function credited(episode: Episode, personId: string, json: unknown, status: 200 | 201) {
  return assertResponse(await credit(episode, personId, json), status, SetCreditResponse).data.credit;
}

/** The credits in their order, as the database has them. */
export const credits = async ({ id }: Episode) =>
  [
    ...await sql`select name, role_label as label, display_order as place from public.episode_credits
    where episode_id = ${id} order by display_order`,
  ].map(({ name, label, place }) => `${place} ${name}: ${label}`);

/** A guest of the episode, in this state. Guests are invited by their own routes; here it is about what comes after. */
export async function guest({ id }: Episode, name: string, status = "invited"): Promise<string> {
  const [{ guest }] = await sql`
    with record as (
      insert into public.podcast_guests (podcast_id, display_name, email)
      select e.podcast_id, ${name}, ${name + "@guests.test"} from public.episodes e where e.id = ${id} returning id
    )
    insert into public.episode_guests (episode_id, podcast_guest_id, status)
    select ${id}, record.id, ${status} from record returning id as guest`;
  return guest;
}

/** What waits in a queue, or was written down, about this episode since it was made. */
export const queued = async (queue: string, { id }: Episode) =>
  (await sql`select message from ${sql(`pgmq.q_${queue}`)} where message ->> 'episode_id' = ${id} order by msg_id`)
    .map(({ message }) => message);
export const events = async (type: string, { id }: Episode) =>
  (await sql`select payload from private.events where type = ${type} and payload ->> 'episode_id' = ${id} order by id`)
    .map(({ payload }) => payload);
