// Realtime sends each change of an import to the users who may read it.
import assert from "node:assert/strict";
import { client, type Event, leave, listen, test } from "../../parity/realtime/subscribers.ts";
import { person, podcast, stackInfo, waitFor } from "../harness.ts";
import { allBytes, mp3 } from "../../worker/source.ts";
import { httpResponse, source } from "../api/artwork.ts";
import { done, episodes, feed, locked, newAddress, post, serving, start, started } from "../api/imports.ts";

const tables = [{ table: "podcast_imports" }, { table: "podcast_import_items" }];
const [admin, member, stranger] = await Promise.all(["admin", "member", "stranger"].map(person));
/** Whether a change is of this import or of one of its items. */
const isOf = (id: string) => ({ new: row }: Event) => row.id === id || row.import_id === id;

test("realtime sends an import's counters and items to an admin, but not to a plain member, a non-member or anonymous", async () => {
  const anon = client(stackInfo.publishableKey), clients = [admin.client, member.client, stranger.client, anon];
  const file = allBytes(mp3(20_000));
  await using from = await source(httpResponse(file, { type: "audio/mpeg" }));
  const { id } = await started(feed(episodes(3, `${from.url}a.mp3`)));
  const [admins, ...others] = await Promise.all(clients.map(async (each) => (await listen(each, ...tables)).events));
  done(await post(id, "confirm", { applyDetectedEpisodeNumbers: false, limit: null }));
  const parents = () => admins.filter((event) => event.table === "podcast_imports" && event.new.id === id);
  await waitFor(
    "the admin receives the end",
    () => parents().some((event) => event.new.status === "completed"),
    20,
  );
  const states = parents().map((event) => event.new.status);
  assert.deepEqual([states[0], states.at(-1)], ["running", "completed"]);
  const counts: number[] = parents().map((event) => event.new.completed_count);
  assert.deepEqual(counts, counts.toSorted((a, b) => a - b), "the counter only grows");
  assert.equal(counts.at(-1), 3);

  const ways = Map.groupBy(admins.filter((event) => event.new.import_id === id), (event) => event.new.id);
  assert.equal(ways.size, 3);
  for (const way of ways.values()) {
    const statuses = way.map((event) => event.new.status);
    assert.deepEqual([statuses.includes("processing"), statuses.at(-1)], [true, "completed"]);
  }

  // Created last: a client that has received it has received all earlier changes
  await using there = await serving(feed(episodes(1)));
  const theirs = done(await start(await podcast("Elsewhere", "stranger"), there.url, "stranger")).importId;
  await waitFor("the non-member receives their own import", () => others[1].some(({ new: row }) => row.id === theirs));
  for (const changes of others) assert.deepEqual(changes.filter(isOf(id)), []);
  await leave(...clients);
});

test("realtime sends no address of a feed's owner with an import and its items", async () => {
  const email = newAddress();
  const [item] = episodes(1);
  item.title += ` (${email})`;
  item.more = `<podcast:person href="https://a.example/${email.replace("@", "%40")}">${email}</podcast:person>`;
  const { events } = await listen(admin.client, ...tables);
  const { id } = await started(feed([item], locked(email)));
  await waitFor(
    "the admin receives the masked item",
    () => events.some((one) => isOf(id)(one) && JSON.stringify(one).includes("o***@f***.test)")),
    20,
  );
  const seen = JSON.stringify(events.filter(isOf(id)));
  assert.ok(!seen.includes(email) && !seen.includes(email.replace("@", "%40")), seen);
  await leave(admin.client);
});
