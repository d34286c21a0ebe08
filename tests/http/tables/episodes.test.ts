// Episodes through supabase-js: publishing, scheduling and the audio columns.
import assert from "node:assert/strict";
import { episode, person, podcast, sql, waitFor } from "../harness.ts";
import { put } from "../api/audio.ts";

const [owner, admin, member] = await Promise.all(["owner", "admin", "member"].map(person));

Deno.test("publishing or scheduling without audio returns 428, by function and by update", async () => {
  const show = await podcast("Preconditions"), made = await episode(show);
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  for (
    const { status, error } of [
      await owner.client.rpc("publish_episode", { episode_id: made.id }),
      await owner.client.rpc("schedule_episode", { episode_id: made.id, scheduled_at: soon }),
      await owner.client.from("episodes").update({ status: "published" }).eq("id", made.id),
      await owner.client.from("episodes").update({ status: "scheduled", scheduled_at: soon }).eq("id", made.id),
      await owner.client.from("episodes").insert({ podcast_id: show.id, title: "Hasty", status: "published" }),
    ]
  ) {
    assert.deepEqual([status, error?.code, error?.hint], [428, "PT428", "AUDIO_REQUIRED"]);
  }
});

Deno.test("admins write the feed values of an episode; extra_tags is 42501", async () => {
  const show = await podcast("Values"), { id } = await episode(show);
  const values = {
    season_name: "Egyptology",
    episode_display: "Ch. 3",
    license: "cc-by-4.0",
    funding: [{ url: "https://example.com/give", text: "Support the show!" }],
    texts: [{ text: "true", purpose: "ai-content" }],
    locations: [{ name: "Marlow" }],
    soundbites: [{ start_seconds: 1234.5, duration_seconds: 42.25, title: "Why it matters" }],
    content_links: [{ href: "https://www.youtube.com/watch?v=example", text: "Watch this episode" }],
    alternate_enclosures: [{ type: "audio/opus", length: 1, sources: [{ uri: "ipfs://QmX33" }], default: false }],
  };
  const write = (by: typeof owner, changes: Record<string, unknown>) =>
    by.client.from("episodes").update(changes).eq("id", id).select(Object.keys(values).join()).maybeSingle();
  assert.deepEqual((await write(member, values)).data, null);
  assert.deepEqual((await write(admin, values)).data as unknown, values);
  const wrong = await write(admin, { soundbites: [{ start_seconds: 1 }] });
  assert.deepEqual([wrong.status, wrong.error?.message], [400, "soundbites[0].duration_seconds is required"]);
  const extra = await owner.client.from("episodes").update({ extra_tags: [] }).eq("id", id);
  assert.deepEqual([extra.status, extra.error?.code], [403, "42501"]);
  const inserted = await admin.client.from("episodes").insert({ podcast_id: show.id, title: "New", ...values });
  assert.equal(inserted.status, 201);
});

Deno.test("cron publishes a scheduled episode within a minute", async () => {
  const show = await podcast("On time"), made = await episode(show, "Later");
  await put(show, made);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const { error } = await owner.client.rpc("schedule_episode", { episode_id: made.id, scheduled_at: later });
  assert.equal(error, null);
  const read = async () =>
    (await owner.client.from("episodes").select("status, published_at").eq("id", made.id).single()).data!;
  assert.equal((await read()).status, "scheduled");
  // In the future only within this transaction
  const [{ at }] = await sql`
    update public.episodes set scheduled_at = date_trunc('second', now() + interval '1 second') where id = ${made.id}
    returning scheduled_at as at`;
  await waitFor("cron publishes the episode", async () => (await read()).status === "published", 60);
  assert.equal(Date.parse((await read()).published_at), at.getTime());
});
