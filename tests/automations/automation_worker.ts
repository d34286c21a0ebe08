// The jobs of automations on a database of their own, in this process, with a receiver of webhooks and a Resend peer.
import { Webhook } from "standardwebhooks";
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase, makePodcast } from "../feed_writer/feed_database.ts";
import { startHttpServer } from "../http_server.ts";
import { startResendPeer } from "../mail/resend_peer.ts";

export interface ReceivedWebhook {
  id: string;
  body: string;
  headers: Record<string, string>;
}

interface Action {
  id: string;
  action_type: string;
}

export interface ActionResult {
  action_id: string;
  action_type: string;
  status: string;
  result: Record<string, unknown>;
}

interface Execution {
  id: string;
  status: string;
  action_results: ActionResult[];
  error_message: string | null;
  next_attempt_at: Date | null;
}

export interface Show {
  podcastId: string;
  ownerId: string;
  /** Of the owner. */
  email: string;
  episodeId: string;
}

/** A receiver that accepts webhooks, until a test sets other responses. */
function startReceiver() {
  const received: ReceivedWebhook[] = [];
  let respond: (webhook: ReceivedWebhook) => Response | Promise<Response> = () => new Response();
  const server = startHttpServer(async (request) => {
    const headers = Object.fromEntries(request.headers), body = await request.text();
    const webhook = { id: headers["webhook-id"], body, headers };
    received.push(webhook);
    return respond(webhook);
  });
  return {
    received,
    server,
    url: `${server.url}/in`,
    host: new URL(server.url).host,
    /** Responds so to the next webhooks, one after the other, then accepts. */
    respondWith: (...responses: (() => Response | Promise<Response>)[]) =>
      respond = () => responses.shift()?.() ?? new Response(),
  };
}

