// Preferences with supabase-js, as a front end's settings page uses them.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { newPerson, person, stackInfo } from "../harness.ts";

const anon = createClient(stackInfo.url, stackInfo.publishableKey, {
  auth: { persistSession: false, autoRefreshToken: false },
});

Deno.test("users read and change their own preferences only, with supabase-js", async () => {
  const reader = await newPerson("reader"), other = await newPerson("other");
  const all = await reader.client.from("notification_preferences").select();
  assert.equal(all.error, null);
  assert.deepEqual(all.data!.map(({ user_id }) => user_id), [reader.id]);
  assert.deepEqual([all.data![0].email_new_booking, all.data![0].email_episode_published], [true, false]);

  const change = { email_new_booking: false, quiet_hours_start: "22:00", quiet_hours_end: "07:00" };
  const changed = await reader.client.from("notification_preferences").update(change).eq("user_id", reader.id)
    .select("email_new_booking, quiet_hours_start, quiet_hours_end").single();
  assert.deepEqual(changed.data, {
    email_new_booking: false,
    quiet_hours_start: "22:00:00",
    quiet_hours_end: "07:00:00",
  });
  const foreign = await reader.client.from("notification_preferences").update(change).eq("user_id", other.id).select();
  assert.deepEqual([foreign.error, foreign.data], [null, []]);
  const untouched = await other.client.from("notification_preferences").select("email_new_booking").single();
  assert.equal(untouched.data!.email_new_booking, true);
});

Deno.test("anonymous clients read neither preferences nor the catalogue of notifications, and users read the catalogue", async () => {
  const { client } = await person("member");
  for (const table of ["notification_preferences", "notification_types"]) {
    assert.equal((await anon.from(table).select()).error?.code, "42501");
  }
  const { data } = await client.from("notification_types").select(
    "type, category, preference, channels, default_channels",
  )
    .eq("type", "booking.requested").single();
  assert.deepEqual(data, {
    type: "booking.requested",
    category: "booking",
    preference: "new_booking",
    channels: ["in_app", "email", "push"],
    default_channels: ["in_app", "email", "push"],
  });
});
