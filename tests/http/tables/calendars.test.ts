// Connected calendars with supabase-js, as a front end's settings page reads them.
import assert from "node:assert/strict";
import { newPerson, type Person, sql } from "../harness.ts";

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

Deno.test("users read their own calendars only, with supabase-js", async () => {
  const ana = await newPerson("ana");
  const { connectionId, calendarIds } = await connectAccount(ana);
  await connectAccount(await newPerson("other"));
  const { data, error } = await ana.client.from("calendar_connections").select("id, status, connected_calendars(id)");
  assert.deepEqual([error, data?.map(({ id, status }) => [id, status])], [null, [[connectionId, "pending"]]]);
  assert.deepEqual(data![0].connected_calendars.map(({ id }) => id).sort(), calendarIds);
  const own = await ana.client.from("connected_calendars").select("id").order("id");
  assert.deepEqual(own.data!.map(({ id }) => id), calendarIds);
});
