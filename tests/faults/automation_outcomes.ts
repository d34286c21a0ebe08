// What is true of all executions of automations when everything is over, regardless of what failed meanwhile.
import assert from "node:assert/strict";
import type postgres from "postgres";
import type { startResendPeer } from "../mail/resend_peer.ts";
import type { startWebhookReceiver } from "./webhook_receiver.ts";

const CANCELED = ["The episode is no longer published", "The rule was deleted"];

/** A podcast with a rule that emails its team, sends a webhook, and renames the episode. */
export interface Show {
  podcastId: string;
  ownerId: string;
  ruleId: string;
  recipients: number;
  episodeIds: string[];
}

export interface Execution {
  id: string;
  occurrence: string;
  podcastId: string;
  episodeId: string;
  title: string;
  status: string;
  error: string | null;
  results: { action_id: string; action_type: string; status: string; result: Record<string, unknown> }[];
}

/** A table that records each write of a title, even one that changes nothing. */
export async function recordTitleWrites(sql: postgres.Sql) {
  await sql`create table private.title_writes (episode_id uuid)`;
  await sql`
    create function private.record_title_write() returns trigger language plpgsql security definer as $$
    begin insert into private.title_writes values (new.id); return null; end $$`;
  await sql`create trigger t999_record_title_write after update of title on public.episodes
    for each row execute function private.record_title_write()`;
}

/** Retries last. */
export async function executionsOf(sql: postgres.Sql): Promise<Execution[]> {
  return await sql<Execution[]>`
    select id, coalesce(retry_of_id, id) as occurrence, podcast_id as "podcastId", context_data ->> 'episode_id' as "episodeId",
      context_data #>> '{tags,episode_title}' as title, status, error_message as error, action_results as results
    from public.automation_executions where trigger_type = 'episode.published' order by retry_of_id is not null, id`;
}

export async function assertLimits(sql: postgres.Sql) {
  const over = await sql`
    select podcast_id, action_type, sum(units) as units from private.automation_usage group by 1, 2
    having sum(units) > private.max_automation_units(action_type)`;
  assert.deepEqual([...over], [], "no podcast exceeds an hourly limit");
}

/** Whether an action made emails; one whose emails were canceled when they were to be sent is skipped. */
export function hasEmails(entry?: { status: string; result: object }) {
  const { recipients }: { recipients?: { status: string }[] } = entry?.result ?? {};
  return entry?.status === "completed" || recipients?.[0]?.status === "canceled";
}

/** Each occurrence has one execution, and each action of it happened as its results say, once. */
export async function assertOutcomes(
  sql: postgres.Sql,
  executions: Execution[],
  { shows, doomed, unpublished, mail, receiver }: {
    /** Each of their episodes was published. */
    shows: Show[];
    /** Its rule was deleted meanwhile. */
    doomed: Show;
    unpublished: Set<string>;
    mail: ReturnType<typeof startResendPeer>;
    receiver: ReturnType<typeof startWebhookReceiver>;
  },
) {
  const occurrences = Map.groupBy(executions, ({ occurrence }) => occurrence);
  for (const { podcastId, episodeIds } of shows) {
    const run = [...occurrences.values()].filter(([first]) => first.podcastId === podcastId);
    assert.deepEqual(run.map(([{ episodeId }]) => episodeId).sort(), episodeIds.toSorted());
  }
  const writes = await sql<{ id: string }[]>`select episode_id as id from private.title_writes`;
  // the title is that of the occurrence, which the email may no longer name
  const requested = await sql<{ id: string; title: string; status: string }[]>`
    select d.id, x.context_data #>> '{tags,episode_title}' as title, d.status from private.delivery_addresses a
    join public.notification_deliveries d on d.id = a.delivery_id
    join private.automation_emails e on e.id = a.source_id
    join public.automation_executions x on x.id = e.execution_id`;
  const emailsOf = (emails: { title: string }[], title: string) =>
    emails.filter((email) => email.title === title).length;
  const sent = mail.emails.flatMap(({ key, subject, to }) =>
    requested.filter(({ id }) => key.split("/")[0] === id).map(({ title }) => ({
      title,
      email: `${subject} ${key} ${to}`,
    }))
  );
  assert.equal(new Set(sent.map(({ email }) => email)).size, sent.length, "no email is sent twice");
  const statuses = new Map<string, number>();
  let failedAfterProcessing = 0;
  for (const runs of occurrences.values()) {
    const last = runs.at(-1)!, { podcastId, episodeId, title, status, error, results } = last;
    const show = shows.find((show) => show.podcastId === podcastId) ?? doomed;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const statusOf = (type: string) => results.find(({ action_type }) => action_type === type)?.status;
    const webhook = results.find(({ action_type }) => action_type === "send_webhook");
    if (status === "completed") {
      assert.equal(results.length, 3);
      for (const result of results) {
        const mayFail = result.action_type === "send_webhook" && results[0] === result;
        const mayBeSkipped = (unpublished.has(episodeId) || show === doomed) && result.status === "skipped";
        assert.ok(
          result.status === "completed" || mayFail && result.result.error || mayBeSkipped,
          JSON.stringify(last),
        );
      }
    } else if (status === "failed") {
      assert.equal(error, webhook?.result.error, JSON.stringify(last));
      assert.equal(statusOf("update_field"), "skipped");
    } else {
      assert.equal(status, "canceled");
      assert.ok(CANCELED.includes(error!), `${error}`);
      assert.ok(unpublished.has(episodeId) || show === doomed, "an execution is canceled for a reason");
    }
    const email = results.find(({ action_type }) => action_type === "send_email");
    const recipients = hasEmails(email) ? show.recipients : 0;
    assert.equal(emailsOf(requested, title), recipients, `emails of ${title}`);
    const canceled = requested.filter(({ status }) => status === "canceled");
    const sentOnce = new Set(sent.filter((email) => email.title === title).map(({ email }) => email.split(" ").at(-1)));
    assert.ok(sentOnce.size + emailsOf(canceled, title) >= recipients, `sent emails of ${title}`);
    assert.ok(sentOnce.size <= recipients, `emails of ${title} to other recipients`);
    const updates = statusOf("update_field") === "completed" ? 1 : 0;
    assert.equal(writes.filter(({ id }) => id === episodeId).length, updates, `updates of ${title}`);
    const isProcessed = receiver.processed.has(String(webhook?.result.webhook_id));
    if (webhook?.status === "completed") assert.ok(isProcessed, `the webhook of ${title} is processed`);
    else if (isProcessed) failedAfterProcessing++;
  }
  for (const [id, bodies] of receiver.bodies) assert.equal(bodies.size, 1, `${id} has one content`);
  const begun = (await sql<{ id: string }[]>`
    select r.entry #>> '{result,webhook_id}' as id from public.automation_executions e,
      jsonb_array_elements(e.action_results) r (entry)`).map(({ id }) => id);
  for (const id of receiver.processed.keys()) assert.ok(begun.includes(id), `${id} is of an action`);
  const deadLetters = await sql<{ error: string }[]>`
    select message ->> 'error' as error from pgmq.q_automation_webhooks_dlq
    union all select message ->> 'error' from pgmq.q_automation_runs_dlq`;
  for (const { error } of deadLetters) assert.ok(error, "each dead letter has a reason");
  return {
    occurrences: occurrences.size,
    ...Object.fromEntries(statuses),
    failedAfterProcessing,
    deadLetters: deadLetters.length,
  };
}
