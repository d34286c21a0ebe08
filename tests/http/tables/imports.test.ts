// Realtime sends each change of an import to the users who may read it.
import assert from "node:assert/strict";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { person, podcast, stackInfo, waitFor } from "../harness.ts";
import { allBytes, mp3 } from "../../worker/source.ts";
import { httpResponse, source } from "../api/artwork.ts";
import { done, episodes, feed, locked, newAddress, post, serving, start, started } from "../api/imports.ts";
import { within } from "../../wait_for.ts";

interface Row {
  id?: string;
  import_id?: string;
  status?: string;
  completed_count?: number;
  episode_id?: string | null;
}

interface Change {
  eventType: string;
  table: string;
  new: Row;
}

/** Collects the changes of both tables that a client receives. */
async function subscribe(client: SupabaseClient, token?: string) {
  if (token) await client.realtime.setAuth(token);
  const changes: Change[] = [];
  const ready = Promise.withResolvers<void>();
  const channel = client.channel(`imports-${crypto.randomUUID()}`).on("system", {}, () => ready.resolve());
  for (const table of ["podcast_imports", "podcast_import_items"]) {
    channel.on("postgres_changes", { event: "*", schema: "public", table } as never, (event: Change) => {
      changes.push(event);
    });
  }
  channel.subscribe((status, error) => {
    if (status === "CHANNEL_ERROR") ready.reject(error);
  });
  await within("the subscription", ready.promise);
  return changes;
}

Deno.test({
  name:
    "realtime sends an import's counters and items to an admin, but not to a plain member, a non-member or anonymous",
  sanitizeOps: false, // supabase-js leaves a timer behind when it disconnects
  sanitizeResources: false,
  async fn() {
    const newClient = () =>
      createClient(stackInfo.url, stackInfo.publishableKey, {
        auth: { persistSession: false, autoRefreshToken: false },
      });
    const clients = { admin: newClient(), member: newClient(), stranger: newClient(), anon: newClient() };
    const file = allBytes(mp3(20_000));
    await using from = await source(httpResponse(file, { type: "audio/mpeg" }));
    try {
      const { id } = await started(feed(episodes(3, `${from.url}a.mp3`)));
      const [admins, ...others] = [
        await subscribe(clients.admin, (await person("admin")).token),
        await subscribe(clients.member, (await person("member")).token),
        await subscribe(clients.stranger, (await person("stranger")).token),
        await subscribe(clients.anon),
      ];
      done(await post(id, "confirm", { applyDetectedEpisodeNumbers: false, limit: null }));
      const parents = () => admins.filter((event) => event.table === "podcast_imports" && event.new.id === id);
      await waitFor(
        "the admin receives the end",
        () => Promise.resolve(parents().some((event) => event.new.status === "completed")),
        20,
      );
      const states = parents().map((event) => event.new.status);
      assert.equal(states[0], "running");
      assert.equal(states.at(-1), "completed");
      const counts = parents().map((event) => event.new.completed_count!);
      assert.deepEqual(counts, counts.toSorted((a, b) => a - b), "the counter only grows");
      assert.equal(counts.at(-1), 3);

      const items = admins.filter((event) => event.new.import_id === id);
      const ways = new Map<string, string[]>();
      for (const { new: row } of items) ways.set(row.id!, [...ways.get(row.id!) ?? [], row.status!]);
      assert.equal(ways.size, 3);
      for (const way of ways.values()) assert.deepEqual([way.includes("processing"), way.at(-1)], [true, "completed"]);

      // Created last: a client that has received it has received all earlier changes
      await using there = await serving(feed(episodes(1)));
      const theirs = done(await start(await podcast("Elsewhere", "stranger"), there.url, "stranger")).importId;
      const [members, strangers, anonymous] = others;
      await waitFor(
        "the non-member receives their own import",
        () => Promise.resolve(strangers.some(({ new: row }) => row.id === theirs)),
      );
      for (const changes of [members, strangers, anonymous]) {
        assert.deepEqual(changes.filter(({ new: row }) => row.id === id || row.import_id === id), []);
      }
    } finally {
      for (const client of Object.values(clients)) await client.removeAllChannels();
    }
  },
});

Deno.test({
  name: "realtime sends no address of a feed's owner with an import and its items",
  sanitizeOps: false, // supabase-js leaves a timer behind when it disconnects
  sanitizeResources: false,
  async fn() {
    const { url, publishableKey } = stackInfo;
    const client = createClient(url, publishableKey, { auth: { persistSession: false, autoRefreshToken: false } });
    const email = newAddress();
    const [item] = episodes(1);
    item.title += ` (${email})`;
    item.more = `<podcast:person href="https://a.example/${email.replace("@", "%40")}">${email}</podcast:person>`;
    try {
      const changes = await subscribe(client, (await person("admin")).token);
      const { id } = await started(feed([item], locked(email)));
      const isOwn = ({ new: row }: Change) => row.id === id || row.import_id === id;
      await waitFor(
        "the admin receives the masked item",
        () => Promise.resolve(changes.some((one) => isOwn(one) && JSON.stringify(one).includes("o***@f***.test)"))),
        20,
      );
      const seen = JSON.stringify(changes.filter(isOwn));
      assert.ok(!seen.includes(email) && !seen.includes(email.replace("@", "%40")), seen);
    } finally {
      await client.removeAllChannels();
    }
  },
});

Deno.test("supabase-js reads imports and items as an admin, but neither the owner email nor a code", async () => {
  const email = newAddress();
  const { id, show: { id: show } } = await started(feed(episodes(2), locked(email)));
  for (const [role, sees] of [["admin", 1], ["member", 0], ["stranger", 0]] as const) {
    const { client } = await person(role);
    const { data, error: unread } = await client.from("podcast_imports")
      .select("*, podcast_import_items(*, podcast_import_item_texts(*))").eq("id", id);
    assert.equal(unread, null);
    assert.equal(data!.length, sees, role);
    if (sees) {
      const items: { podcast_import_item_texts: { podcast_id: string } }[] = data![0].podcast_import_items;
      assert.deepEqual(items.map((item) => item.podcast_import_item_texts.podcast_id), [show, show]);
    }
    const texts = await client.from("podcast_import_item_texts").select().eq("podcast_id", show);
    assert.equal(texts.data!.length, sees * 2, role);
    assert.ok(!JSON.stringify(data).includes(email));
    const { error } = await client.from("podcast_imports").update({ status: "preview" }).eq("id", id);
    assert.equal(error?.code, "42501", role);
  }
  for (const table of ["import_owner_verifications", "import_channels", "import_item_originals", "import_transfers"]) {
    assert.equal((await (await person("admin")).client.from(table).select()).status, 404);
  }
});
