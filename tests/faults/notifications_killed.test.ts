// Emails and push messages while workers are killed, while the providers fail, hang, or accept and drop the connection,
// and while users read, turn off and delete: each delivery ends, and no provider gets one under two keys or with two
// contents.
import assert from "node:assert/strict";
import { startResendPeer } from "../mail/resend_peer.ts";
import { type SmtpFault, startSmtpPeer } from "../mail/smtp_peer.ts";
import { VAPID_ENV } from "../push/environment.ts";
import { startPushService } from "../push/push_service.ts";
import { type SeededRandom, seededRandom } from "../random.ts";
import { startTestStack, type TestStack } from "../stack.ts";
import { waitFor } from "../wait_for.ts";
import { startWorker } from "../worker/worker.ts";
import { asPostgres } from "../database.ts";
import {
  deleteAccount,
  deleteMessage,
  EXCERPT,
  idsOf,
  inviteGuests,
  makeUsers,
  readAll,
  type Sql,
  subscribeUsers,
  turnOff,
  writeMessages,
} from "./notified_users.ts";

const USERS = 1000, GUESTS = 100, MAX_ATTEMPTS = 3;
/** Users who read a chat, turn emails and pushes off, or delete their account meanwhile. */
const READERS = 100, LEAVERS = 50, DELETED = 50;
const QUEUES = ["email_deliveries", "push_deliveries"];

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
const SMTP_FAULTS: SmtpFault[] = [
  ...Array<SmtpFault>(8).fill("busy"),
  ...Array<SmtpFault>(8).fill("drop_after"),
  ...Array<SmtpFault>(6).fill("lost_before"),
  "busy_recipient",
  "unknown_recipient",
  "rejected_content",
];

