// 2,000 emails and push messages while workers are killed, and while the providers fail, hang, or accept and drop the
// connection: each delivery ends, and no provider accepts one under two keys or with two contents.
import assert from "node:assert/strict";
import { startResendPeer } from "../mail/resend_peer.ts";
import { VAPID_ENV } from "../push/environment.ts";
import { type Browser, startPushService } from "../push/push_service.ts";
import { seededRandom } from "../random.ts";
import { startTestStack } from "../stack.ts";
import { waitFor } from "../wait_for.ts";
import { startWorker } from "../worker/worker.ts";
import { asPostgres } from "../local/services.ts";

const USERS = 1000, GUESTS = 100, MAX_ATTEMPTS = 5;
const QUEUES = ["deliveries", "guest_invitations"];

const EMAIL_FAULTS = [
  ...Array(8).fill("server_error"),
  ...Array(8).fill("drop_after"),
  ...Array(6).fill("lost_before"),
  ...Array(3).fill("busy"),
  "concurrent",
  "validation_error",
  "hang",
] as const;
const PUSH_FAULTS = [
  ...Array(8).fill(500),
  ...Array(8).fill("drop"),
  ...Array(3).fill(429),
  413,
  410,
  "time-out",
] as const;

Deno.test({
  name: "2,000 deliveries end, each sent under one key with one content, while workers die and providers fail",
  sanitizeOps: false, // connections to killed processes outlive the test
  sanitizeResources: false,
  async fn() {
    const seed = Number(Deno.env.get("CASTBASE_TEST_SEED") ?? Date.now() % 1_000_000);
    console.log(`seed ${seed}`);
    const random = seededRandom(seed);
    await using peer = startResendPeer();
    await using service = startPushService();
    await using at = await startTestStack();
    await using sql = asPostgres(at);
    await sql`select private.set_setting('worker_url', 'http://127.0.0.1:1')`; // only the workers of this test
    await sql`select private.set_setting('fetch_allowed_hosts', ${service.host})`;
    await sql`update private.queues set max_attempts = ${MAX_ATTEMPTS}, backoff_base = '1 second',
      backoff_max = '3 seconds' where name = any (${QUEUES})`;

    const browsers = await makeUsers(sql, service.subscribe);
    await inviteGuests(sql);
    const faults = new Map<string, number>();
    const count = (fault: string) => faults.set(fault, (faults.get(fault) ?? 0) + 1);
    peer.setFault(() => {
      if (!random.chance(0.25)) return;
      const fault = random.one(EMAIL_FAULTS);
      count(`email ${fault}`);
      return fault;
    });
    service.response = () => {
      if (!random.chance(0.25)) return 201;
      const fault = random.one(PUSH_FAULTS);
      count(`push ${fault}`);
      return fault;
    };
    await sql`
      select private.notify('import.failed', private.user_recipients(variadic array(
        select s.user_id from public.push_subscriptions s)), '{}')`;

    const began = performance.now();
    const env = { ...peer.env, ...VAPID_ENV, WORKER_SECRET: "the workers share this secret" };
    let kills = 0;
    const isDone = async () => {
      const [{ left }] = await sql<{ left: number }[]>`
        select (select count(*) from public.notification_deliveries where status in ('pending', 'queued'))
          + (select count(*) from pgmq.q_deliveries) + (select count(*) from pgmq.q_guest_invitations) as left`;
      return Number(left) === 0;
    };
    while (!await isDone()) {
      await using worker = await startWorker(at, QUEUES, env);
      await using other = await startWorker(at, QUEUES, env);
      const until = Date.now() + 1500 + random.below(4000);
      await waitFor("the workers die", async () => {
        await sql`select private.enqueue_due_deliveries()`;
        return Date.now() > until || await isDone();
      }, 60);
      await Promise.all([worker.kill(), other.kill()]);
      kills += 2;
      // what they had claimed is visible at once, not after the visibility timeout
      for (const queue of QUEUES) {
        await sql`update ${sql(`pgmq.q_${queue}`)} set vt = now() where vt > now() + interval '30 seconds'`;
      }
    }
    const seconds = (performance.now() - began) / 1000;

    const deliveries = await sql<Delivery[]>`
      select d.id, d.channel, d.status, s.provider_message_id as "messageId", s.last_error as error
      from public.notification_deliveries d left join private.delivery_sends s on s.delivery_id = d.id`;
    assert.equal(deliveries.length, 2 * USERS);
    for (const { id, status, error } of deliveries) {
      assert.ok(status === "sent" || status === "failed" && error, `${id}: ${status} ${error}`);
    }
    const bodies = new Map<string, Set<string>>();
    for (const { key, body } of peer.requests) bodies.set(key, (bodies.get(key) ?? new Set()).add(body));
    for (const [key, contents] of bodies) assert.equal(contents.size, 1, `${key} was sent with two contents`);
    const emails = new Map(peer.emails.map((email) => [email.key, email]));
    assert.equal(emails.size, peer.emails.length, "each key is accepted once");
    const ofChannel = (channel: string) => deliveries.filter((delivery) => delivery.channel === channel);
    for (const { id, status, messageId } of ofChannel("email")) {
      if (status === "sent") assert.equal(emails.get(id)?.id, messageId, `${id} is sent, and Resend has it`);
    }
    const addressed = peer.emails.filter(({ key }) => !key.startsWith("guest_invitation/")).map(({ to }) => to[0]);
    assert.equal(new Set(addressed).size, addressed.length, "no user has two emails");

    const received = browsers.flatMap(({ messages }) => messages);
    for (const { messages } of browsers) {
      assert.ok(new Set(messages.map(({ topic }) => topic)).size <= 1, "repeated messages replace each other");
    }
    const pushed = new Set(received.map(({ payload }) => payload.deliveryId));
    for (const { id, status } of ofChannel("push")) {
      if (status === "sent") assert.ok(pushed.has(id), `${id} was pushed`);
    }

    const invitations = await sql<{ id: string; hash: string | null; sent: boolean }[]>`
      select episode_guest_id as id, encode(coalesce(token_hash, pending_token_hash), 'hex') as hash,
        sent_at is not null as sent from private.guest_invitations`;
    const tokens = new Map(
      peer.emails.filter(({ key }) => key.startsWith("guest_invitation/")).map((
        { key, text },
      ) => [key.split("/")[1], /#token=(\S+)/.exec(text)![1]]),
    );
    for (const { id, hash, sent } of invitations) {
      if (sent) assert.ok(tokens.has(id), `${id} is invited, and Resend has the email`);
      if (tokens.has(id)) assert.equal(await sha256(tokens.get(id)!), hash, "the emailed token is the valid one");
    }
    const statuses = Object.groupBy(deliveries, ({ channel, status }) => `${channel} ${status}`);
    console.log({
      seed,
      seconds: Math.round(seconds),
      workersKilled: kills,
      deliveries: Object.fromEntries(Object.entries(statuses).map(([name, rows]) => [name, rows!.length])),
      emailRequests: peer.requests.length,
      emailsAccepted: peer.emails.length,
      failedAfterAcceptance: ofChannel("email").filter(({ id, status }) =>
        status === "failed" && emails.has(id)
      ).length,
      pushesAccepted: received.length,
      pushesRepeated: received.length - pushed.size,
      invitationsSent: invitations.filter(({ sent }) => sent).length,
      faults: Object.fromEntries([...faults].sort()),
    });
  },
});

interface Delivery {
  id: string;
  channel: string;
  status: string;
  messageId: string | null;
  error: string | null;
}

type Sql = ReturnType<typeof asPostgres>;

/** Users with one browser each. */
async function makeUsers(sql: Sql, subscribe: () => Browser): Promise<Browser[]> {
  const browsers = Array.from({ length: USERS }, subscribe);
  await sql`
    insert into auth.users (id, email, email_confirmed_at, aud, role)
    select gen_random_uuid(), gen_random_uuid() || '@people.test', now(), 'authenticated', 'authenticated'
    from generate_series(1, ${USERS}::int)`;
  const subscriptions = browsers.map(({ subscription: { endpoint, keys } }) => ({ endpoint, ...keys }));
  await sql`
    with browser as (
      select row_number() over () as n, b.* from jsonb_to_recordset(${sql.json(subscriptions)})
        b (endpoint text, p256dh text, auth text)
    ), person as (select row_number() over () as n, p.id from public.profiles p), added as (
      insert into public.push_subscriptions (user_id, endpoint)
      select p.id, b.endpoint from person p join browser b using (n) returning id, endpoint)
    insert into private.push_subscription_keys (subscription_id, p256dh, auth)
    select a.id, b.p256dh, b.auth from added a join browser b using (endpoint)`;
  return browsers;
}

/** Guests whose invitations are enqueued. */
async function inviteGuests(sql: Sql) {
  await sql`
    with show as (
      insert into public.podcasts (owner_id, title) select p.id, 'Night Trains' from public.profiles p limit 1
      returning id
    ), episode as (
      insert into public.episodes (podcast_id, title) select show.id, 'Paris–Wien' from show returning id
    ), guest as (
      insert into public.podcast_guests (podcast_id, display_name, email)
      select show.id, 'Gus ' || n, 'gus' || n || '@guests.test' from show, generate_series(1, ${GUESTS}::int) n
      returning id
    ), invited as (
      insert into public.episode_guests (episode_id, podcast_guest_id) select e.id, g.id from episode e, guest g
      returning id
    )
    insert into private.guest_invitations (episode_guest_id, email_count) select i.id, 1 from invited i`;
  await sql`
    select private.enqueue('guest_invitations', jsonb_build_object('episode_guest_id', i.episode_guest_id))
    from private.guest_invitations i`;
}

async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
