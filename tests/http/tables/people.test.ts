// Rosters and credits through supabase-js: the tables under their policies, and the RPC functions.
import assert from "node:assert/strict";
import { callRpc, episode, person, podcast, stackInfo } from "../harness.ts";

const roles = ["owner", "admin", "member", "stranger"] as const;
const [owner, admin, member, stranger] = await Promise.all(roles.map(person));
type Added = { data: { id: string; creditId: string | null; roleLabel: string }; alreadyExisted?: true };

Deno.test("admins and active people read an episode's roster, members its credits, non-members neither", async () => {
  const pilot = await episode(await podcast("Rows"));
  const args = { episode_id: pilot.id, source_type: "team", name: "Member", user_id: member.id };
  const seen = async (table: string) =>
    await Promise.all([owner, admin, member, stranger].map(async ({ client }) => {
      const { data, error } = await client.from(table).select("name").eq("episode_id", pilot.id);
      assert.equal(error, null);
      return data!.length;
    }));
  assert.deepEqual(await seen("episode_people"), [1, 1, 0, 0]);
  assert.deepEqual(await seen("episode_credits"), [1, 1, 1, 0]);
  const { data: { id } } = await callRpc<Added>(admin, "add_episode_person", args);
  assert.deepEqual(await seen("episode_people"), [2, 2, 2, 0]);
  await callRpc(admin, "update_episode_person", { episode_id: pilot.id, person_id: id, changes: { isActive: false } });
  assert.deepEqual(await seen("episode_people"), [2, 2, 0, 0]);
});

Deno.test("anonymous clients may not read rosters and credits or call their functions", async () => {
  const pilot = await episode(await podcast("Keyless"));
  const headers = { apikey: stackInfo.publishableKey, "content-type": "application/json" };
  for (const table of ["episode_people", "episode_credits"]) {
    const response = await fetch(`${stackInfo.url}/rest/v1/${table}?select=*`, { headers });
    assert.deepEqual([response.status, (await response.json()).code], [401, "42501"]);
  }
  const body = JSON.stringify({ episode_id: pilot.id });
  const response = await fetch(`${stackInfo.url}/rest/v1/rpc/list_episode_people`, { method: "POST", headers, body });
  assert.deepEqual([response.status, (await response.json()).code], [401, "42501"]);
});

Deno.test("clients may not write rosters and credits directly", async () => {
  const pilot = await episode(await podcast("Direct writes"));
  for (const { client } of [owner, admin, member, stranger]) {
    const person = { episode_id: pilot.id, source_type: "external", name: "X" };
    const credit = { episode_id: pilot.id, name: "X", role_label: "Host", display_order: 9 };
    for (
      const { status, error } of [
        await client.from("episode_people").insert(person),
        await client.from("episode_credits").insert(credit),
        await client.from("episode_people").update({ is_active: false }).eq("episode_id", pilot.id),
        await client.from("episode_credits").update({ display_order: 9 }).eq("episode_id", pilot.id),
        await client.from("episode_people").delete().eq("episode_id", pilot.id),
        await client.from("episode_credits").delete().eq("episode_id", pilot.id),
      ]
    ) {
      assert.deepEqual([status, error?.code], [403, "42501"]);
    }
  }
});

Deno.test("RPC functions return supabase-js the same statuses as the routes", async () => {
  const pilot = await episode(await podcast("RPC functions"));
  const args = { episode_id: pilot.id, source_type: "team", name: "Member", user_id: member.id };
  const first = await owner.client.rpc("add_episode_person", args);
  assert.deepEqual([first.status, first.data.data.roleLabel, Object.keys(first.data)], [201, "Co-host", ["data"]]);
  const again = await owner.client.rpc("add_episode_person", args);
  assert.deepEqual([again.status, again.data.alreadyExisted, again.data.data], [200, true, first.data.data]);
  const who = { episode_id: pilot.id, person_id: first.data.data.id };
  const steps: [string, object, number, string?][] = [
    ["list_episode_people", { episode_id: pilot.id }, 200],
    ["update_episode_person", { ...who, changes: {} }, 400],
    ["update_episode_person", { ...who, changes: { name: "M" } }, 200],
    ["set_episode_person_credit", who, 200],
    ["set_episode_person_credit", { ...who, changes: { roleLabel: "Unknown" } }, 400, "INVALID_ROLE_LABEL"],
    ["reorder_episode_credits", { episode_id: pilot.id, credit_ids: [] }, 400, "EMPTY_CREDIT_LIST"],
    ["reorder_episode_credits", { episode_id: pilot.id, credit_ids: null }, 400, "EMPTY_CREDIT_LIST"],
    ["remove_episode_person_credit", who, 200],
    ["remove_episode_person_credit", who, 422, "NOT_CREDITED"],
    ["set_episode_person_credit", who, 201],
    ["remove_episode_person", who, 200],
    ["remove_episode_person", who, 404],
  ];
  for (const [name, args, status, hint = null] of steps) {
    const response = await owner.client.rpc(name, args);
    assert.equal(response.status, status, `${name}: ${response.error?.message}`);
    if (status >= 400) assert.equal(response.error?.hint, hint);
    if (status >= 400) continue;
    for (const { client } of name.startsWith("list") ? [stranger] : [member, stranger]) { // the member is on the roster
      const { status } = await client.rpc(name, args);
      assert.equal(status, 403, name);
    }
  }
});

Deno.test("set_podcast_credits replaces a podcast's credits for admins; members read them", async () => {
  const { id: podcast_id } = await podcast("Regulars");
  const credits = [{ name: "Ana", roleLabel: "Host", externalUrl: "https://ana.example" }, {
    name: "Bo",
    roleLabel: "Editor",
  }];
  const call = ({ client }: typeof owner, list: unknown = credits) =>
    client.rpc("set_podcast_credits", { podcast_id, credits: list });
  const { data, error } = await call(admin);
  assert.equal(error, null);
  assert.equal(data.podcastId, podcast_id);
  assert.deepEqual(data.credits.map(({ id, ...credit }: { id: string }) => [typeof id, credit]), [
    ["string", {
      name: "Ana",
      roleLabel: "Host",
      avatarUrl: null,
      externalUrl: "https://ana.example",
      displayOrder: 0,
    }],
    ["string", { name: "Bo", roleLabel: "Editor", avatarUrl: null, externalUrl: null, displayOrder: 1 }],
  ]);
  for (const who of [member, stranger]) assert.deepEqual((await call(who)).error?.code, "PT403");
  const { error: wrong } = await call(owner, [{ name: "Ana", roleLabel: "Boss" }]);
  assert.deepEqual([wrong?.code, wrong?.hint], ["PT400", "INVALID_ROLE_LABEL"]);
  const names = async ({ client }: typeof owner) =>
    (await client.from("podcasts").select("podcast_credits(name)").eq("id", podcast_id)).data!
      .flatMap(({ podcast_credits }) => podcast_credits.map(({ name }) => name));
  assert.deepEqual(await names(member), ["Ana", "Bo"]);
  assert.deepEqual(await names(stranger), []);
  const insert = await owner.client.from("podcast_credits").insert({
    podcast_id,
    name: "X",
    role_label: "Host",
    display_order: 2,
  });
  assert.deepEqual([insert.status, insert.error?.code], [403, "42501"]);
});
