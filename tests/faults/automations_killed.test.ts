// Episodes of many podcasts are published, some are unpublished, sessions move, and rules are deleted, paused, disabled and
// changed, while workers are killed, and the receiver of webhooks and the mail server fail, hang, and lose connections
// before and after they did what was asked. When all is over, each occurrence ran its rule once: each action happened once
// or has a reason, each email was true when it was sent, no execution waits, and a retry repeats nothing.
import assert from "node:assert/strict";
import { callParameters, callStatement } from "../../functions/database/operations.ts";
import { createFeedDatabase, makePodcast } from "../feed_writer/feed_database.ts";
import { type Fault, startResendPeer } from "../mail/resend_peer.ts";
import { outcome } from "../races/race_database.ts";
import { seededRandom } from "../random.ts";
import { waitFor } from "../wait_for.ts";
import { startWorkerWith } from "../worker/worker.ts";
import { assertLimits, assertOutcomes, executionsOf, recordTitleWrites, type Show } from "./automation_outcomes.ts";
import { makeStudios } from "./automation_sessions.ts";
import { type ReceiverFault, startWebhookReceiver } from "./webhook_receiver.ts";

const seed = Number(Deno.env.get("CASTBASE_SEED") ?? Date.now() % 1e9);
const PODCASTS = 25, EPISODES = 36, WORKERS = 2;
/** Their emails go to a team of three, which is more than the hourly limit allows. */
const LIMITED = 3;
const QUEUES = ["automation_runs", "automation_webhooks", "email_deliveries"];
const MAX_SECONDS_OF_FAULTS = 100, MAX_SECONDS_OF_LIFE = 8;

const FAULTS: ReceiverFault[] = [
  ...Array<ReceiverFault>(8).fill("500"),
  ...Array<ReceiverFault>(6).fill("lost after"),
  ...Array<ReceiverFault>(4).fill("lost before"),
  ...Array<ReceiverFault>(3).fill("503 with Retry-After"),
  ...Array<ReceiverFault>(3).fill("429"),
  ...Array<ReceiverFault>(3).fill("late"),
  ...Array<ReceiverFault>(2).fill("garbage"),
  "time-out",
];
/** Whether the mail server accepted the email or not, the worker tries again, and the facts may have changed. */
const MAIL_FAULTS: Fault[] = ["server_error", "server_error", "lost_before", "drop_after"];

