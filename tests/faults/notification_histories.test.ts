// Callers, workers, scheduled jobs, webhooks and deletions meet at random: counts are exact at every moment, each
// delivery ends, and nothing is left behind. Postgres ends few calls in a deadlock, and repeating them succeeds.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { callParameters, callStatement, type Operation } from "../../functions/database/operations.ts";
import { claimsOf } from "../claims.ts";
import { createRaceDatabase, outcome } from "../races/race_database.ts";
import { RECOUNT } from "../races/recount.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";

const QUEUES = ["email_deliveries", "push_deliveries"];
const SECONDS = byScale(5, 15), CLIENTS = 16, MAX_TRIES = 3; // the API calls twice more after a deadlock
const seed = Number(Deno.env.get("CASTBASE_SEED") ?? Date.now() % 1e9);

Deno.test("notifications stay consistent while calls, jobs and deletions meet at random", async () => {
  console.log(`CASTBASE_SEED=${seed}`);
  const random = seededRandom(seed), counts = new Map<string, number>(), wrong: unknown[] = [];
  await using there = await createRaceDatabase(2 * CLIENTS);
  const { sql, id } = there;
  await sql.unsafe(RECOUNT);
  await sql`update private.settings set value = '100000000'
    where key in ('max_chat_notifications_per_minute', 'max_push_subscriptions_per_hour')`;
  await sql`select private.set_setting('max_push_subscriptions_per_user', '3')`;
  await sql`select tests.podcast('show', 'ola')`;
  const showId = await id("show"), ola = await id("ola");

  interface Episode {
    id: string;
    tokens: string[];
  }
  let made = 0;
  async function makeMember(): Promise<string> {
    const name = `member${++made}`;
    await sql`select tests.person(${name}), tests.member(${name}, 'show')`;
    return await id(name);
  }
  async function makeEpisode(): Promise<Episode> {
    const name = `episode${++made}`, tokens = [`gus-of-${name}`, `gia-of-${name}`];
    await sql`select tests.episode(${name}, 'show')`;
    for (const token of tokens) await sql`select tests.guest_with_token(${token}, ${name}, 'active')`;
    return { id: await id(name), tokens };
  }
  const members = [ola], episodes: Episode[] = [];
  while (members.length < 6) members.push(await makeMember());
  while (episodes.length < 3) episodes.push(await makeEpisode());
  await sql`update public.notification_preferences set quiet_hours_start = '00:00', quiet_hours_end = '23:00'
    where user_id = ${members[1]}`;
  await sql`update public.notification_preferences set in_app_chat_message = false where user_id = ${members[2]}`;

  const count = (how: string) => counts.set(how, (counts.get(how) ?? 0) + 1);
  /** Runs a statement. `repeat`: again after a deadlock, as the API does; jobs run again later. */
  async function run(statement: () => PromiseLike<unknown>, repeat = false): Promise<string> {
    for (let tries = 1;; tries++) {
      const ended = await outcome(Promise.resolve(statement()));
      count(ended === "40P01" && repeat && tries === MAX_TRIES ? "40P01 three times" : ended);
      if (ended !== "40P01" || !repeat || tries === MAX_TRIES) return ended;
    }
  }
  const call = (sub: string | undefined, operation: Operation, args: Record<string, unknown> = {}) => {
    const claims = sub ? claimsOf(sub) : JSON.stringify({ role: "anon" });
    return run(() => sql.unsafe(callStatement(operation), callParameters(claims, args)), true);
  };

  const inOne = async (operation: Operation) => {
    const userId = random.one(members);
    const [found] = await sql`select id from public.notifications where user_id = ${userId} order by random() limit 1`;
    if (found) await call(userId, operation, { notificationId: found.id });
  };
  const inGroup = (operation: Operation) => {
    const { id } = random.one(episodes);
    return call(random.one(members), operation, {
      groupKey: `episode:${id}:chat`,
      link: `/podcasts/${showId}/episodes/${id}`,
    });
  };
  const chat = async (sender: { user: string } | { token: string }, episode: Episode) => {
    const messageId = crypto.randomUUID(), body = random.chance(0.3) ? "@Pat Person" : "Hello";
    const posted = await run(() =>
      "user" in sender
        ? sql`insert into public.episode_messages (id, episode_id, sender_user_id, body)
          values (${messageId}, ${episode.id}, ${sender.user}, ${body})`
        : sql`insert into public.episode_messages (id, episode_id, sender_guest_id, body)
          select ${messageId}, ${episode.id}, t.subject_id, ${body} from private.access_tokens t
          where t.digest = sha256(convert_to(${sender.token}, 'UTF8'))`
    );
    if (posted !== "ok") return; // the episode was deleted
    const args = { episodeId: episode.id, messageId };
    if ("token" in sender) return await call(undefined, "notify_chat_message", { ...args, accessToken: sender.token });
    await call(sender.user, "notify_chat_message", args);
    if (random.chance(0.3)) await call(sender.user, "delete_episode_message", { messageId });
  };

  /** Runs claimed jobs as the worker does. With `hasFaults`, providers fail, and their events arrive first. */
  async function work(hasFaults: boolean): Promise<number> {
    const jobs = await sql`
      select * from unnest(${QUEUES}::text[]) queue cross join lateral private.claim_jobs(queue, 4, 2)`;
    for (const { queue, msg_id: jobId, attempt, message: { delivery_id: deliveryId } } of jobs) {
      const ended = await run(async () => {
        const [{ email }] = await sql`select private.begin_email_delivery(${deliveryId}) as email`;
        if (email) {
          const tokens = JSON.stringify([{ kind: "open", digest: crypto.randomUUID().replaceAll("-", "").repeat(2) }]);
          await sql`select private.store_email_tokens(${deliveryId}, ${tokens}::text::jsonb)`;
          if (hasFaults && random.chance(0.25)) throw new Error("The provider failed");
          if (hasFaults && random.chance(0.3)) {
            const event = { type: "email.delivered", created_at: new Date(), data: { email_id: deliveryId } };
            await sql`select private.record_resend_event(${crypto.randomUUID()}, ${
              JSON.stringify(event)
            }::text::jsonb)`;
          }
          await sql`select private.record_email_sent(${deliveryId}, ${deliveryId})`;
        }
        const [{ push }] = await sql`select private.begin_push_delivery(${deliveryId}) as push`;
        const results = push?.subscriptions.map(({ id }: { id: string }) => ({
          subscription_id: id,
          outcome: hasFaults ? random.one(["accepted", "pending", "ended"]) : "accepted",
          error: "x",
        }));
        if (results) {
          await sql`select private.record_push_sends(${deliveryId}, ${JSON.stringify(results)}::text::jsonb)`;
        }
        if (JSON.stringify(results)?.includes("pending")) throw new Error("The push service failed");
      }).catch(() => "failed");
      await run(() =>
        ended === "ok"
          ? sql`select private.acknowledge_jobs(${queue}, ${[jobId]}::bigint[], ${[attempt]}::int[])`
          : sql`select private.fail_job(${queue}, ${jobId}, ${ended}, _attempt => ${attempt},
            _is_permanent => ${random.chance(0.1)})`
      );
    }
    return jobs.length;
  }
  async function checkCounts(userId: string) {
    const [counted] = await sql`select * from tests.counts_and_recount(${userId}, now())`;
    if (JSON.stringify(counted.counts) !== JSON.stringify(counted.recount)) wrong.push(counted);
  }

  const endpoint = () => `https://fcm.googleapis.com/fcm/send/${random.below(9)}`;
  const operations: [weight: number, operation: () => Promise<unknown>][] = [
    [12, () => chat({ user: random.one(members) }, random.one(episodes))],
    [4, () => {
      const episode = random.one(episodes);
      return chat({ token: random.one(episode.tokens) }, episode);
    }],
    [10, () => inOne("mark_notification_read")],
    [4, () => inOne("mark_notification_unread")],
    [4, () => inOne("archive_notification")],
    [3, () => inOne("unarchive_notification")],
    [4, () => call(random.one(members), "mark_all_notifications_read")],
    [4, () => inGroup("mark_notification_group_read")],
    [2, () => inGroup("archive_notification_group")],
    [2, () => call(random.one(members), "unarchive_all_notifications")],
    [3, () => {
      const { id, tokens } = random.one(episodes);
      return call(undefined, "mark_guest_notifications_read", { episodeId: id, accessToken: random.one(tokens) });
    }],
    [6, () => run(() => sql`select private.enqueue_due_deliveries(clock_timestamp() + interval '3 minutes', 30)`)],
    [6, () => run(() => sql`select private.fold_notification_counts()`)],
    [1, () => run(() => sql`select private.fan_out_waiting_events()`)],
    [1, () => run(() => sql`select private.purge_notifications(now() + interval '2 years', 20)`)],
    [8, async () => {
      const [{ subscription }] = await sql`select tests.browser_subscription(${endpoint()}) as subscription`;
      await call(random.one(members), "add_push_subscription", { subscription });
    }],
    [1, () => call(random.one(members), "remove_push_subscription", { endpoint: endpoint() })],
    [20, () => work(true)],
    [5, () => checkCounts(random.one(members))],
    [0.4, async () => {
      const n = random.below(episodes.length), next = await makeEpisode();
      await run(() => sql`delete from public.episodes where id = ${episodes[n].id}`);
      episodes[n] = next;
    }],
    [0.4, async () => {
      const n = 3 + random.below(3), next = await makeMember();
      await call(members[n], "delete_account");
      members[n] = next;
    }],
  ];
  const total = operations.reduce((sum, [weight]) => sum + weight, 0);
  const until = performance.now() + SECONDS * 1000;
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    while (performance.now() < until) {
      let place = random.next() * total;
      await operations.find(([weight]) => (place -= weight) < 0)![1]();
    }
  }));

  await sql`update public.notification_preferences set quiet_hours_start = null, quiet_hours_end = null`;
  await sql`select private.fan_out_waiting_events()`;
  do {
    await sql`select private.enqueue_due_deliveries(clock_timestamp() + interval '2 days', 100000)`;
    await Promise.all(QUEUES.map((queue) => sql`update ${sql(`pgmq.q_${queue}`)} set vt = clock_timestamp()`));
  } while ((await Promise.all(Array.from({ length: CLIENTS }, () => work(false)))).some(Boolean));
  await sql`select private.fold_notification_counts()`;
  for (const member of members) await checkCounts(member);

  const calls = [...counts.values()].reduce((sum, n) => sum + n, 0), deadlocks = counts.get("40P01") ?? 0;
  console.log(`${calls} calls, ${deadlocks} deadlocks:`, Object.fromEntries(counts));
  const expected = ["ok", "40P01", "PT401", "PT403", "PT404", "23503"]; // of rows that were deleted meanwhile
  deepEqual([...counts.keys()].filter((how) => !expected.includes(how)), []);
  ok(deadlocks <= 2 + calls / 5000, `${deadlocks} deadlocks`);
  deepEqual(wrong, []);
  deepEqual(
    [
      ...await sql`
    select 'delivery ' || status as left from public.notification_deliveries where status in ('pending', 'queued')
    union all select 'change of counts' from private.notification_count_changes
    union all select 'message of ' || queue from private.queue_health where queue = any (${QUEUES}) and depth > 0
    union all select 'content' from private.delivery_sends where content is not null
    union all select 'event' from private.events where processed_at is null
    union all select 'key' from private.notification_keys k
      where not exists (select from public.notifications n where n.id = k.notification_id)
    union all select 'listed notification' from private.collapsed_notifications c
      where not exists (select from public.notifications n where n.id = c.notification_id)
        or not exists (select from public.notification_deliveries d where d.id = c.delivery_id)
    union all select 'sending' from private.delivery_sends s
      where not exists (select from public.notification_deliveries d where d.id = s.delivery_id)
    union all select 'token' from private.email_tokens t
      where not exists (select from public.notification_deliveries d where d.id = t.delivery_id)
    union all select 'push' from private.push_sends p
      where not exists (select from public.notification_deliveries d where d.id = p.delivery_id)
    union all select 'delivery of nothing' from public.notification_deliveries d where d.notification_id is not null
      and not exists (select from public.notifications n where n.id = d.notification_id)`.values(),
    ],
    [],
  );
});
