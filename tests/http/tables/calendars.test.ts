// Connected calendars with supabase-js, as a front end's settings page uses them.
import assert from "node:assert/strict";
import { callRpc, newPerson, type Person, sql } from "../harness.ts";

/** Connects an account with two calendars; returns the id of the connection and those of its calendars. */
async function connectAccount({ id }: Person) {
  const [connection] = await sql`
    insert into public.calendar_connections (user_id, provider, account_name)
    values (${id}, 'google', 'ana@mail.example') returning id`;
  const calendars = await sql`
    insert into public.connected_calendars (connection_id, user_id, external_id, name, is_writable, is_selected)
    select ${connection.id}, ${id}, name, name, true, true from unnest('{Mine,Team}'::text[]) name returning id`;
  return { connectionId: connection.id, calendarIds: calendars.map(({ id }) => id).sort() };
}

Deno.test("users list, select and remove their own calendars only, with supabase-js", async () => {
  const ana = await newPerson("ana"), other = await newPerson("other");
  const { connectionId, calendarIds: [first, second] } = await connectAccount(ana);
  await connectAccount(other);

  const rows = await ana.client.from("calendar_connections")
    .select("id, provider, account_name, status, last_error, connected_calendars(id)");
  assert.deepEqual([rows.error, rows.data?.length], [null, 1]);
  const { connected_calendars: calendars, ...connection } = rows.data![0];
  assert.deepEqual(connection, {
    id: connectionId,
    provider: "google",
    account_name: "ana@mail.example",
    status: "active",
    last_error: null,
  });
  assert.deepEqual(calendars.map(({ id }) => id).sort(), [first, second]);

  const choice = { selected_ids: [second], receiving_id: first };
  const { connections } = await callRpc<{ connections: unknown[] }>(ana, "select_calendars", choice);
  assert.deepEqual((await callRpc(ana, "list_calendars", {})).connections, connections);
  const { data: chosen } = await ana.client.from("connected_calendars").select("id, is_selected, receives_events")
    .order("id");
  assert.deepEqual(chosen, [
    { id: first, is_selected: false, receives_events: true },
    { id: second, is_selected: true, receives_events: false },
  ]);

  const foreign = await other.client.rpc("select_calendars", choice);
  assert.deepEqual([foreign.status, foreign.error?.code], [404, "PT404"]);
  const kept = await other.client.rpc("remove_calendar_connection", { connection_id: connectionId });
  assert.deepEqual([kept.status, kept.error?.code], [404, "PT404"]);
  assert.deepEqual(await callRpc(ana, "remove_calendar_connection", { connection_id: connectionId }), {
    id: connectionId,
  });
  assert.deepEqual((await ana.client.from("connected_calendars").select()).data, []);
});
