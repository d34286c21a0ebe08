// Shared by the tests of /api/episodes/…/people.
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

/** Asserts the status and the schema of a response, and returns the body. */
export function assertResponse<S extends z.ZodType>(
  { status, body, text }: ApiResponse,
  expected: number,
  schema: S,
): z.output<S> {
  assert.equal(status, expected, text);
  return schema.parse(body);
}

/** Adds a person who is not on the roster, asserts that there is no warning, and returns the entry. */
export async function added(episode: Episode, json: z.input<typeof AddPersonRequest>, as: As = "admin") {
  const response = assertResponse(await add(episode, json, as), 201, AddPersonResponse);
  assert.deepEqual(Object.keys(response).sort(), ["data", "success"]);
  return response.data;
}

/** Creates or updates a credit and returns it. */
export async function credited(episode: Episode, personId: string, json: unknown, status: 200 | 201) {
  return assertResponse(await credit(episode, personId, json), status, SetCreditResponse).data.credit;
}

/** Inserts a guest of the episode with this status. */
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