Deno.test({
  name: "1,000 executions of automations end, with each action once, while workers die and the receiver fails",
  sanitizeOps: false, // connections to killed processes outlive the test
  sanitizeResources: false,
  async fn() {
    console.log(`CASTBASE_SEED=${seed}`);
    const random = seededRandom(seed), began = performance.now();
    const secondsSoFar = () => Math.round((performance.now() - began) / 1000);
    await using mail = startResendPeer();
    await using receiver = startWebhookReceiver();
    await using database = await createFeedDatabase(undefined, mail.env);
    const { sql, env } = database;
    await sql`select private.set_setting('fetch_allowed_hosts', ${receiver.host}),
      private.set_setting('app_url', 'https://app.example')`;
    await sql`update private.queues set backoff_base = '1 second', backoff_max = '3 seconds',
      max_attempts = 30 where name = any (${QUEUES})`;
    await recordTitleWrites(sql);

    /** As the owner of the show: 'ok', or the SQLSTATE. */
    const call = (
      { ownerId }: Show,
      operation: "retry_automation_execution" | "delete_automation_rule" | "unpublish_episode" | "publish_episode",
      args: Record<string, unknown>,
    ) =>
      outcome(
        sql.unsafe(
          callStatement(operation),
          callParameters(JSON.stringify({ role: "authenticated", sub: ownerId }), args),
        )
          .then(([{ status, text }]) => {
            if (status >= 400) throw new Error(text);
          }),
      );

    async function makeShow(n: number): Promise<Show> {
      const podcastId = await makePodcast(sql, { title: `Show ${n}` });
      const [{ ownerId }] = await sql`select owner_id as "ownerId" from public.podcasts where id = ${podcastId}`;
      if (n < LIMITED) {
        await sql`
          with member as (
            insert into auth.users (id, email, email_confirmed_at, aud, role)
            select gen_random_uuid(), gen_random_uuid() || '@team.test', now(), 'authenticated', 'authenticated'
            from generate_series(1, 2) returning id)
          insert into public.podcast_members (podcast_id, user_id)
          select ${podcastId}, p.id from public.profiles p where p.id in (select id from member)`;
        await sql`
          insert into public.podcast_members (podcast_id, user_id)
          select ${podcastId}, f.id from public.profiles f
          where not exists (select from public.podcast_members m where m.user_id = f.id)`;
      }
      const [{ templateId }] = await sql`
        insert into public.automation_templates (podcast_id, name, subject, body_text)
        values (${podcastId}, 'News', 'Listen to {episode_title}', 'It is there.') returning id as "templateId"`;
      const email = { action_type: "send_email", action_config: { template_id: templateId, to: "team" } };
      const webhook = { action_type: "send_webhook", action_config: { url: receiver.url } };
      const update = {
        action_type: "update_field",
        action_config: { entity: "episode", field: "title", value: "Renamed" },
      };
      const actions = n % 5 === 4 ? [{ ...webhook, continue_on_error: true }, email, update] : [email, webhook, update];
      const [{ ruleId }] = await sql`
        with caller as materialized (
          select set_config('request.jwt.claims', ${
        JSON.stringify({ role: "authenticated", sub: ownerId })
      }, true) as c)
        select public.create_automation_rule(${podcastId}, ${`Rule ${n}`}, 'episode.published',
          actions => ${sql.json(actions)}) #>> '{rule,id}' as "ruleId" from caller where c is not null`;
      const episodes = await sql`
        insert into public.episodes (podcast_id, title, audio_url, audio_file_size_bytes, audio_content_type,
          audio_duration_seconds)
        select ${podcastId}, ${n}::text || '-' || i, 'https://media.example/' || i || '.mp3', 1000, 'audio/mpeg', 60
        from generate_series(1, ${EPISODES}::int) i returning id`;
      return { podcastId, ownerId, ruleId, recipients: n < LIMITED ? 3 : 1, episodeIds: episodes.map(({ id }) => id) };
    }
    const shows: Show[] = [];
    for (let n = 0; n <= PODCASTS; n++) shows.push(await makeShow(n));
    const doomed = shows.at(-1)!; // its rule is deleted
    const studios = await makeStudios(sql, { random, receiver });

    // What the receiver does
    const counts = new Map<string, number>();
    const count = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1);
    /** Of episodes whose webhooks fail in the end. */
    const broken = new Map<string, ReceiverFault>();
    let isFaulty = true;
    receiver.setFault((body) => {
      if (!isFaulty) return;
      const fault = broken.get(JSON.parse(body).data.episode_id) ??
        (random.chance(0.35) ? random.one(FAULTS) : undefined);
      if (fault) count(`fault: ${fault}`);
      return fault;
    });
    mail.setFault(({ key, body }) => {
      studios.sawEmail(key, body);
      const fault = isFaulty && random.chance(0.1) ? random.one(MAIL_FAULTS) : undefined;
      if (fault) count(`fault of mail: ${fault}`);
      return fault;
    });

    // What the team does
    const unpublished = new Set<string>();
    const everything = { shows: shows.slice(0, PODCASTS), doomed, unpublished, mail, receiver };
    let published = 0;
    async function publish() {
      const todo = shows.flatMap((show) => show.episodeIds.map((id) => ({ show, id, order: random.next() })))
        .sort((a, b) => a.order - b.order);
      for (const { show, id } of todo) {
        if (random.chance(0.03)) broken.set(id, random.one(["404", "500", "lost before"]));
        assert.equal(await call(show, "publish_episode", { episodeId: id }), "ok");
        published++;
        if (random.chance(0.1)) { // the event is duplicated
          await sql`select private.fire_automations('episode.published', ${show.podcastId}, null, ${id},
            ${`episode.published:${id}`}, now())`;
        }
        if (random.chance(0.03)) {
          assert.equal(await call(show, "unpublish_episode", { episodeId: id }), "ok");
          unpublished.add(id);
        }
        if (published === Math.round(0.6 * todo.length)) {
          assert.equal(await call(doomed, "delete_automation_rule", { ruleId: doomed.ruleId }), "ok");
        }
        await new Promise((resolve) => setTimeout(resolve, random.below(70)));
      }
    }

    // The workers' lives
    let workersKilled = 0, isOver = false;
    const requestsSoFar = () => receiver.attempts() + mail.requests.length;
    const liveAndDie = async () => {
      await using worker = startWorkerWith(env, QUEUES);
      const start = performance.now(), last = requestsSoFar() + 1 + random.below(120);
      while (requestsSoFar() < last && performance.now() - start < MAX_SECONDS_OF_LIFE * 1000) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await worker.kill();
      workersKilled++;
    };
    /** As after a minute without workers: what they claimed is visible, and their attempts have expired. */
    async function passMinute() {
      await new Promise((resolve) => setTimeout(resolve, 200)); // the database finishes their statements
      for (const queue of QUEUES) {
        await sql`update ${sql(`pgmq.q_${queue}`)} set vt = clock_timestamp() where vt < now() + interval '5 minutes'`;
      }
      await sql`update private.delivery_sends set attempt_expires_at = now() where attempt_expires_at is not null`;
    }
    /** An hour passes for the limits of podcasts. */
    async function passHour() {
      await sql`update private.automation_usage set used_at = used_at - interval '1 hour'`;
      await sql`update public.automation_executions set next_attempt_at = next_attempt_at - interval '1 hour'
        where next_attempt_at is not null`; // the turns of those that wait
      await sql`update pgmq.q_automation_runs set vt = clock_timestamp()`;
    }
    /** As after hours: webhooks whose attempts failed, and emails of paused rules, are due again. */
    async function passRetries() {
      await sql`update private.automation_webhooks set next_attempt_at = now()
        where message_id is null and next_attempt_at > now() and next_attempt_at < 'infinity'`;
      await sql`update public.notification_deliveries set due_at = now()
        where status = 'pending' and type = 'automation.email' and due_at > now()`;
      await sql`select private.release_due_webhooks()`; // cron does so
      await sql`select private.enqueue_due_deliveries()`;
    }
    let mostPlaces = 0;
    const left = async () => {
      await passRetries();
      const [{ places }] = await sql`
        select coalesce(max(n), 0)::int as places from (
          select count(*) as n from private.automation_webhooks where message_id is not null group by podcast_id) p`;
      assert.ok(places <= 8, `a podcast has ${places} webhooks in flight`);
      mostPlaces = Math.max(mostPlaces, places);
      const [row] = await sql<{ now: number; later: number }[]>`
        select (select count(*)::int from public.automation_executions where status in ('pending', 'running')
            and next_attempt_at is null)
          + (select sum(depth)::int from private.queue_health where queue in ('automation_webhooks', 'email_deliveries'))
          + (select count(*)::int from private.automation_webhooks) as now,
          (select count(*)::int from public.automation_executions where next_attempt_at is not null) as later`;
      return row;
    };

    let arePublished = false;
    const acting = Promise.all([publish().finally(() => arePublished = true), studios.act(() => arePublished)])
      .finally(() => isOver = true);
    acting.catch(() => {}); // it is awaited below
    while (!isOver || (await left()).now > 40 && secondsSoFar() < MAX_SECONDS_OF_FAULTS) {
      await Promise.all(Array.from({ length: WORKERS }, liveAndDie));
      await passMinute();
    }
    await acting;
    await studios.resumeAll();
    const secondsOfFaults = secondsSoFar(), leftAfterFaults = await left();

    /** Until all executions have ended, or all but those that wait for a limit. */
    async function settle(mayWait = 0) {
      await using _one = startWorkerWith(env, QUEUES);
      await using _other = startWorkerWith(env, QUEUES);
      await waitFor("the executions end", async () => {
        const { now, later } = await left();
        return now === 0 && later <= mayWait;
      }, 300).catch(async (error) => {
        console.log(
          await sql`select id, status, error_message, action_results from public.automation_executions
            where status in ('pending', 'running') and next_attempt_at is null limit 5`,
          await sql`select msg_id, read_ct, vt, message from pgmq.q_automation_webhooks limit 5`,
          await sql`select msg_id, read_ct, vt, message from pgmq.q_email_deliveries limit 5`,
          await sql`select * from private.automation_webhooks limit 5`,
          await left(),
        );
        throw error;
      });
    }
    broken.forEach((_, id) => random.chance(0.5) && broken.delete(id));
    await settle(Infinity);
    const { later: waitedForLimit } = await left();
    assert.ok(waitedForLimit > 0, "executions wait for the hourly limit");
    await assertLimits(sql);
    await passHour();
    await settle();
    const executions = await executionsOf(sql);
    const figures = await assertOutcomes(sql, executions, everything);

    // An admin retries what failed
    isFaulty = false;
    const failed = executions.filter(({ status }) => status === "failed");
    let retried = 0;
    for (const { id, podcastId, episodeId } of failed) {
      const show = shows.find((show) => show.podcastId === podcastId)!;
      const ended = await call(show, "retry_automation_execution", { executionId: id });
      const isOver = show === doomed || unpublished.has(episodeId);
      assert.equal(ended, isOver ? "PT409" : "ok");
      if (!isOver) retried++;
    }
    const retriedOfSessions = await studios.retryEnded();
    await settle();
    const all = await executionsOf(sql), retries = all.slice(executions.length);
    assert.equal(retries.length, retried);
    for (const { status, error } of retries) assert.equal(status, "completed", `${error}`);
    await assertOutcomes(sql, all, everything);
    const figuresOfSessions = await studios.assertOutcomes();

    console.log({
      seed,
      seconds: secondsSoFar(),
      secondsOfFaults,
      workersKilled,
      leftAfterFaults,
      waitedForLimit,
      ...figures,
      retried,
      ...figuresOfSessions,
      retriedOfSessions,
      mostPlaces,
      webhookAttempts: receiver.attempts(),
      webhooksProcessed: receiver.processed.size,
      webhooksRepeated: [...receiver.processed.values()].reduce((sum, { repeated }) => sum + repeated, 0),
      emails: mail.emails.length,
      ...Object.fromEntries([...counts].sort()),
    });
    assert.ok(workersKilled > 10 && failed.length > 5, "the faults did what they are for");
    const { overtaken, skippedActions } = figuresOfSessions;
    assert.ok(overtaken > 0 && skippedActions > 0, "sessions moved and ended before their emails were sent");
  },
});
