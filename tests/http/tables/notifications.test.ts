// The inbox by supabase-js: the table under row level security, and realtime.
import assert from "node:assert/strict";
import { client, leave, listen, test } from "../../parity/realtime/subscribers.ts";
import { callRpc, sql, stackInfo, waitFor } from "../harness.ts";
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

test("Realtime sends new, read and newly due notifications to their user only", async () => {
  const { user } = await newInbox("live"), { user: other } = await newInbox("live-other");
  const [{ events: mine }, { events: spied }] = await Promise.all(
    [user, other].map(({ client }) => listen(client, { table: "notifications", filter: `user_id=eq.${user.id}` })),
  );
  const id = await notify(user, "hello");
  const due = await notify(user, "reminder", notDue());
  await callRpc(user, "mark_notification_read", { notification_id: id });
  await sql`update public.notifications set released_for = scheduled_for where id = ${due}`; // as the job does
  await waitFor("four events", () => mine.length >= 4);
  assert.deepEqual(mine.map(({ eventType, new: row }) => [eventType, row.id, row.read_at !== null]), [
    ["INSERT", id, false],
    ["INSERT", due, false],
    ["UPDATE", id, true],
    ["UPDATE", due, false],
  ]);
  assert.ok(mine[3].new.released_for);
  assert.deepEqual(spied, []);
  await leave(user.client, other.client);
});
