// Rosters and credits through supabase-js: the tables under their policies, and the RPC functions.
import assert from "node:assert/strict";
import { episode, person, podcast } from "../harness.ts";

const roles = ["owner", "admin", "member", "stranger"] as const;
const [owner, admin, member, stranger] = await Promise.all(roles.map(person));
type Added = { data: { id: string; creditId: string | null; roleLabel: string }; alreadyExisted?: true };

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
    ["update_episode_person", { ...who, changes: { name: "M" } }, 200],
    ["set_episode_person_credit", { ...who, changes: { roleLabel: "Unknown" } }, 400, "INVALID_ROLE_LABEL"],
    ["reorder_episode_credits", { episode_id: pilot.id, credit_ids: null }, 400, "EMPTY_CREDIT_LIST"],
    ["remove_episode_person_credit", who, 200],
    ["set_episode_person_credit", who, 201],
    ["remove_episode_person", who, 200],
  ];
  for (const [name, args, status, hint] of steps) {
    const response = await owner.client.rpc(name, args);
    assert.deepEqual([response.status, response.error?.hint], [status, hint], name);
  }
  for (const [{ client }, seen] of [[owner, 1], [member, 1], [stranger, 0]] as const) {
    const { data } = await client.from("episode_credits").select("name").eq("episode_id", pilot.id);
    assert.equal(data!.length, seen);
  }
  const rows = await owner.client.from("episode_people").select("name").eq("episode_id", pilot.id);
  assert.equal(rows.data!.length, 1);
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
