// Podcasts with automations for the tests of races, and what their executions did.
import type postgres from "postgres";
import type { RaceDatabase } from "./race_database.ts";

export interface Show {
  name: string;
  podcastId: string;
  episodeId: string;
  bookingId: string;
}

export type Rows = ReturnType<typeof automationRows>;

export function automationRows({ sql, id }: RaceDatabase) {
  let made = 0;

  /** A podcast of ola, with a confirmed booking that is linked with an episode. */
  async function makeShow({ owner = "ola" } = {}): Promise<Show> {
    const name = `show${++made}`;
    await sql`select tests.podcast(${name}, ${owner}), tests.episode(${`${name}/pilot`}, ${name}),
      tests.open_link(${`${name}/link`}, ${name}), tests.template(${`${name}/template`}, ${name})`;
    const bookingId = await book({ name }, 2, "confirmed");
    await sql`update public.bookings set episode_id = tests.id(${`${name}/pilot`}) where id = ${bookingId}`;
    return { name, podcastId: await id(name), episodeId: await id(`${name}/pilot`), bookingId };
  }

  /** A booking of the show, `slot` hours after the next full hour. */
  async function book({ name }: { name: string }, slot: number, status: "pending" | "confirmed"): Promise<string> {
    const booking = `${name}/booking${++made}`;
    await sql`select tests.booking_in(${booking}, ${`${name}/link`}, ${slot}, ${status}, ${`guest${made}`})`;
    return await id(booking);
  }

  /** A rule, by default of the podcast's owner, with these actions. Returns its id. */
  async function makeRule(
    show: Show,
    actions: object[],
    { trigger = "booking.confirmed", config = {}, author }: { trigger?: string; config?: object; author?: string } = {},
  ): Promise<string> {
    const [{ ruleId }] = await sql`
      select tests.rule(${`rule${++made}`}, ${show.name}, ${trigger}, ${sql.json(actions as never)},
        ${sql.json(config as never)}, ${author ?? null}) as "ruleId"`;
    return ruleId;
  }

  const updateTitle = (value: string) => ({
    action_type: "update_field",
    action_config: { entity: "episode", field: "title", value },
  });
  const webhook = { action_type: "send_webhook", action_config: { url: "https://hooks.test/in" } };
  const email = async ({ name }: Show, to = "host") => ({
    action_type: "send_email",
    action_config: { template_id: await id(`${name}/template`), to },
  });

  /** Fires the show's rules of booking.confirmed, or one of them. Returns how many executions it made. */
  async function fire(
    { podcastId, bookingId, episodeId }: Show,
    occurrence: string,
    ruleId?: string,
    tx: postgres.ISql = sql,
  ) {
    const [{ fired }] = await tx<{ fired: number }[]>`
      select private.fire_automations('booking.confirmed', ${podcastId}, ${bookingId}, ${episodeId}, ${occurrence},
        clock_timestamp(), ${ruleId ?? null}) as fired`;
    return fired;
  }

  /** An execution of a rule that runs when a booking is confirmed. */
  async function makeExecution(show: Show, ruleId: string): Promise<string> {
    const occurrence = `occurrence${++made}`;
    await fire(show, occurrence, ruleId);
    const [{ id }] = await sql`
      select id from public.automation_executions where rule_id = ${ruleId} and occurrence_key = ${occurrence}`;
    return id;
  }

  const run = (executionId: string, tx: postgres.ISql = sql) =>
    tx`select private.run_automation_execution(${executionId})`;

  async function executionOf(executionId: string) {
    const [row] = await sql<{ status: string; ruleId: string | null; error: string | null; results: string[] }[]>`
      select status, rule_id as "ruleId", error_message as error, array(
        select concat_ws(' ', r ->> 'action_type', r ->> 'status') from jsonb_array_elements(action_results) r) as results
      from public.automation_executions where id = ${executionId}`;
    return row && { ...row };
  }

  /** Counts executions by status, those of a rule or of a podcast. */
  async function statusesOf(of: { ruleId?: string; podcastId?: string }): Promise<Record<string, number>> {
    const rows = await sql<{ status: string; n: number }[]>`
      select status, count(*)::int as n from public.automation_executions
      where rule_id = ${of.ruleId ?? null} or podcast_id = ${of.podcastId ?? null} group by 1 order by 1`;
    return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  }

  /** The units that the automations of a podcast used, by type of action. */
  async function usageOf({ podcastId }: Show): Promise<Record<string, number>> {
    const rows = await sql<{ type: string; n: number }[]>`
      select action_type as type, sum(units)::int as n from private.automation_usage
      where podcast_id = ${podcastId} group by 1 order by 1`;
    return Object.fromEntries(rows.map(({ type, n }) => [type, n]));
  }

  const messagesOf = async (queue: "automation_runs" | "automation_webhooks", { podcastId }: Show) =>
    (await sql`select from ${sql(`pgmq.q_${queue}`)} where message ->> 'podcast_id' = ${podcastId}`).length;

  /** The emails that automations of a podcast requested, one for each recipient. */
  const emailsOf = async ({ podcastId }: Show) =>
    (await sql`
      select from private.events where type = 'automation.email' and payload ->> 'podcast_id' = ${podcastId}`).length;

  return {
    makeShow,
    book,
    makeRule,
    updateTitle,
    webhook,
    email,
    fire,
    makeExecution,
    run,
    executionOf,
    statusesOf,
    usageOf,
    messagesOf,
    emailsOf,
  };
}
