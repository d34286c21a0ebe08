// Realtime: who hears a message when it is written, whoever wrote it.
import assert from "node:assert/strict";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { episode, person, podcast, stackInfo, waitFor } from "../harness.ts";
import { byToken, invite } from "../api/guest_mail.ts";

interface Heard {
  eventType: string;
  new: { id?: string; body?: string | null; deleted_at?: string | null; episode_id?: string };
}

/** What reaches a client of the events of a table. */
async function listening(client: SupabaseClient, token?: string, filter?: string) {
  if (token) await client.realtime.setAuth(token);
  const heard: Heard[] = [];
  const channel = client.channel(`chat-${crypto.randomUUID()}`);
  let listens = false;
  channel
    .on("system", {}, () => void (listens = true))
    .on(
      "postgres_changes",
      { event: "*", schema: "public", table: "episode_messages", filter } as never,
      (event: Heard) => heard.push(event),
    )
    .subscribe();
  await waitFor("the channel listens", () => Promise.resolve(listens), 30);
  return heard;
}

Deno.test({
  name: "A member hears a message of the team and one of a guest as they are written; a stranger hears neither",
  sanitizeOps: false, // supabase-js leaves a timer behind when it disconnects
  sanitizeResources: false,
  async fn() {
    const ear = () =>
      createClient(stackInfo.url, stackInfo.publishableKey, {
        auth: { persistSession: false, autoRefreshToken: false },
      });
    const clients = { member: ear(), stranger: ear(), anon: ear() };
    try {
      const [show, theirs] = [await podcast("Heard"), await podcast("Elsewhere", "stranger")];
      const [pilot, other] = [await episode(show), await episode(theirs, "Other")];
      const { token } = await invite(pilot);
      const [members, strangers, nobodys] = [
        await listening(clients.member, (await person("member")).token),
        await listening(clients.stranger, (await person("stranger")).token),
        await listening(clients.anon),
      ];
      const owner = await person("owner"), stranger = await person("stranger");
      await owner.client.from("episode_messages").insert({ episode_id: pilot.id, body: "By the owner" });
      await byToken("/messages", token, { body: "By the guest" });
      // Written last, so that whoever hears it has had what came before
      await stranger.client.from("episode_messages").insert({ episode_id: other.id, body: "By the stranger" });

      const of = (heard: Heard[], { id }: { id: string }) =>
        heard.filter((event) => event.new.episode_id === id).map((event) => [event.eventType, event.new.body]);
      await waitFor("the stranger hears their own", () => Promise.resolve(of(strangers, other).length > 0));
      await waitFor("the member hears both", () => Promise.resolve(of(members, pilot).length > 1));
      assert.deepEqual(of(members, pilot), [["INSERT", "By the owner"], ["INSERT", "By the guest"]]);
      assert.deepEqual(of(strangers, pilot), []);
      assert.deepEqual(of(strangers, other), [["INSERT", "By the stranger"]]);
      assert.deepEqual(nobodys.filter((event) => event.new.body), []);
    } finally {
      for (const client of Object.values(clients)) await client.removeAllChannels();
    }
  },
});

Deno.test({
  name: "A subscriber that filters by episode receives the deletion of a message, and one of another episode does not",
  sanitizeOps: false, // supabase-js leaves a timer behind when it disconnects
  sanitizeResources: false,
  async fn() {
    const ear = () =>
      createClient(stackInfo.url, stackInfo.publishableKey, {
        auth: { persistSession: false, autoRefreshToken: false },
      });
    const clients = [ear(), ear()];
    try {
      const show = await podcast("Deleted words"), [pilot, other] = [await episode(show), await episode(show, "Other")];
      const { client, token } = await person("member");
      const said = async ({ id }: { id: string }) =>
        (await client.from("episode_messages").insert({ episode_id: id, body: "Said" }).select("id").single()).data!.id;
      const [here, there] = [await said(pilot), await said(other)];
      const heard = await listening(clients[0], token, `episode_id=eq.${pilot.id}`);
      const heardThere = await listening(clients[1], token, `episode_id=eq.${other.id}`);
      for (const message_id of [here, there]) {
        assert.equal((await client.rpc("delete_episode_message", { message_id })).error, null);
      }
      await waitFor("both are heard", () => Promise.resolve(heard.length > 0 && heardThere.length > 0));
      for (const [events, id] of [[heard, here], [heardThere, there]] as const) {
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
