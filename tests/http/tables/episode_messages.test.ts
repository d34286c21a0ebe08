// Realtime: which subscribers receive chat messages of members and guests.
import assert from "node:assert/strict";
import { client, type Event, leave, listen, test } from "../../parity/realtime/subscribers.ts";
import { episode, person, podcast, stackInfo, waitFor } from "../harness.ts";
import { byToken, invite } from "../api/guest_email.ts";

const table = "episode_messages";
const [owner, member, stranger] = await Promise.all(["owner", "member", "stranger"].map(person));

test("a member receives new chat messages of team and guests, and a non-member receives neither", async () => {
  const anon = client(stackInfo.publishableKey);
  const [show, theirs] = [await podcast("Messages"), await podcast("Elsewhere", "stranger")];
  const [pilot, other] = [await episode(show), await episode(theirs, "Other")];
  const { token } = await invite(pilot);
  const [forMember, forStranger, forAnon] = await Promise.all(
    [member.client, stranger.client, anon].map(async (each) => (await listen(each, { table })).events),
  );
  await owner.client.from(table).insert({ episode_id: pilot.id, body: "By the owner" });
  await byToken("/messages", token, { body: "By the guest" });
  // Inserted last: a subscriber that receives it has received the earlier events
  await stranger.client.from(table).insert({ episode_id: other.id, body: "By the stranger" });

  const of = (events: Event[], { id }: { id: string }) =>
    events.filter((event) => event.new.episode_id === id).map((event) => [event.eventType, event.new.body]);
  await waitFor("the stranger receives their own message", () => of(forStranger, other).length > 0);
  await waitFor("the member receives both messages", () => of(forMember, pilot).length > 1);
  assert.deepEqual(of(forMember, pilot), [["INSERT", "By the owner"], ["INSERT", "By the guest"]]);
  assert.deepEqual(of(forStranger, pilot), []);
  assert.deepEqual(of(forStranger, other), [["INSERT", "By the stranger"]]);
  assert.deepEqual(forAnon.filter((event) => event.new.body), []);
  await leave(member.client, stranger.client, anon);
});

test("a subscriber receives the deletion of a message of the filtered episode, but not of another episode", async () => {
  const show = await podcast("Deleted words"), [pilot, other] = [await episode(show), await episode(show, "Other")];
  const post = async ({ id }: { id: string }) =>
    (await member.client.from(table).insert({ episode_id: id, body: "Said" }).select("id").single()).data!.id;
  const [here, there] = [await post(pilot), await post(other)];
  const [received, receivedThere] = await Promise.all([pilot, other].map(async ({ id }) => {
    return (await listen(member.client, { table, filter: `episode_id=eq.${id}` })).events;
  }));
  for (const message_id of [here, there]) {
    assert.equal((await member.client.rpc("delete_episode_message", { message_id })).error, null);
  }
  await waitFor("both subscribers receive an event", () => received.length > 0 && receivedThere.length > 0);
  for (const [events, id] of [[received, here], [receivedThere, there]] as const) {
    assert.deepEqual(
      events.map((event) => [event.eventType, event.new.id, event.new.body, !!event.new.deleted_at]),
      [["UPDATE", id, null, true]],
    );
  }
  await leave(member.client);
});
