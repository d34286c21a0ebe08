// The inbox by supabase-js: the table under row level security, the RPC verbs, and realtime.
import assert from "node:assert/strict";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { callRpc, newPerson, sql, stackInfo, waitFor } from "../harness.ts";
import { within } from "../../wait_for.ts";
import { archived, minutesAgo, newInbox, notDue, notify, read } from "../api/notifications.ts";

interface Row {
  id: string;
  title: string;
  read_at: string | null;
  archived_at: string | null;
}

const newClient = () =>
  createClient(stackInfo.url, stackInfo.publishableKey, { auth: { persistSession: false, autoRefreshToken: false } });

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
  assert.equal((await newClient().from("notifications").select()).error?.code, "42501");
});

Deno.test("the verbs of the inbox by rpc return rows and counts", async () => {
  const { user, state } = await newInbox("rpc"), stranger = await newPerson("rpc-stranger");
  const id = await notify(user, "one", { category: "team", group_key: "g", link: "/a" });
  await notify(user, "two", { category: "team", group_key: "g" });
  const page = await callRpc<{ notifications: Row[]; cursor: string; hasMore: boolean }>(user, "list_notifications", {
    limit: 1,
    unread_only: true,
    category: "team",
    priority: "normal",
  });
  assert.deepEqual([page.notifications[0].title, page.hasMore], ["two", true]);
  const next = await callRpc<typeof page>(user, "list_notifications", { limit: 1, cursor: page.cursor });
  assert.deepEqual([next.notifications[0].title, next.cursor, next.hasMore], ["one", null, false]);
  assert.deepEqual(await callRpc(user, "get_unread_count", {}), { unreadCount: 2 });
  assert.equal((await callRpc(user, "get_notification_counts", {})).inbox, 2);

  for (const verb of ["mark_notification_read", "mark_notification_unread", "archive_notification"]) {
    const row = await callRpc<Row>(user, verb, { notification_id: id });
    assert.equal(row.id, id);
    assert.equal(row.read_at !== null, verb !== "mark_notification_unread");
  }
  assert.equal((await callRpc<Row>(user, "unarchive_notification", { notification_id: id })).archived_at, null);
  assert.ok((await callRpc<Row>(user, "delete_notification", { notification_id: id })).archived_at);
  assert.deepEqual(await callRpc(user, "unarchive_all_notifications", {}), { restoredCount: 1 });
  assert.deepEqual(await callRpc(user, "mark_notification_group_read", { group_key: "g", link: null }), {
    markedCount: 1,
  });
  assert.deepEqual(await callRpc(user, "archive_notification_group", { group_key: "g", link: "/a" }), {
    archivedCount: 0,
  });
  await callRpc(user, "mark_notification_unread", { notification_id: id });
  assert.deepEqual(await callRpc(user, "mark_all_notifications_read", { category: "team" }), { markedCount: 1 });

  const unknown = await stranger.client.rpc("mark_notification_read", { notification_id: id });
  assert.deepEqual([unknown.status, unknown.error?.message], [404, "Notification not found"]);
  for (const verb of ["mark_notification_group_read", "archive_notification_group"]) {
    const { status, error } = await user.client.rpc(verb, { group_key: "g" });
    assert.deepEqual([status, error?.code], [404, "PGRST202"], `${verb} requires a link`);
  }
  assert.equal((await user.client.rpc("list_notifications", { category: "news" })).status, 400);
  assert.equal((await user.client.rpc("mark_all_notifications_read", { category: "system" })).status, 400);
  assert.equal(await state(id), "read");
});

/** Subscribes to the user's notifications and collects the events. */
async function listening(client: SupabaseClient, token: string, userId: string) {
  await client.realtime.setAuth(token);
  const events: { eventType: string; new: Partial<Row & { released_for: string }> }[] = [];
  const ready = Promise.withResolvers<void>();
  client.channel(`inbox-${crypto.randomUUID()}`)
    .on("system", {}, () => ready.resolve())
    .on(
      "postgres_changes",
      { event: "*", schema: "public", table: "notifications", filter: `user_id=eq.${userId}` } as never,
      (event: (typeof events)[number]) => events.push(event),
    )
    .subscribe((status, error) => {
      if (status === "CHANNEL_ERROR") ready.reject(error);
    });
  await within("the subscription", ready.promise);
  return events;
}

Deno.test({
  name: "Realtime sends new, read and newly due notifications to their user only",
  sanitizeOps: false, // supabase-js leaves a timer behind when it disconnects
  sanitizeResources: false,
  async fn() {
    const { user } = await newInbox("live"), other = await newInbox("live-other");
    const clients = [newClient(), newClient()];
    try {
      const mine = await listening(clients[0], user.token, user.id);
      const spied = await listening(clients[1], other.user.token, user.id);
      const id = await notify(user, "hello");
      const due = await notify(user, "reminder", notDue());
      await callRpc(user, "mark_notification_read", { notification_id: id });
      await sql`update public.notifications set released_for = scheduled_for where id = ${due}`; // as the job does
      await waitFor("four events", () => Promise.resolve(mine.length >= 4 || undefined));
      assert.deepEqual(mine.map(({ eventType, new: row }) => [eventType, row.id, row.read_at !== null]), [
        ["INSERT", id, false],
        ["INSERT", due, false],
        ["UPDATE", id, true],
        ["UPDATE", due, false],
      ]);
      assert.ok(mine[3].new.released_for);
      assert.deepEqual(spied, []);
    } finally {
      await Promise.all(clients.map((client) => client.realtime.disconnect()));
    }
  },
});
