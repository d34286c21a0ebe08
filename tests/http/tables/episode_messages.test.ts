// Realtime: which subscribers receive chat messages of members and guests.
import assert from "node:assert/strict";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { episode, person, podcast, stackInfo, waitFor } from "../harness.ts";
import { byToken, invite } from "../api/guest_email.ts";

interface TableEvent {
  eventType: string;
  new: { id?: string; body?: string | null; deleted_at?: string | null; episode_id?: string };
}

/** Subscribes to the table and collects its events. */
async function subscribe(client: SupabaseClient, token?: string, filter?: string) {
  if (token) await client.realtime.setAuth(token);
  const events: TableEvent[] = [];
  const channel = client.channel(`chat-${crypto.randomUUID()}`);
  let isSubscribed = false;
  channel
    .on("system", {}, () => void (isSubscribed = true))
    .on(
      "postgres_changes",
      { event: "*", schema: "public", table: "episode_messages", filter } as never,
      (event: TableEvent) => events.push(event),
    )
    .subscribe();
  await waitFor("the channel is subscribed", () => Promise.resolve(isSubscribed), 30);
  return events;
}

Deno.test({
  name: "a member receives new chat messages of team and guests, and a non-member receives neither",
  sanitizeOps: false, // supabase-js leaves a timer behind when it disconnects
  sanitizeResources: false,
  async fn() {
    const newClient = () =>
      createClient(stackInfo.url, stackInfo.publishableKey, {
        auth: { persistSession: false, autoRefreshToken: false },
      });
    const clients = { member: newClient(), stranger: newClient(), anon: newClient() };
    try {
      const [show, theirs] = [await podcast("Messages"), await podcast("Elsewhere", "stranger")];
      const [pilot, other] = [await episode(show), await episode(theirs, "Other")];
      const { token } = await invite(pilot);
      const [forMember, forStranger, forAnon] = [
        await subscribe(clients.member, (await person("member")).token),
        await subscribe(clients.stranger, (await person("stranger")).token),
        await subscribe(clients.anon),
      ];
      const owner = await person("owner"), stranger = await person("stranger");
      await owner.client.from("episode_messages").insert({ episode_id: pilot.id, body: "By the owner" });
      await byToken("/messages", token, { body: "By the guest" });
      // Inserted last: a subscriber that receives it has received the earlier events
      await stranger.client.from("episode_messages").insert({ episode_id: other.id, body: "By the stranger" });

      const of = (events: TableEvent[], { id }: { id: string }) =>
        events.filter((event) => event.new.episode_id === id).map((event) => [event.eventType, event.new.body]);
      await waitFor(
        "the stranger receives their own message",
        () => Promise.resolve(of(forStranger, other).length > 0),
      );
      await waitFor("the member receives both messages", () => Promise.resolve(of(forMember, pilot).length > 1));
      assert.deepEqual(of(forMember, pilot), [["INSERT", "By the owner"], ["INSERT", "By the guest"]]);
      assert.deepEqual(of(forStranger, pilot), []);
      assert.deepEqual(of(forStranger, other), [["INSERT", "By the stranger"]]);
      assert.deepEqual(forAnon.filter((event) => event.new.body), []);
    } finally {
      for (const client of Object.values(clients)) await client.removeAllChannels();
    }
  },
});

Deno.test({
  name: "a subscriber receives the deletion of a message of the filtered episode, but not of another episode",
  sanitizeOps: false, // supabase-js leaves a timer behind when it disconnects
  sanitizeResources: false,
  async fn() {
    const newClient = () =>
      createClient(stackInfo.url, stackInfo.publishableKey, {
        auth: { persistSession: false, autoRefreshToken: false },
      });
    const clients = [newClient(), newClient()];
    try {
      const show = await podcast("Deleted words"), [pilot, other] = [await episode(show), await episode(show, "Other")];
      const { client, token } = await person("member");
      const post = async ({ id }: { id: string }) =>
        (await client.from("episode_messages").insert({ episode_id: id, body: "Said" }).select("id").single()).data!.id;
      const [here, there] = [await post(pilot), await post(other)];
      const received = await subscribe(clients[0], token, `episode_id=eq.${pilot.id}`);
      const receivedThere = await subscribe(clients[1], token, `episode_id=eq.${other.id}`);
      for (const message_id of [here, there]) {
        assert.equal((await client.rpc("delete_episode_message", { message_id })).error, null);
      }
      await waitFor(
        "both subscribers receive an event",
        () => Promise.resolve(received.length > 0 && receivedThere.length > 0),
      );
      for (const [events, id] of [[received, here], [receivedThere, there]] as const) {
        assert.deepEqual(
          events.map((event) => [event.eventType, event.new.id, event.new.body, !!event.new.deleted_at]),
          [["UPDATE", id, null, true]],
        );
      }
    } finally {
      for (const client of clients) await client.removeAllChannels();
    }
  },
});