export async function startAutomationWorker() {
  const mail = startResendPeer(), receiver = startReceiver();
  const database = await createFeedDatabase(undefined, mail.env);
  const { sql } = database;
  const { drain } = await import("../../functions/worker/loop.ts");
  const { runAutomationJob } = await import("../../functions/worker/jobs/run_automation.ts");
  const { sendWebhookJob } = await import("../../functions/worker/jobs/send_webhook.ts");
  const { sendEmailDeliveryJob } = await import("../../functions/worker/jobs/send_email_delivery.ts");
  await sql`select private.set_setting('app_url', 'https://app.example'),
    private.set_setting('fetch_allowed_hosts', ${receiver.host})`;
  await sql`update private.queues set backoff_base = '1 minute'
    where name ~ '^automation_'`; // no retry is due before passTime(), on a slow machine too
  const jobs = [runAutomationJob, sendWebhookJob] as unknown as Job[];

  /** A podcast with a draft that can be published. */
  async function makeShow(): Promise<Show> {
    const podcastId = await makePodcast(sql);
    const [{ ownerId, email }] = await sql<{ ownerId: string; email: string }[]>`
      select u.id as "ownerId", u.email from public.podcasts p join auth.users u on u.id = p.owner_id
      where p.id = ${podcastId}`;
    const [{ episodeId }] = await sql<{ episodeId: string }[]>`
      insert into public.episodes (podcast_id, title, audio_url, audio_file_size_bytes, audio_content_type,
        audio_duration_seconds)
      values (${podcastId}, 'Paris', 'https://media.example/1.mp3', 1000, 'audio/mpeg', 60) returning id as "episodeId"`;
    return { podcastId, ownerId, email, episodeId };
  }

  /** A rule of the podcast's owner, with its actions. */
  async function makeRule(show: Show, actions: object[], name = "On publication") {
    const [{ rule }] = await sql<{ rule: { id: string; automation_actions: Action[] } }[]>`
      with caller as materialized (
        select set_config('request.jwt.claims',
          ${JSON.stringify({ role: "authenticated", sub: show.ownerId })}, true) as claims)
      select public.create_automation_rule(${show.podcastId}, ${name}, 'episode.published',
        actions => ${sql.json(actions as never)}) -> 'rule' as rule
      from caller where caller.claims is not null`;
    return { id: rule.id, actions: rule.automation_actions };
  }

  /** Publishes the show's episode, which fires its rules. */
  const publish = ({ episodeId }: Show) => sql`update public.episodes set status = 'published' where id = ${episodeId}`;

  async function executionOf({ podcastId }: Show): Promise<Execution> {
    const [row] = await sql<Execution[]>`
      select id, status, action_results, error_message, next_attempt_at from public.automation_executions
      where podcast_id = ${podcastId} order by created_at desc limit 1`;
    return { ...row };
  }

  /** A show whose rule was fired by the publication of its episode. */
  async function fire(actions: object[]) {
    const show = await makeShow(), rule = await makeRule(show, actions);
    await publish(show);
    return { show, rule };
  }

  /** Processes the messages that are due, with those that they enqueue, one after the other. */
  async function work() {
    for (let due = true; due;) {
      for (const job of jobs) await drain({ ...job, concurrency: job.batchSize }, timeBudget(60_000));
      [{ due }] = await sql<{ due: boolean }[]>`
        select exists (select from pgmq.q_automation_runs where vt <= clock_timestamp())
          or exists (select from pgmq.q_automation_webhooks where vt <= clock_timestamp()) as due`;
    }
  }

  /** Makes all messages and the next attempts of webhooks due, as after hours. */
  async function passTime() {
    await sql`update pgmq.q_automation_runs set vt = clock_timestamp()`;
    await sql`update pgmq.q_automation_webhooks set vt = clock_timestamp()`;
    await sql`update private.automation_webhooks set next_attempt_at = now() where message_id is null`;
  }

  /** The webhooks without a result, in the order of their rules. */
  const webhooksOf = async ({ podcastId }: Show) =>
    (await sql<{ hasPlace: boolean; attempts: number; seconds: number }[]>`
      select w.message_id is not null as "hasPlace", w.attempt_count as attempts,
        extract(epoch from w.next_attempt_at - clock_timestamp())::float as seconds
      from private.automation_webhooks w join public.automation_executions e on e.id = w.execution_id
      where w.podcast_id = ${podcastId} order by e.rule_name`).map((row) => ({ ...row }));

  /** The messages that wait in both queues. */
  const waiting = async () =>
    (await sql<{ queue: string; seconds: number; attempts: number; error: string | null }[]>`
      select q.queue, extract(epoch from q.vt - clock_timestamp())::float as seconds, q.read_ct as attempts,
        q.headers ->> 'last_error' as error
      from (
        select 'automation_runs' as queue, r.vt, r.read_ct, r.headers from pgmq.q_automation_runs r
        union all
        select 'automation_webhooks', w.vt, w.read_ct, w.headers from pgmq.q_automation_webhooks w) q`)
      .map((row) => ({ ...row }));

  const deadLetters = async (queue = "automation_webhooks") =>
    (await sql<{ error: string; attempts: number }[]>`
      select message ->> 'error' as error, (message ->> 'attempts')::int as attempts
      from pgmq.${sql(`q_${queue}_dlq`)} order by msg_id`).map((row) => ({ ...row }));

  /** Removes webhooks and messages of earlier steps. */
  async function reset() {
    receiver.received.length = 0;
    receiver.respondWith();
    await sql`delete from private.automation_webhooks`;
    for (const { queue } of jobs) await sql`select pgmq.purge_queue(${queue}), pgmq.purge_queue(${`${queue}_dlq`})`;
  }

  return {
    sql,
    mail,
    receiver,
    /** An action that sends a webhook to the receiver. */
    webhook: (fields: object = {}, config: object = {}) => ({
      action_type: "send_webhook",
      action_config: { url: receiver.url, ...config },
      ...fields,
    }),
    titleOf: async ({ episodeId }: Show) =>
      (await sql<{ title: string }[]>`select title from public.episodes where id = ${episodeId}`)[0].title,
    makeShow,
    makeRule,
    publish,
    fire,
    executionOf,
    work,
    /** Runs the executions that are due, up to their webhooks. */
    runExecutions: () => drain(runAutomationJob as Job, timeBudget(60_000)),
    /** Sends the webhooks that are due, as many at a time as the job does. */
    sendWebhooks: () => drain(sendWebhookJob as Job, timeBudget(60_000)),
    passTime,
    webhooksOf,
    waiting,
    deadLetters,
    reset,
    /** Sends the emails that are due. */
    async sendEmails() {
      await sql`select private.enqueue_due_deliveries(now() + interval '1 hour', 10000)`;
      await sql`update pgmq.q_email_deliveries set vt = clock_timestamp()`;
      await drain(sendEmailDeliveryJob as Job, timeBudget(60_000));
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await receiver.server[Symbol.asyncDispose]();
      await mail[Symbol.asyncDispose]();
    },
  };
}

/** Whether a receiver with this secret accepts the webhook. */
export function verifies(secret: string, { body, headers }: ReceivedWebhook): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

/** `update_field completed` of each action, in their order. */
export const statusesOf = (results: ActionResult[]) =>
  results.map(({ action_type, status }) => `${action_type} ${status}`);

/** An action that sets the title of the episode. */
export const updateTitle = (value: string) => ({
  action_type: "update_field",
  action_config: { entity: "episode", field: "title", value },
});
