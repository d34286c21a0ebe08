// Sessions that are confirmed, moved and canceled while the rules that write to their guests are paused, resumed, changed,
// disabled and enabled again. The test knows when each fact held, so it can tell whether an email was true when it was sent.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { callParameters, callStatement, type Operation } from "../../functions/database/operations.ts";
import { makePodcast } from "../feed_writer/feed_database.ts";
import { outcome } from "../races/race_database.ts";
import { hasEmails } from "./automation_outcomes.ts";
import type { SeededRandom } from "../random.ts";
import type { startWebhookReceiver } from "./webhook_receiver.ts";

const STUDIOS = 4, SESSIONS = 40;
const HALF_AN_HOUR = 1800_000;

/** What held from the beginning of the call that made it so until the end of the call that changed it, in milliseconds. */
type History<State> = { state: State; from: number; until: number }[];

interface SessionState {
  status: string;
  start: number;
}

interface Session {
  id: string;
  history: History<SessionState>;
}

interface RuleState {
  isEnabled: boolean;
  isPaused: boolean;
  hasWebhook: boolean;
}

interface Rule {
  id: string;
  trigger: "booking.confirmed" | "booking.rescheduled";
  history: History<RuleState>;
}

interface Studio {
  ownerId: string;
  rules: Rule[];
  sessions: Session[];
}

interface Execution {
  id: string;
  occurrence: string;
  ruleId: string;
  bookingId: string;
  /** Of the session when it was confirmed or moved. */
  start: string;
  status: string;
  error: string | null;
  results: { action_type: string; status: string; result: Record<string, string> }[];
}

const during = <State>(history: History<State>, from: number, until: number) =>
  history.filter((fact) => fact.from <= until && fact.until >= from).map(({ state }) => state);
const current = <State>(history: History<State>) => history.at(-1)!.state;

