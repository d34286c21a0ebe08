// POST /api/automations/rules/:id/dry-run: what a rule would do for a booking or an episode.
import assert from "node:assert/strict";
import { assertError, assertKeys, episode, person, podcast, scheduleDeletion, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { BASE, emailTo, newRule, newTemplate, send, updateOf, webhookTo } from "./automations.ts";
import { openLink } from "./bookings.ts";

const show = await podcast("Dry runs"), pilot = await episode(show, "Paris <b>&</b> Vienna");
const kept = await newRule(show);
const dryRun = (id: string, json: object) => send("POST", `/rules/${id}/dry-run`, json);
const titleOf = async () =>
  (await sql`select title, updated_at from public.episodes where id = ${pilot.id}`).map((row) => ({ ...row }));

async function confirmedBooking(fields: Record<string, unknown> = {}): Promise<string> {
  const [{ id }] = await sql`
    insert into public.bookings ${
    sql({
      podcast_id: show.id,
      name: "Interview",
      start_time: "2040-07-06T15:00:00Z",
      end_time: "2040-07-06T16:00:00Z",
      status: "confirmed",
      guest_name: "Grace Hopper",
      guest_email: "grace@people.test",
      guest_timezone: "Europe/Berlin",
      ...fields,
    })
  } returning id`;
  return id;
}

const request = () => Promise.resolve({ path: `${BASE}/rules/${kept.id}/dry-run`, json: { episode_id: pilot.id } });
assertAccessMatrix(`POST ${BASE}/rules/:id/dry-run`, request, { anon: 401, stranger: 403, member: 403 });

Deno.test("POST dry-run shows what each action would do, and does nothing", async () => {
  const template = await newTemplate(show, {
    subject: "{episode_title} is out",
    body_html: `<p onclick="x()">{episode_title} by {guest_first_name}</p><script>x()</script>`,
  });
  const rule = await newRule(show, {
    actions: [
      emailTo("team", template),
      webhookTo("https://hooks.test/in", { secret: `whsec_${btoa("x".repeat(24))}` }),
      updateOf("title", "New title"),
      updateOf("title", " "),
      updateOf("notes", "x", "guest"),
    ],
  });
  const before = await titleOf();
  const { status, body } = await dryRun(rule.id, { episode_id: pilot.id });
  assert.equal(status, 200);
  assertKeys(body, "dry_run");
  assertKeys(body.dry_run, "would_run", "problem", "context_data", "action_results");
  const { would_run, problem, context_data, action_results } = body.dry_run;
  assert.deepEqual([would_run, problem], [true, null], "the draft counts as published");
  assertKeys(context_data, "podcast_id", "episode_id", "booking_id", "occurred_at", "timezone", "tags");
  assert.deepEqual([context_data.podcast_id, context_data.episode_id, context_data.booking_id], [
    show.id,
    pilot.id,
    null,
  ]);
  assert.deepEqual(
    action_results.map((
      { action_id, action_type, status }: Record<string, string>,
    ) => [action_id, action_type, status]),
    rule.automation_actions.map(({ id, action_type }, n) => [
      id,
      action_type,
      ["completed", "completed", "completed", "failed", "skipped"][n],
    ]),
  );
  for (const result of action_results) assertKeys(result, "action_id", "action_type", "status", "result");
  const [email, webhook, update, rejected, skipped] = action_results.map(({ result }: { result: object }) => result);
  assert.deepEqual(email, {
    template_id: template.id,
    recipient_count: 3,
    missing_tags: ["guest_first_name"],
    subject: "Paris <b>&</b> Vienna is out",
    body_html: "<p>Paris &lt;b&gt;&amp;&lt;/b&gt; Vienna by </p>",
    body_text: "Paris <b>&</b> Vienna by",
  });
  const { occurred_at, timezone: _, ...data } = context_data;
  assert.deepEqual(webhook, {
    url: "https://hooks.test/in",
    payload: {
      type: "episode.published",
      timestamp: occurred_at,
      data: { ...data, rule_id: rule.id, rule_name: "On publication" },
    },
  });
  assert.deepEqual(update, { ids: [pilot.id], entity: "episode", field: "title", value: "New title" });
  assert.match(rejected.error, /^The value was rejected: title_is_1_to_255_chars$/);
  assert.deepEqual(skipped, { reason: "The occurrence has no guest" });

  assert.deepEqual(await titleOf(), before);
  const [{ count }] = await sql`
    select count(*)::int from public.automation_executions where podcast_id = ${show.id}`;
  assert.equal(count, 0);
  const [{ used }] =
    await sql`select count(*)::int as used from private.automation_usage where podcast_id = ${show.id}`;
  assert.equal(used, 0);
});

Deno.test("POST dry-run shows the guest's email of a booking in the guest's time zone", async () => {
  const template = await newTemplate(show, {
    subject: "Hi {guest_first_name} in {booking_timezone}",
    body_html: "",
    body_text: "{booking_start}",
  });
  const rule = await newRule(show, { trigger_type: "booking.confirmed", actions: [emailTo("guest", template)] });
  const { body } = await dryRun(rule.id, { booking_id: await confirmedBooking() });
  assert.deepEqual([body.dry_run.would_run, body.dry_run.problem], [true, null]);
  const [{ result }] = body.dry_run.action_results;
  assert.deepEqual([result.subject, result.recipient_count], ["Hi Grace in Europe/Berlin", 1]);
  assert.match(result.body_text, /^July 6, 2040, 5:00.PM \(Europe\/Berlin\)$/);
});

Deno.test("POST dry-run says why a rule would not run", async () => {
  const [link, other] = [await openLink(show), await openLink(show)];
  const rule = await newRule(show, { trigger_type: "booking.confirmed", trigger_config: { booking_link_id: link } });
  const booking_id = await confirmedBooking({
    booking_link_id: link,
    start_time: "2040-08-01T15:00:00Z",
    end_time: "2040-08-01T16:00:00Z",
  });
  const problemOf = async (id = booking_id) => {
    const { body: { dry_run: { would_run, problem } } } = await dryRun(rule.id, { booking_id: id });
    assert.equal(would_run, problem === null);
    return problem;
  };
  assert.equal(await problemOf(), null);
  const elsewhere = await confirmedBooking({
    booking_link_id: other,
    start_time: "2040-08-02T15:00:00Z",
    end_time: "2040-08-02T16:00:00Z",
  });
  assert.equal(await problemOf(elsewhere), "The rule is for another booking link");
  await send("PUT", `/rules/${rule.id}`, { is_paused: true });
  assert.equal(await problemOf(), "The rule was paused");
  await send("POST", `/rules/${rule.id}/toggle`);
  assert.equal(await problemOf(), "The rule was disabled");
  const leaving = await podcast("Leaving dry runs"), left = await newRule(leaving), draft = await episode(leaving);
  await scheduleDeletion(leaving);
  const { body } = await dryRun(left.id, { episode_id: draft.id });
  assert.equal(body.dry_run.problem, "The podcast is scheduled for deletion");
});

Deno.test("POST dry-run tries an update with the rights of the caller", async () => {
  const rule = await newRule(show, { actions: [updateOf("explicit", true)] });
  for (const as of ["owner", "admin"] as const) {
    const { body } = await send("POST", `/rules/${rule.id}/dry-run`, { episode_id: pilot.id }, as);
    assert.equal(body.dry_run.action_results[0].status, "completed");
  }
  const member = await person("member");
  const { status, error } = await member.client.rpc("dry_run_automation_rule", {
    rule_id: rule.id,
    episode_id: pilot.id,
  });
  assert.deepEqual([status, error?.code], [403, "PT403"]);
});

Deno.test("POST dry-run returns 400 and 404 for what the rule's trigger cannot have", async () => {
  const other = await podcast("Other dry runs"),
    foreign = await episode(other),
    booking_id = await confirmedBooking({
      start_time: "2040-09-01T15:00:00Z",
      end_time: "2040-09-01T16:00:00Z",
    });
  const booked = await newRule(show, { trigger_type: "booking.confirmed" });
  const wantsEpisode = "Provide episode_id, and no booking_id, for this rule";
  const wantsBooking = "Provide booking_id, and no episode_id, for this rule";
  for (
    const [rule, json, status, error] of [
      [kept, {}, 400, wantsEpisode],
      [kept, { booking_id }, 400, wantsEpisode],
      [kept, { booking_id, episode_id: pilot.id }, 400, wantsEpisode],
      [booked, {}, 400, wantsBooking],
      [booked, { episode_id: pilot.id }, 400, wantsBooking],
      [kept, { episode_id: foreign.id }, 404, "Episode not found"],
      [kept, { episode_id: crypto.randomUUID() }, 404, "Episode not found"],
      [booked, { booking_id: crypto.randomUUID() }, 404, "Booking not found"],
    ] as const
  ) {
    assertError(await dryRun(rule.id, json), status, { error });
  }
  assertError(await dryRun(kept.id, { episode_id: "x" }), 400, { details: /^episode_id: / });
  assertError(await dryRun(kept.id, { episode: pilot.id }), 400, { details: 'Unrecognized key: "episode"' });
  const foreignRule = await newRule(other, { trigger_type: "booking.confirmed" });
  assertError(await dryRun(foreignRule.id, { booking_id }), 404, { error: "Booking not found" });
});