/** Connections to killed processes outlive the test. */
const options = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "2,300 deliveries end, each under one key with one content, while workers die, providers fail and users act",
  options,
  async () => {
    const { seed, random } = drawSeed();
    await using peer = startResendPeer();
    await using service = startPushService();
    await using at = await startTestStack();
    await using sql = asPostgres(at);
    await prepare(sql);
    await sql`select private.set_setting('fetch_allowed_hosts', ${service.host})`;
    const users = await makeUsers(sql, USERS), browsers = await subscribeUsers(sql, users, service.subscribe);
    await inviteGuests(sql, users[0], GUESTS);
    const faults = new Map<string, number>();
    const draw = <Fault>(channel: string, choices: readonly Fault[]) => {
      if (!random.chance(0.25)) return;
      const fault = random.one(choices), name = `${channel} ${fault}`;
      faults.set(name, (faults.get(name) ?? 0) + 1);
      return fault;
    };
    peer.setFault(() => draw("email", EMAIL_FAULTS));
    service.response = () => draw("push", PUSH_FAULTS) ?? 201;

    await sql`select private.notify('import.failed', private.user_recipients(variadic ${idsOf(users)}::uuid[]), '{}')`;
    const readers = users.slice(0, READERS), leavers = users.slice(READERS, READERS + LEAVERS);
    const deleted = users.slice(READERS + LEAVERS, READERS + LEAVERS + DELETED);
    const messages = await writeMessages(sql, readers);
    const addresses = new Map((await sql<{ id: string; email: string }[]>`
      select d.id, coalesce(u.email, a.email) as email from public.notification_deliveries d
      left join auth.users u on u.id = d.user_id left join private.delivery_addresses a on a.delivery_id = d.id
      where d.channel = 'email'`).map(({ id, email }) => [id, email]));
    assert.equal(addresses.size, USERS + READERS + GUESTS);

    const acted = new Map<string, Date>(); // by id of the user or message, once it is committed
    const actions = [
      ...readers.filter(() => random.chance(0.5)).map(({ id }) => [id, readAll] as const),
      ...leavers.map(({ id }) => [id, turnOff] as const),
      ...deleted.map(({ id }) => [id, deleteAccount] as const),
      [messages[0], deleteMessage] as const,
    ];
    const act = async () => {
      if (actions.length === 0) return;
      const [[id, action]] = actions.splice(random.below(actions.length), 1);
      await action(sql, id);
      acted.set(id, (await sql<{ at: Date }[]>`select clock_timestamp() as at`)[0].at);
    };
    const env = { ...peer.env, ...VAPID_ENV, WORKER_SECRET: "the workers share this secret" };
    const { workersKilled, seconds } = await killWorkersUntilDone(at, sql, random, env, act);
    while (actions.length > 0) await act();

    const deliveries = await sql<Delivery[]>`
      select d.id, d.channel, d.type, d.status, d.user_id as "userId", s.provider_message_id as "messageId",
        s.last_error as error, s.begun_at as "begunAt"
      from public.notification_deliveries d left join private.delivery_sends s on s.delivery_id = d.id`;
    // without the pushes of the deleted message
    assert.equal(deliveries.length, 2 * (USERS - DELETED) + 2 * READERS + GUESTS);
    const requested = new Set(peer.requests.map(({ key }) => key));
    const received = browsers.flatMap(({ messages }) => messages);
    const pushed = new Set(received.map(({ payload }) => payload.deliveryId));
    for (const { id, channel, status, error, userId } of deliveries) {
      assert.ok(["sent", "failed", "canceled"].includes(status), `${id}: ${status}`);
      if (status === "failed") assert.ok(error, `${id} has a reason`);
      if (status !== "canceled") continue;
      assert.ok(acted.has(userId) || acted.has(messages[0]), `${id} is canceled because its user acted`);
      const isOff = error === `The recipient turned these ${channel === "email" ? "emails" : "pushes"} off`;
      if (!isOff) assert.ok(!requested.has(id) && !pushed.has(id), `${id} was read before it was begun: ${error}`);
    }

    // Emails
    const bodies = Object.groupBy(peer.requests, ({ key }) => key);
    for (const [key, requests] of Object.entries(bodies)) {
      assert.equal(new Set(requests!.map(({ body }) => body)).size, 1, `${key} was sent with two contents`);
      assert.deepEqual(
        JSON.parse(requests![0].body).to.map((to: string) => /[^< ]+@[^> ]+/.exec(to)![0]),
        [addresses.get(key)],
        "the key is the id of a delivery to this recipient",
      );
    }
    const emails = new Map(peer.emails.map((email) => [email.key, email]));
    const ofChannel = (channel: string) => deliveries.filter((delivery) => delivery.channel === channel);
    for (const { id, status, messageId, type, userId, begunAt } of ofChannel("email")) {
      if (status === "sent") assert.equal(emails.get(id)?.id, messageId, `${id} is sent, and Resend has it`);
      if (type !== "chat.message") continue;
      const readAt = acted.get(userId), deletedAt = acted.get(messages[0])!;
      if (readAt && begunAt) assert.ok(begunAt < readAt, `${id} began before its messages were read`);
      if (emails.get(id)?.text.includes(EXCERPT)) assert.ok(begunAt! < deletedAt, `${id} began before the deletion`);
    }

    // Pushes
    const topics = Object.groupBy(received, ({ topic }) => topic);
    for (const [topic, messages] of Object.entries(topics)) {
      const contents = new Set(messages!.map(({ payload }) => JSON.stringify(payload)));
      assert.equal(contents.size, 1, `the messages of ${topic} replace each other`);
    }
    assert.equal(Object.keys(topics).length, pushed.size, "each delivery has one topic");
    for (const { id, status } of ofChannel("push")) {
      if (status === "sent") assert.ok(pushed.has(id), `${id} was pushed`);
    }

    // An operator sends the failed emails again
    peer.setFault(() => undefined);
    const [{ retriedCount }] = await sql<{ retriedCount: number }[]>`
      select (public.retry_failed_deliveries('-infinity', 'infinity', 'email') ->> 'retriedCount')::int as "retriedCount"`;
    await killWorkersUntilDone(at, sql, random, env);
    const rejected = await sql<{ error: string }[]>`
      select s.last_error as error from public.notification_deliveries d
      join private.delivery_sends s on s.delivery_id = d.id where d.channel = 'email' and d.status = 'failed'`;
    for (const { error } of rejected) assert.equal(error, "Resend rejected the email: 422 validation_error");
    assert.equal(retriedCount + rejected.length, ofChannel("email").filter(({ status }) => status === "failed").length);
    for (const [key, requests] of Object.entries(Object.groupBy(peer.requests, ({ key }) => key))) {
      const links = requests!.map(({ body }) => body.match(/\/(email\/\w+\/|guest#token=)[\w-]+/g)?.join());
      assert.equal(new Set(links).size, 1, `${key} has the same tokens in each attempt`);
    }

    const invitationsSent = await assertInvitations(sql, peer.emails);
    const statuses = Object.groupBy(deliveries, ({ channel, status }) => `${channel} ${status}`);
    console.log({
      seed,
      seconds,
      workersKilled,
      deliveries: Object.fromEntries(Object.entries(statuses).map(([name, rows]) => [name, rows!.length])),
      emailRequests: peer.requests.length,
      emailsAccepted: peer.emails.length,
      failedAfterAcceptance: ofChannel("email").filter(({ id, status }) => status === "failed" && emails.has(id))
        .length,
      retriedByOperator: retriedCount,
      pushesAccepted: received.length,
      pushesRepeated: received.length - pushed.size,
      invitationsSent,
      faults: Object.fromEntries([...faults].sort()),
    });
  },
);

Deno.test(
  "300 emails by SMTP end, each under one Message-ID with one content, while workers die",
  options,
  async () => {
    const { seed, random } = drawSeed();
    await using peer = await startSmtpPeer();
    await using at = await startTestStack();
    await using sql = asPostgres(at);
    await prepare(sql);
    const users = await makeUsers(sql, 300);
    peer.setFault(() => random.chance(0.25) ? random.one(SMTP_FAULTS) : undefined);
    await sql`select private.notify('import.failed', private.user_recipients(variadic ${idsOf(users)}::uuid[]), '{}')`;
    const env = {
      SMTP_URL: peer.url,
      MAIL_FROM: "Casts <casts@mail.test>",
      WORKER_SECRET: "the workers share this secret",
    };
    const { workersKilled, seconds } = await killWorkersUntilDone(at, sql, random, env);

    const deliveries = await sql<(Delivery & { email: string })[]>`
    select d.id, d.status, u.email, s.provider_message_id as "messageId", s.last_error as error
    from public.notification_deliveries d join private.delivery_sends s on s.delivery_id = d.id
    join auth.users u on u.id = d.user_id`;
    assert.equal(deliveries.length, users.length);
    const arrived = Object.groupBy(peer.received, ({ to }) => to);
    for (const { id, status, email, messageId, error } of deliveries) {
      const copies = arrived[email] ?? [];
      assert.ok(new Set(copies.map(({ messageId }) => messageId)).size <= 1, `${id} has one Message-ID`);
      assert.ok(new Set(copies.map(({ html, text }) => html + text)).size <= 1, `${id} has one content`);
      if (status === "sent") assert.ok(copies.some((copy) => copy.isAccepted && copy.messageId === messageId), id);
      else assert.ok(status === "failed" && error, `${id}: ${status} ${error}`);
    }
    const accepted = peer.received.filter(({ isAccepted }) => isAccepted);
    console.log({
      seed,
      seconds,
      workersKilled,
      sent: deliveries.filter(({ status }) => status === "sent").length,
      failed: deliveries.filter(({ status }) => status === "failed").length,
      emailsAccepted: accepted.length,
      emailsAcceptedTwice: accepted.length - new Set(accepted.map(({ to }) => to)).size,
    });
  },
);

interface Delivery {
  id: string;
  channel: string;
  type: string;
  status: string;
  userId: string;
  messageId: string | null;
  error: string | null;
  begunAt: Date | null;
}

function drawSeed() {
  const seed = Number(Deno.env.get("CASTBASE_TEST_SEED") ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}`);
  return { seed, random: seededRandom(seed) };
}

/** Only the workers of the test run, and they retry soon. */
async function prepare(sql: Sql) {
  await sql`select private.set_setting('worker_url', 'http://127.0.0.1:1')`;
  await sql`update private.queues set max_attempts = ${MAX_ATTEMPTS}, backoff_base = '1 second',
    backoff_max = '3 seconds' where name = any (${QUEUES})`;
}

/** Calls `act` while the workers run. */
async function killWorkersUntilDone(
  at: TestStack,
  sql: Sql,
  random: SeededRandom,
  env: Record<string, string>,
  act = () => Promise.resolve(),
) {
  const began = performance.now();
  let workersKilled = 0;
  const isDone = async () => {
    const [{ left }] = await sql<{ left: number }[]>`
      select (select count(*) from public.notification_deliveries where status in ('pending', 'queued'))
        + (select sum(depth) from private.queue_health where queue = any (${QUEUES})) as left`;
    return Number(left) === 0;
  };
  while (!await isDone()) {
    await using worker = await startWorker(at, QUEUES, env);
    await using other = await startWorker(at, QUEUES, env);
    const until = Date.now() + 1500 + random.below(4000);
    await waitFor("the workers die", async () => {
      await sql`select private.enqueue_due_deliveries()`;
      await act();
      return Date.now() > until || await isDone();
    }, 60);
    await Promise.all([worker.kill(), other.kill()]);
    workersKilled += 2;
    // what they had claimed is visible at once, not after the visibility timeout
    for (const queue of QUEUES) {
      await sql`update ${sql(`pgmq.q_${queue}`)} set vt = now() where vt > now() + interval '30 seconds'`;
    }
  }
  return { workersKilled, seconds: Math.round((performance.now() - began) / 1000) };
}

/** The token of each emailed invitation is valid, and each guest shows what became of it. Returns how many are sent. */
async function assertInvitations(sql: Sql, emails: { key: string; text: string }[]): Promise<number> {
  const invitations = await sql<{ delivery: string; status: string; shown: string; hashes: string[] }[]>`
    select a.delivery_id as delivery, d.status, g.email_status as shown,
      array(select encode(t.digest, 'hex') from private.access_tokens t where t.subject_id = g.id) as hashes
    from public.episode_guests g
    join private.delivery_addresses a on a.subject ->> 'id' = g.id::text
    join public.notification_deliveries d on d.id = a.delivery_id`;
  const tokens = new Map(
    emails.filter(({ text }) => text.includes("#token=")).map(({ key, text }) => [key, /#token=(\S+)/.exec(text)![1]]),
  );
  for (const { delivery, status, shown, hashes } of invitations) {
    assert.equal(shown, status === "pending" ? "queued" : status, `${delivery} is ${status}`);
    if (status === "sent") assert.ok(tokens.has(delivery), `${delivery} is sent, and Resend has the email`);
    if (tokens.has(delivery)) assert.ok(hashes.includes(await sha256(tokens.get(delivery)!)), "the token is valid");
  }
  return invitations.filter(({ status }) => status === "sent").length;
}

async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
