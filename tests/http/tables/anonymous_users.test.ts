// Users of an anonymous sign-in, with supabase-js: they read nothing and write nothing.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { episode, person, podcast, stackInfo } from "../harness.ts";

const { id: userId, token } = await person("anonymous");
const show = await podcast("Anonymous users");
await episode(show);
const client = createClient(stackInfo.url, stackInfo.publishableKey, {
  auth: { persistSession: false, autoRefreshToken: false },
  accessToken: () => Promise.resolve(token),
});

Deno.test("anonymous users read no profile, preferences, notifications, podcasts and episodes", async () => {
  for (const table of ["profiles", "notification_preferences", "notifications", "podcasts", "episodes"]) {
    const { data, error } = await client.from(table).select();
    assert.deepEqual([error, data], [null, []], table);
  }
});

Deno.test("anonymous users get 403 ANONYMOUS_USER from functions, inserts, updates and deletes", async () => {
  const results = {
    "a function": await client.rpc("create_podcast", { title: "Mine" }),
    "a function that reads": await client.rpc("list_notifications"),
    "an insert": await client.from("podcasts").insert({ title: "Mine" }),
    "an update of a podcast": await client.from("podcasts").update({ title: "Mine" }).eq("id", show.id),
    "an update of the profile": await client.from("profiles").update({ display_name: "Me" }).eq("id", userId),
    "a delete": await client.from("episodes").delete().eq("podcast_id", show.id),
  };
  for (const [what, { status, error }] of Object.entries(results)) {
    assert.deepEqual([status, error?.code, error?.hint], [403, "PT403", "ANONYMOUS_USER"], what);
  }
});

Deno.test("anonymous users upload to no bucket", async () => {
  for (const bucket of ["media", "staging"]) {
    const { error } = await client.storage.from(bucket).upload("mine.mp3", new Blob(["x"], { type: "audio/mpeg" }));
    assert.match(error?.message ?? "", /row-level security/, bucket);
    const signed = await client.storage.from(bucket).createSignedUploadUrl("mine.mp3");
    assert.match(signed.error?.message ?? "", /row-level security/, bucket);
  }
});