export async function makeStudios(
  sql: postgres.Sql,
  { random, receiver }: { random: SeededRandom; receiver: ReturnType<typeof startWebhookReceiver> },
) {
  const counts = new Map<string, number>();
  const firstStart = Math.ceil((Date.now() + 48 * 3600_000) / HALF_AN_HOUR) * HALF_AN_HOUR;
  /** The occurrences of rules: one has an execution if its rule was running. */
  const expected: { rule: Rule; session: Session; isRunning: boolean }[] = [];
  const requests: { delivery: string; subject: string; at: number }[] = [];
  let starts = 0;
  const nextStart = () => firstStart + starts++ * HALF_AN_HOUR; // each session has each time once

  // delivery_sends has the beginning of the first attempt only
  await sql`create table private.email_attempts (delivery_id uuid, at timestamptz)`;
  await sql`
    create function private.record_email_attempt() returns trigger language plpgsql security definer as $$
    begin insert into private.email_attempts values (new.delivery_id, statement_timestamp()); return null; end $$`;
  await sql`create trigger t999_record_email_attempt after insert or update of content on private.delivery_sends
    for each row when (new.content is not null) execute function private.record_email_attempt()`;
  for (const limit of ["max_sender_emails_per_recipient_per_day", "max_network_emails_per_recipient_per_day"]) {
    await sql`select private.set_setting(${limit}, '100000')`;
  }

  async function call({ ownerId }: Studio, operation: Operation, args: Record<string, unknown>) {
    const claims = JSON.stringify({ role: "authenticated", sub: ownerId });
    let ended: string;
    do { // again while another transaction keeps what it needs locked, as clients do
      ended = await outcome(
        sql.unsafe(callStatement(operation), callParameters(claims, args)).then(([{ status, text }]) => {
          if (status >= 400) throw new Error(text);
        }),
      );
    } while (ended === "55P03" || ended === "PT503");
    counts.set(`${operation} ${ended}`, (counts.get(`${operation} ${ended}`) ?? 0) + 1);
    return ended;
  }

  /** Changes a fact by a call that must succeed. */
  async function change<State>(
    history: History<State>,
    changes: Partial<State>,
    ...[studio, operation, args]: Parameters<typeof call>
  ) {
    const from = Date.now();
    const ended = await call(studio, operation, args);
    assert.equal(ended, "ok", `${operation}: ${ended}`);
    history.at(-1)!.until = Date.now();
    history.push({ state: { ...current(history), ...changes }, from, until: Infinity });
  }

  async function makeStudio(n: number): Promise<Studio> {
    const podcastId = await makePodcast(sql, { title: `Studio ${n}` });
    const [{ ownerId }] = await sql`select owner_id as "ownerId" from public.podcasts where id = ${podcastId}`;
    await sql`update public.notification_preferences
      set email_booking_confirmed = false, email_booking_rescheduled = false, email_booking_cancelled = false
      where user_id = ${ownerId}`;
    const [{ templateId }] = await sql`
      insert into public.automation_templates (podcast_id, name, subject, body_text)
      values (${podcastId}, 'Session', 'Session at {booking_start}', 'See you.') returning id as "templateId"`;
    const from = Date.now();
    const bookings = await sql`
      insert into public.bookings (podcast_id, name, start_time, end_time, guest_name, guest_email, guest_verified_at,
        expires_at)
      select ${podcastId}, 'Interview', to_timestamp(${firstStart / 1000} + 1800 * (${starts} + i)),
        to_timestamp(${firstStart / 1000} + 1800 * (${starts} + i + 1)), 'Gus',
        ${`guest-${n}-`} || i || '@guests.test', now(), now() + interval '1 day'
      from generate_series(0, ${SESSIONS - 1}::int) i
      returning id, extract(epoch from start_time)::float8 * 1000 as start`;
    starts += SESSIONS;
    const sessions = bookings.map(({ id, start }) => ({
      id,
      history: [{ state: { status: "pending", start: Number(start) }, from, until: Infinity }],
    }));
    const email = { action_type: "send_email", action_config: { template_id: templateId, to: "guest" } };
    const webhook = { action_type: "send_webhook", action_config: { url: receiver.url } };
    const rules: Rule[] = [];
    for (const trigger of ["booking.confirmed", "booking.rescheduled"] as const) {
      const [{ id }] = await sql`
        with caller as materialized (
          select set_config('request.jwt.claims', ${
        JSON.stringify({ role: "authenticated", sub: ownerId })
      }, true) as c)
        select public.create_automation_rule(${podcastId}, ${trigger}, ${trigger},
          actions => ${sql.json([webhook, email])}) #>> '{rule,id}' as id from caller where c is not null`;
      const state = { isEnabled: true, isPaused: false, hasWebhook: true };
      rules.push({ id, trigger, history: [{ state, from: Date.now(), until: Infinity }] });
    }
    return { ownerId, sessions, rules };
  }
  const studios: Studio[] = [];
  for (let n = 0; n < STUDIOS; n++) studios.push(await makeStudio(n));
  const rules = studios.flatMap((studio) => studio.rules.map((rule) => ({ studio, rule })));

  function expectExecution({ rules }: Studio, session: Session, trigger: Rule["trigger"]) {
    const rule = rules.find((rule) => rule.trigger === trigger)!, { isEnabled, isPaused } = current(rule.history);
    expected.push({ rule, session, isRunning: isEnabled && !isPaused });
  }

  async function changeSession(studio: Studio) {
    const session = random.one(studio.sessions), { id: bookingId, history } = session, { status } = current(history);
    if (status === "pending") {
      expectExecution(studio, session, "booking.confirmed");
      await change(history, { status: "confirmed" }, studio, "confirm_booking", { bookingId });
    } else if (status === "confirmed" && random.chance(0.75) && history.length < 12) { // a host moves one 10 times a day
      const start = nextStart();
      expectExecution(studio, session, "booking.rescheduled");
      await change(history, { start }, studio, "reschedule_booking", {
        bookingId,
        startTime: new Date(start).toISOString(),
      });
    } else if (status === "confirmed") {
      await change(history, { status: "cancelled" }, studio, "cancel_booking", { bookingId });
    }
  }

  const update = (studio: Studio, { id, history }: Rule, state: Partial<RuleState>, changes: object) =>
    change(history, state, studio, "update_automation_rule", { ruleId: id, changes });

  /** Removes the webhook of a rule, adds one, or changes its URL; the email stays. */
  async function changeActions(studio: Studio, rule: Rule) {
    const actions = await sql`
      select id, action_type, action_config from public.automation_actions
      where rule_id = ${rule.id} order by execution_order`;
    const email = actions.find(({ action_type }) => action_type === "send_email")!;
    const webhook = actions.find(({ action_type }) => action_type === "send_webhook");
    const url = `${receiver.url}?changed=${random.below(1000)}`;
    const hasWebhook = !webhook || random.chance(0.4);
    await update(studio, rule, { hasWebhook }, {
      actions: hasWebhook
        ? [{ ...webhook ?? { action_type: "send_webhook" }, action_config: { url } }, email]
        : [email],
    });
  }

  async function changeRule(studio: Studio) {
    const rule = random.one(studio.rules), { isEnabled, isPaused } = current(rule.history);
    const what = random.below(10);
    if (isPaused) await update(studio, rule, { isPaused: false }, { is_paused: false });
    else if (!isEnabled) await update(studio, rule, { isEnabled: true }, { is_enabled: true });
    else if (what < 5) await update(studio, rule, { isPaused: true }, { is_paused: true });
    else if (what < 7) await update(studio, rule, { isEnabled: false }, { is_enabled: false });
    else await changeActions(studio, rule);
  }

  const executions = () =>
    sql<Execution[]>`
      with recursive chains as (
        select e.id, e.id as occurrence from public.automation_executions e where e.retry_of_id is null
        union all
        select e.id, c.occurrence from chains c join public.automation_executions e on e.retry_of_id = c.id)
      select id, c.occurrence, rule_id as "ruleId", context_data ->> 'booking_id' as "bookingId",
        context_data #>> '{tags,booking_start}' as start, status, error_message as error, action_results as results
      from public.automation_executions e join chains c using (id)
      where rule_id = any (${rules.map(({ rule }) => rule.id)})
      order by created_at, retry_of_id is not null, id`;

  const sessionOf = ({ bookingId }: Execution) =>
    studios.flatMap(({ sessions }) => sessions).find(({ id }) => id === bookingId)!;
  const ruleOf = ({ ruleId }: Execution) => rules.find(({ rule }) => rule.id === ruleId)!;
  /** Whether what an execution reports is true of these facts. */
  const holds = (execution: Execution, { status, start }: SessionState) =>
    status === "confirmed" &&
    (ruleOf(execution).rule.trigger === "booking.confirmed" || start === Date.parse(execution.start));

  /** Retries what failed or was canceled, or one of it; returns how many executions that made. */
  async function retryEnded(one = false): Promise<number> {
    const all = await executions(),
      last = [...Map.groupBy(all, ({ occurrence }) => occurrence).values()].map((runs) => runs.at(-1)!);
    const ended = last.filter(({ status }) => status === "failed" || status === "canceled");
    let retried = 0;
    for (const execution of one && ended.length > 0 ? [random.one(ended)] : ended) {
      const { studio, rule } = ruleOf(execution), { isEnabled, isPaused } = current(rule.history);
      const mayRun = isEnabled && !isPaused && holds(execution, current(sessionOf(execution).history));
      const result = await call(studio, "retry_automation_execution", { executionId: execution.id });
      assert.equal(result, mayRun ? "ok" : "PT409", JSON.stringify(execution));
      if (mayRun) retried++;
    }
    return retried;
  }

  return {
    retryEnded,

    /** The mail server received a request to send an email. */
    sawEmail(key: string, body: string) {
      requests.push({ delivery: key.split("/")[0], subject: JSON.parse(body).subject, at: Date.now() });
    },

    /** Until all sessions were confirmed, and for as long as others act. */
    async act(isOver: () => boolean) {
      while (
        !isOver() ||
        studios.some(({ sessions }) => sessions.some(({ history }) => current(history).status === "pending"))
      ) {
        const studio = random.one(studios), what = random.below(20);
        if (what < 13) await changeSession(studio);
        else if (what < 19) await changeRule(studio);
        else await retryEnded(true);
        await new Promise((resolve) => setTimeout(resolve, random.below(100)));
      }
    },

    async resumeAll() {
      for (const { studio, rule } of rules) {
        const { isEnabled, isPaused } = current(rule.history);
        if (!isEnabled) await update(studio, rule, { isEnabled: true }, { is_enabled: true });
        if (isPaused) await update(studio, rule, { isPaused: false }, { is_paused: false });
      }
    },

    /** After all executions have ended, and what failed was retried. */
    async assertOutcomes() {
      const all = await executions(), occurrences = Map.groupBy(all, ({ occurrence }) => occurrence);
      const emails = await sql<{ id: string; executionId: string; status: string; problem: string | null }[]>`
        select d.id, e.execution_id as "executionId", d.status, s.last_error as problem
        from private.automation_emails e
        join private.delivery_addresses a on a.source_id = e.id
        join public.notification_deliveries d on d.id = a.delivery_id
        left join private.delivery_sends s on s.delivery_id = d.id`;
      const attempts = await sql<{ id: string; at: number }[]>`
        select delivery_id as id, extract(epoch from at)::float8 * 1000 as at from private.email_attempts order by at`;

      // each occurrence of a running rule has one execution
      for (const { rule, session } of expected) {
        const fired = [...occurrences.values()].filter(([{ ruleId, bookingId }]) =>
          ruleId === rule.id && bookingId === session.id
        );
        const wanted = expected.filter((e) => e.rule === rule && e.session === session && e.isRunning);
        assert.equal(fired.length, wanted.length, `executions of ${rule.trigger} for ${session.id}`);
      }

      // each email says what was true when it was sent
      const figures = { emailsOfSessions: 0, canceledEmails: 0, skippedActions: 0, kept: 0, overtaken: 0 };
      for (const { delivery, subject, at } of requests) {
        const email = emails.find(({ id }) => id === delivery);
        if (!email) continue; // the product's own emails
        const execution = all.find(({ id }) => id === email.executionId);
        if (!execution) continue; // of the shows
        const began = attempts.findLast((attempt) => attempt.id === delivery && attempt.at <= at + 1)!.at - 1;
        const start = Date.parse(subject.replace("Session at ", "").replace("(UTC)", "UTC"));
        const facts = during(sessionOf(execution).history, began, at);
        assert.ok(
          facts.some((fact) => fact.start === start && holds(execution, fact)),
          `"${subject}" was true when it was sent: ${JSON.stringify({ execution, facts, began, at })}`,
        );
        const { history } = ruleOf(execution).rule;
        assert.ok(
          during(history, began, at).some(({ isEnabled, isPaused }) => isEnabled && !isPaused),
          `"${subject}" was sent by a running rule`,
        );
        if (start !== Date.parse(execution.start)) figures.overtaken++;
      }

      // what did not happen has a reason that was true
      function assertTrue(reason: string | null | undefined, execution: Execution) {
        const session = sessionOf(execution), { history } = ruleOf(execution).rule;
        const facts = session.history.map(({ state }) => state), rules = history.map(({ state }) => state);
        const isTrue = {
          "The booking was canceled": facts.some(({ status }) => status === "cancelled"),
          "The booking was rescheduled": facts.some(({ start }) => start !== Date.parse(execution.start)),
          "The rule was disabled": rules.some(({ isEnabled }) => !isEnabled),
          "The rule was paused": rules.some(({ isPaused }) => isPaused),
          "The webhook was deleted": rules.some(({ hasWebhook }) => !hasWebhook),
        }[String(reason)];
        assert.ok(isTrue, `"${reason}" is true of ${JSON.stringify(execution)}`);
      }
      for (const [occurrence, runs] of occurrences) {
        const last = runs.at(-1)!, text = JSON.stringify(last);
        const isCurrent = holds(last, current(sessionOf(last).history));
        assert.ok(["completed", "failed", "canceled"].includes(last.status), text);
        if (last.status === "canceled") assertTrue(last.error, last);
        for (const { status, result } of last.results) {
          if (status === "skipped") {
            figures.skippedActions++;
            if (result.reason !== "An earlier action failed") assertTrue(result.reason, last);
          } else if (status === "failed") assert.ok(result.error, text);
          else assert.equal(status, "completed", text);
        }
        const results = last.results.filter(({ action_type }) => action_type === "send_email");
        assert.ok(results.length <= 1, text);
        const own = emails.filter(({ executionId }) => runs.some(({ id }) => id === executionId));
        assert.equal(own.length, hasEmails(results[0]) ? 1 : 0, `emails of ${occurrence}: ${text}`);
        for (const { status, problem } of own) {
          if (status === "canceled") {
            figures.canceledEmails++;
            assertTrue(problem, last);
          } else {
            figures.emailsOfSessions++;
            assert.equal(status, "sent", `${problem} ${text}`);
          }
        }
        if (isCurrent) {
          figures.kept++;
          assert.equal(last.status, "completed", `an occurrence that holds is not lost: ${text}`);
          assert.equal(results[0]?.status, "completed", `an email that is still true is not lost: ${text}`);
          for (const { status, problem } of own) {
            if (status === "canceled") assert.equal(problem, "The rule was disabled", text);
          }
        }
        for (const { results } of runs) {
          for (const { status, result } of results.filter(({ action_type }) => action_type === "send_webhook")) {
            if (status === "completed") assert.ok(receiver.processed.has(result.webhook_id), text);
          }
        }
      }
      return { occurrencesOfSessions: occurrences.size, ...figures, ...Object.fromEntries([...counts].sort()) };
    },
  };
}
