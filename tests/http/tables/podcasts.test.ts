// Podcasts and their teams through supabase-js: policies, constraints and server columns.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { person, podcast, stackInfo } from "../harness.ts";

const [owner, admin, member, stranger] = await Promise.all(["owner", "admin", "member", "stranger"].map(person));
const anon = createClient(stackInfo.url, stackInfo.publishableKey, {
  auth: { persistSession: false, autoRefreshToken: false },
});

Deno.test("an insert creates a podcast with slug, GUID and owner", async () => {
  const { data, error, status } = await stranger.client.from("podcasts").insert({ title: "Straight in" }).select()
    .single();
  assert.equal(error, null);
  assert.equal(status, 201);
  assert.match(data.slug, /^straight-in(-\d+)?$/);
  assert.match(data.podcast_guid, /^[0-9a-f-]{36}$/);
  assert.equal(data.owner_id, stranger.id);
  const team = await stranger.client.from("podcast_members").select("role, profiles(display_name)").eq(
    "podcast_id",
    data.id,
  );
  assert.deepEqual(team.data?.map(({ role }) => role), ["owner"]);
});

Deno.test("podcasts rejects server columns with 42501 and invalid values with a reason", async () => {
  const { id } = await podcast("Guarded");
  const change = (values: Record<string, unknown>) => owner.client.from("podcasts").update(values).eq("id", id);
  for (
    const values of [{ slug: "mine" }, { owner_id: member.id }, { status: "paused" }, {
      podcast_guid: crypto.randomUUID(),
    }]
  ) {
    const { status, error } = await change(values);
    assert.deepEqual([status, error?.code], [403, "42501"], JSON.stringify(values));
  }
  const category = await change({ categories: [{ category: "Nonsense" }] });
  assert.deepEqual([category.status, category.error?.code], [400, "PT400"]);
  assert.match(category.error!.message, /Unknown category/);
  const link = await change({ link: "javascript:alert(1)" });
  assert.deepEqual([link.status, link.error?.code], [400, "23514"]);
  assert.match(link.error!.message, /link_is_http_url/);
});

Deno.test("admins write feed values and receive a message that names a wrong member; extra_tags is 42501", async () => {
  const { id } = await podcast("Namespace");
  const values = {
    license: "cc-by-4.0",
    license_url: "https://creativecommons.org/licenses/by/4.0/",
    locations: [{ name: "Austin", rel: "creator", geo: "geo:30.27,-97.74", osm: "R113314", country: "US" }],
    update_frequency: { text: "Weekly", rrule: "FREQ=WEEKLY" },
    podroll: [{ feed_guid: "29cdca4a-32d8-56ba-b48b-09a011c5daa9", title: "Buzzcast" }],
    remote_items: [{ feed_guid: "917393e3-1b1e-5cef-ace4-edaa54e1f810", item_guid: "x", medium: "music" }],
    publisher: { feed_guid: "003af0a0-6a45-55cf-b765-68e3d349551a" },
    directory_blocks: [{ id: "google", is_blocked: true }],
    images: [{ href: "https://example.com/a.jpg", aspect_ratio: "16/9", width: 1200 }],
    social_interactions: [{ protocol: "disabled" }],
    value_blocks: [{
      type: "lightning",
      method: "keysend",
      suggested: "0.00000005000",
      recipients: [{ type: "node", address: "02d5", split: 100 }],
    }],
    keywords: ["trains"],
    tags: [{ text: "Railways" }],
  };
  const write = (by: typeof owner, changes: Record<string, unknown>) =>
    by.client.from("podcasts").update(changes).eq("id", id).select(Object.keys(values).join()).maybeSingle();
  assert.deepEqual((await write(member, values)).data, null);
  assert.deepEqual((await write(admin, values)).data as unknown, values);
  const cleared = await write(admin, { publisher: null, locations: [] });
  assert.deepEqual(cleared.data as unknown, { ...values, publisher: null, locations: [] });
  const wrong = await write(owner, { locations: [{ name: "Austin", country: "Texas" }] });
  assert.deepEqual([wrong.status, wrong.error?.code, wrong.error?.message], [
    400,
    "PT400",
    "locations[0].country must be a country code of two letters, for example AT, 1 to 2 characters",
  ]);
  const extra = await owner.client.from("podcasts").update({ extra_tags: ["<a/>"] }).eq("id", id);
  assert.deepEqual([extra.status, extra.error?.code], [403, "42501"]);
});

Deno.test("an unconfirmed user owns nothing and cannot sign in", async () => {
  const email = `early-${crypto.randomUUID()}@people.test`, password = "correct horse";
  const { data } = await anon.auth.signUp({ email, password });
  assert.ok(data.user);
  assert.equal(data.session, null);
  assert.equal((await anon.auth.signInWithPassword({ email, password })).error?.code, "email_not_confirmed");
  const service = createClient(stackInfo.url, stackInfo.secretKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const owned = async () => [
    (await service.from("profiles").select("id").eq("id", data.user!.id)).data!.length,
    (await service.from("billing_accounts").select("user_id").eq("user_id", data.user!.id)).data!.length,
  ];
  assert.deepEqual(await owned(), [0, 0]);
  await service.auth.admin.updateUserById(data.user.id, { email_confirm: true, password });
  assert.deepEqual(await owned(), [1, 1]);
});
