// Templates, rules and executions, as admins and triggers make them.
import assert from "node:assert/strict";
import {
  callRpc,
  type Episode,
  episode,
  person,
  type Podcast,
  type RequestOptions,
  sendRequest,
  sql,
} from "../harness.ts";
import { put } from "./audio.ts";

export const BASE = "/api/automations";

type Fields = Record<string, unknown>;
type Caller = RequestOptions["as"];

/** Sends a request, by default as an admin. */
export const send = (method: string, path: string, json?: unknown, as: Caller = "admin") =>
  sendRequest({ method, path: BASE + path, as, json });

/** A valid request; undefined leaves a field out. */
export const templateOf = ({ id }: { id: string }, fields: Fields = {}) => ({
  podcast_id: id,
  name: "Thanks",
  subject: "Thanks, {guest_first_name}",
  body_html: "<p>See you</p>",
  ...fields,
});

export async function newTemplate(podcast: { id: string }, fields: Fields = {}) {
  const { status, text, body } = await send("POST", "/templates", templateOf(podcast, fields));
  assert.equal(status, 201, text);
  return body.template as Fields & { id: string };
}

export const emailTo = (to: string, { id }: { id: string }) => ({
  action_type: "send_email",
  action_config: { template_id: id, to },
});
export const webhookTo = (url: string, fields: Fields = {}) => ({
  action_type: "send_webhook",
  action_config: { url, ...fields },
});
export const updateOf = (field: string, value: unknown, entity = "episode") => ({
  action_type: "update_field",
  action_config: { entity, field, value },
});

/** A valid request for a rule of episode.published without actions. */
export const ruleOf = ({ id }: { id: string }, fields: Fields = {}) => ({
  podcast_id: id,
  name: "On publication",
  trigger_type: "episode.published",
  ...fields,
});

export interface Rule extends Fields {
  id: string;
  automation_actions: { id: string; action_type: string; action_config: Fields; execution_order: number }[];
}

export async function newRule(podcast: { id: string }, fields: Fields = {}): Promise<Rule> {
  const { status, text, body } = await send("POST", "/rules", ruleOf(podcast, fields));
  assert.equal(status, 201, text);
  return body.rule;
}

/** Publishes a new episode, which fires the rules of episode.published. */
export async function publishNew(podcast: Podcast, title = "Pilot"): Promise<Episode> {
  const made = await episode(podcast, title);
  await put(podcast, made);
  await callRpc(await person("admin"), "publish_episode", { episode_id: made.id });
  return made;
}

/** A published episode as the occurrence of an execution: its context_data. */
export async function occurrenceOf(podcast: Podcast) {
  return { ...contextOf(podcast), episode_id: (await publishNew(podcast)).id };
}

/** An execution that ended, or waits without a message in the queue. Returns its id. */
export async function recordExecution(podcast: { id: string }, fields: Fields = {}): Promise<string> {
  const row = {
    podcast_id: podcast.id,
    rule_name: "On publication",
    trigger_type: "episode.published",
    status: "completed",
    context_data: contextOf(podcast),
    action_results: [],
    ...fields,
  };
  const hasEnded = !["pending", "running"].includes(row.status),
    hasFailed = ["failed", "canceled"].includes(row.status);
  const [{ id }] = await sql`
    insert into public.automation_executions ${
    sql({
      ...row,
      context_data: sql.json(row.context_data as never),
      action_results: sql.json(row.action_results as never),
      completed_at: hasEnded ? new Date() : null,
      error_message: hasFailed ? "The server responded with status 400" : null,
    })
  } returning id`;
  return id;
}

/** The context_data of an occurrence without an episode and a booking. */
export const contextOf = ({ id }: { id: string }) => ({
  podcast_id: id,
  episode_id: null,
  booking_id: null,
  episode_guest_id: null,
  import_id: null,
  podcast_guest_id: null,
  occurred_at: "2026-07-06T08:00:00.000Z",
  timezone: "UTC",
  tags: { podcast_title: "A show" },
});

/** The podcast used so many units of an action within the hour. */
export const useLimit = ({ id }: { id: string }, actionType: string, units: number) =>
  sql`insert into private.automation_usage (podcast_id, action_type, used_at, units)
    values (${id}, ${actionType}, now(), ${units})`;
