// The inbox by supabase-js: the table under row level security, and realtime.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { RealtimeChannelOptions } from "@supabase/supabase-js";
import { repository } from "../../../local/host/project.ts";
import { client, type Event, leave, listen, refusal, subscribed, test } from "../../parity/realtime/subscribers.ts";
import { callRpc, type Person, sql, stackInfo, waitFor } from "../harness.ts";
import { archived, minutesAgo, newInbox, notDue, notify, read } from "../api/notifications.ts";

Deno.test("supabase-js pages through the caller's inbox of due notifications", async () => {
  const { user } = await newInbox("table"), other = await newInbox("table-other");
  await notify(user, "new", { created_at: minutesAgo(1), group_key: "g" });
  await notify(user, "read", { ...read(), created_at: minutesAgo(2) });
  await notify(user, "archived", archived());
  await notify(user, "later", notDue());
  await notify(other.user, "foreign");
  const { data, count, error } = await user.client.from("notifications")
    .select("title, read_at", { count: "exact" })
    .is("archived_at", null).or(`scheduled_for.is.null,scheduled_for.lte.${new Date().toISOString()}`)
    .order("created_at", { ascending: false }).order("id", { ascending: false }).range(0, 24);
  assert.equal(error, null);
  assert.deepEqual([data!.map(({ title }) => title), count], [["new", "read"], 2]);
  const all = await user.client.from("notifications").select("title");
  assert.deepEqual(all.data!.map(({ title }) => title).sort(), ["archived", "later", "new", "read"]);
  assert.equal((await client(stackInfo.publishableKey).from("notifications").select()).error?.code, "42501");
});

Deno.test("mark_notification_group_read and archive_notification_group require a link, which may be null", async () => {
  const { user } = await newInbox("group");
  for (const verb of ["mark_notification_group_read", "archive_notification_group"]) {
    const { status, error } = await user.client.rpc(verb, { group_key: "g" });
    assert.deepEqual([status, error?.code], [404, "PGRST202"], verb);
    assert.equal((await user.client.rpc(verb, { group_key: "g", link: null })).status, 200, verb);
  }
});

const AsyncFunction = (async () => {}).constructor as new (
  ...code: string[]
) => (...values: unknown[]) => Promise<void>;
const privately = { config: { private: true, broadcast: { replication_ready: true } } };

/** The messages about the inbox of a user, for a client that may join its channel. */
async function joinInbox(who: Person, { id }: Person = who, config: RealtimeChannelOptions = privately) {
  const messages: Event[] = [], systems: Event[] = [];
  const channel = who.client.channel(`inbox:${id}`, config)
    .on("broadcast", { event: "*" }, ({ event, payload }) => messages.push({ event, payload }))
    .on("system", {}, (message) => systems.push(message));
  await subscribed(channel);
  if (config === privately) await waitFor("the database's messages", () => systems.length);
  return { channel, messages };
}

test("Realtime tells a user of each statement that changes their inbox, with the counts, and no one else", async () => {
  const { user, post } = await newInbox("live"), { user: other } = await newInbox("live-other");
  const { messages } = await joinInbox(user);
  const spied = [
    (await joinInbox(other)).messages,
    (await joinInbox(other, user, { config: { private: false } })).messages,
    ...await Promise.all(
      [user, other].map(async ({ client }) => (await listen(client, { table: "notifications" })).events),
    ),
  ];
  const id = await notify(user, "hello", { priority: "immediate" });
  await sql`
    insert into public.notifications (user_id, type, category, priority, title)
    select ${user.id}, 'chat.message', 'team', 'low', 'New ' || n from generate_series(1, 2000) n`;
  assert.equal((await post("/read-all")).status, 200);
  const due = await notify(user, "reminder", notDue());
  await sql`update public.notifications set released_for = now(), scheduled_for = now() where id = ${due}`;
  await callRpc(user, "archive_notification", { notification_id: id });
  await waitFor("six messages", () => messages.length >= 6);
  const counts = [[1, 1, 0, 1], [2001, 2001, 0, 1], [2001, 0, 0, 0], [2001, 0, 0, 0], [2002, 1, 0, 0], [2001, 1, 1, 0]];
  assert.deepEqual(
    messages,
    counts.map(([inbox, unread, archived, needsAttention]) => ({
      event: "inbox_changed",
      payload: { inbox, unread, archived, needsAttention },
    })),
  );
  assert.deepEqual(spied, [[], [], [], []]);
  await leave(user.client, other.client);
});

test("the channel of an inbox is denied to other users and anonymous clients, and no client may send to it", async () => {
  const { user } = await newInbox("own"), { user: other } = await newInbox("own-other");
  const anon = client(stackInfo.publishableKey), topic = `inbox:${user.id}`;
  for (const [who, name] of [[other.client, topic], [anon, topic], [anon, "inbox:"]] as const) {
    assert.match(await refusal(who.channel(name, privately)) ?? "", /^Unauthorized: You do not have permissions/);
  }
  const { channel, messages } = await joinInbox(user);
  for (const sender of [channel, other.client.channel(topic, privately), anon.channel(topic, privately)]) {
    await assert.rejects(sender.httpSend("inbox_changed", { unread: 7 }), { message: "Unauthorized" });
  }
  await notify(user, "sent by the database");
  await waitFor("a message", () => messages.length);
  assert.deepEqual(messages.map(({ payload }) => payload.unread), [1]);
  await leave(user.client, other.client, anon);
});

test("docs/front_ends.md shows a subscription that refreshes on joining and on each change of the inbox", async () => {
  const { user } = await newInbox("documented");
  const document = await Deno.readTextFile(join(repository, "docs/front_ends.md"));
  const [example, ...others] = document.matchAll(/^```ts\n((?:(?!```).)*inbox_changed.*?)^```$/gms);
  assert.equal(others.length, 0);
  const counts: Event[] = [];
  let refreshes = 0;
  await new AsyncFunction("supabase", "user", "showCounts", "refreshSoon", example[1])(
    user.client,
    user,
    (payload: unknown) => counts.push(payload),
    () => refreshes++,
  );
  await waitFor("the join", () => refreshes);
  assert.deepEqual([refreshes, counts], [1, []]);
  await notify(user, "hello");
  await waitFor("the change", () => counts.length);
  assert.deepEqual([refreshes, counts], [2, [{ inbox: 1, unread: 1, archived: 0, needsAttention: 0 }]]);
  await leave(user.client);
});
