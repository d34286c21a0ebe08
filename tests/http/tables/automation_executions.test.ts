// Executions by supabase-js: the columns for filters, and realtime.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../../local/host/project.ts";
import { client, type Event, leave, refusal, subscribed, test } from "../../parity/realtime/subscribers.ts";
import { addMember, newPerson, person, podcast, sql, stackInfo, waitFor } from "../harness.ts";
import { contextOf, newRule, publishNew, recordExecution, updateOf } from "../api/automations.ts";

const AsyncFunction = (async () => {}).constructor as new (
  ...code: string[]
) => (...values: unknown[]) => Promise<void>;

Deno.test("supabase-js filters executions by booking, episode and guest", async () => {
  const own = await podcast("Columns"), bookingId = crypto.randomUUID(), episodeId = crypto.randomUUID();
  const of = (fields: object, tags = {}) =>
    recordExecution(own, { context_data: { ...contextOf(own), ...fields, tags } });
  const booked = await of({ booking_id: bookingId }, { guest_email: "gus@test.example" });
  const published = await of({ episode_id: episodeId });
  const executions = (await person("admin")).client.from("automation_executions");
  for (
    const [column, value, id] of [
      ["booking_id", bookingId, booked],
      ["episode_id", episodeId, published],
      ["guest_email", "gus@test.example", booked],
    ]
  ) {
    const { data, error } = await executions.select("id").eq("podcast_id", own.id).eq(column, value);
    assert.deepEqual([error, data], [null, [{ id }]], column);
  }
});

test("docs/front_ends.md shows a subscription to a podcast's executions, which tells admins of each change", async () => {
  const own = await podcast("Live executions"), admin = await person("admin");
  const rule = await newRule(own, { actions: [updateOf("summary", "Out now")] });
  const document = await Deno.readTextFile(join(repository, "docs/front_ends.md"));
  const [example, ...others] = document.matchAll(/^```ts\n((?:(?!```).)*executions_changed.*?)^```$/gms);
  assert.equal(others.length, 0);
  const messages: Event[] = [];
  let refreshes = 0;
  await new AsyncFunction("supabase", "podcastId", "updateStatuses", "refreshSoon", example[1])(
    admin.client,
    own.id,
    (executions: unknown) => messages.push(executions),
    () => refreshes++,
  );
  await waitFor("the join", () => refreshes);
  await publishNew(own);
  await waitFor("the end of the execution", () => messages.some(([{ status }]) => status === "completed"));
  const [{ id }] = await sql`select id from public.automation_executions where rule_id = ${rule.id}`;
  assert.deepEqual(
    messages,
    ["pending", "completed"].map((status) => [{ id, rule_id: rule.id, status, is_test: false }]),
  );
  await leave(admin.client);
});

test("the channel of a podcast's executions is denied to members, strangers and anonymous clients", async () => {
  const own = await podcast("Private executions"), member = await newPerson("member"), stranger = await newPerson("x");
  await addMember(own, member);
  const anon = client(stackInfo.publishableKey), config = { config: { private: true } };
  for (const who of [member.client, stranger.client, anon]) {
    assert.match(
      await refusal(who.channel(`automations:${own.id}`, config)) ?? "",
      /^Unauthorized: You do not have permissions/,
    );
  }
  const admin = await person("admin"), channel = admin.client.channel(`automations:${own.id}`, config);
  await subscribed(channel);
  await assert.rejects(channel.httpSend("executions_changed", { executions: [] }), { message: "Unauthorized" });
  await leave(member.client, stranger.client, anon, admin.client);
});
