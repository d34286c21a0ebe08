// The schedules of automations before a recording, while bookings and rules change and several schedulers run: they
// agree with both in the end, and each occurrence runs a rule once.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { automationRows, type Show } from "./automation_rows.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("schedules of automations while bookings and rules change", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there, rows = automationRows(there);
  await sql`select tests.person('ola')`;
  const slot = async (n: number) => (await sql`select tests.slot(${n}) as at`)[0].at.toISOString() as string;
  const trigger = "time.before_recording";

  const makeRule = (show: Show, minutes = 30) =>
    rows.makeRule(show, [], { trigger, config: { offset_minutes: minutes } });
  /** The operation that makes a rule, which the test's owner calls. */
  const createRule = ({ podcastId }: Show) => () =>
    as("ola", "create_automation_rule", {
      podcastId,
      name: "Reminder",
      triggerType: trigger,
      triggerConfig: { offset_minutes: 30 },
    });
  /** Schedules that differ from those that rules and bookings ask for. */
  const wrongOf = async ({ podcastId }: Show) =>
    (await sql`
      with wanted as (
        select r.id, b.id as booking_id,
          b.start_time - make_interval(mins => (r.trigger_config ->> 'offset_minutes')::int) as due_at
        from public.automation_rules r join public.bookings b using (podcast_id)
        where r.podcast_id = ${podcastId} and r.trigger_type = 'time.before_recording' and r.is_enabled
          and not r.is_paused and b.status = 'confirmed'), existing as (
        select s.rule_id, s.booking_id, s.due_at from private.automation_schedules s
        join public.bookings b on b.id = s.booking_id where b.podcast_id = ${podcastId})
      (select * from wanted where due_at > now() except select * from existing)
      union all (select * from existing except select * from wanted)`).length;
  const schedulesOf = async ({ podcastId }: Show) =>
    (await sql`
      select from private.automation_schedules s join public.bookings b on b.id = s.booking_id
      where b.podcast_id = ${podcastId}`).length;

  /** Both calls wait for the lock of the podcast's schedules, the first before the second. */
  async function inOrder({ podcastId }: Show, calls: (() => Promise<string>)[]) {
    const ended: Promise<string>[] = [];
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('automation-schedules/' || ${podcastId}, 0))`;
      for (const [n, call] of calls.entries()) await assertBlocks(there, ended[n] = call(), n);
    });
    deepEqual(await Promise.all(ended), calls.map(() => "ok"));
  }

  for (const first of ["rule", "booking"]) {
    await t.step(`a new rule and a confirmation at once are scheduled: the ${first} is first`, async () => {
      const show = await rows.makeShow(), bookingId = await rows.book(show, 9, "pending");
      const calls = [createRule(show), () => as("ola", "confirm_booking", { bookingId })];
      await inOrder(show, first === "rule" ? calls : calls.reverse());
      equal(await wrongOf(show), 0);
      equal(await schedulesOf(show), 2); // also of the show's first booking
    });

    await t.step(`a new rule and a move of a booking at once are scheduled: the ${first} is first`, async () => {
      const show = await rows.makeShow(), bookingId = await rows.book(show, 9, "confirmed");
      const startTime = await slot(12);
      const calls = [createRule(show), () => as("ola", "reschedule_booking", { bookingId, startTime })];
      await inOrder(show, first === "rule" ? calls : calls.reverse());
      equal(await wrongOf(show), 0);
      equal(await schedulesOf(show), 2);
    });

    await t.step(`a new rule and a cancellation at once leave no schedule: the ${first} is first`, async () => {
      const show = await rows.makeShow(), { bookingId } = show;
      const calls = [createRule(show), () => as("ola", "cancel_booking", { bookingId })];
      await inOrder(show, first === "rule" ? calls : calls.reverse());
      equal(await schedulesOf(show), 0);
    });

    await t.step(`a changed offset and a move of a booking at once are scheduled: the ${first} is first`, async () => {
      const show = await rows.makeShow(), { bookingId } = show, ruleId = await makeRule(show);
      const startTime = await slot(12);
      const calls = [
        () => as("ola", "update_automation_rule", { ruleId, changes: { trigger_config: { offset_minutes: 45 } } }),
        () => as("ola", "reschedule_booking", { bookingId, startTime }),
      ];
      await inOrder(show, first === "rule" ? calls : calls.reverse());
      equal(await wrongOf(show), 0);
      equal(await schedulesOf(show), 1);
    });
  }

  await t.step("changes of rules and bookings at once agree in the end, without a deadlock", async () => {
    const random = seededRandom(31);
    for (let round = 0; round < byScale(5, 50); round++) {
      const show = await rows.makeShow();
      const rules = await Promise.all([30, 60, 90].map((minutes) => makeRule(show, minutes)));
      const bookings: string[] = [];
      for (let n = 0; n < 4; n++) bookings.push(await rows.book(show, 9 + n, n % 2 ? "pending" : "confirmed"));
      const times = await Promise.all([20, 21, 22].map(slot));
      const calls = [
        ...rules.flatMap((ruleId, n) => [
          () => as("ola", "toggle_automation_rule", { ruleId }),
          () => as("ola", "update_automation_rule", { ruleId, changes: { trigger_config: { offset_minutes: 7 + n } } }),
        ]),
        () => as("ola", "delete_automation_rule", { ruleId: rules[0] }),
        createRule(show),
        ...bookings.map((bookingId, n) => () => as("ola", n % 2 ? "confirm_booking" : "cancel_booking", { bookingId })),
        ...bookings.slice(1).map((bookingId, n) => () =>
          as("ola", "reschedule_booking", { bookingId, startTime: times[n] })
        ),
        () => outcome(sql`delete from public.bookings where id = ${show.bookingId}`),
        () => outcome(sql`select private.start_due_automations()`),
      ].map((call) => ({ call, order: random.next() })).sort((a, b) => a.order - b.order);
      const ended = await runConcurrently(calls.length, (i) => calls[i].call());
      deepEqual(Object.keys(ended).filter((end) => !["ok", "PT404", "PT409"].includes(end)), []);
      equal(await wrongOf(show), 0);
    }
  });

  await t.step("an admin who leaves while bookings are confirmed leaves no schedule", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      const show = await rows.makeShow(), author = `author${round}`;
      await sql`select tests.member(${author}, ${show.name}, 'admin')`;
      for (const minutes of [30, 60]) {
        await rows.makeRule(show, [], { author, trigger, config: { offset_minutes: minutes } });
      }
      const userId = await id(author), bookings: string[] = [];
      for (let n = 0; n < 4; n++) bookings.push(await rows.book(show, 9 + n, "pending"));
      const ended = await Promise.all([
        outcome(sql`delete from public.podcast_members where user_id = ${userId}`),
        ...bookings.map((bookingId) => as("ola", "confirm_booking", { bookingId })),
      ]);
      deepEqual(ended, Array(5).fill("ok"));
      equal(await schedulesOf(show), 0);
    }
  });
});

Deno.test("schedulers of automations that run at once", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as } = there, rows = automationRows(there);
  await sql`select tests.person('ola')`;
  const startDue = (at = "1 day") =>
    sql`select private.start_due_automations(now() + ${at}::interval) as n`.then(([{ n }]) => n as number);
  /** Shows with rules whose time comes within a day, for each of their bookings. */
  async function makeDue(shows: number, rules: number, bookings: number) {
    const made: Show[] = [];
    for (let n = 0; n < shows; n++) {
      const show = await rows.makeShow();
      for (let b = 1; b < bookings; b++) await rows.book(show, 2 + b, "confirmed");
      for (let r = 0; r < rules; r++) {
        await rows.makeRule(show, [], { trigger: "time.before_recording", config: { offset_minutes: 5 + r } });
      }
      made.push(show);
    }
    return made;
  }
  const leftOf = async ({ podcastId }: Show) =>
    (await sql`
      select from private.automation_schedules s join public.automation_rules r on r.id = s.rule_id
      where r.podcast_id = ${podcastId}`).length;

  await t.step("ten schedulers run each occurrence once", async () => {
    const shows = await makeDue(3, 3, 8);
    let started = 0;
    const ended = await runConcurrently(10, () => outcome(startDue().then((n) => started += n)));
    deepEqual(ended, { ok: 10 });
    equal(started, 3 * 3 * 8);
    for (const show of shows) {
      deepEqual(await rows.statusesOf(show), { pending: 24 });
      equal(await rows.messagesOf("automation_runs", show), 24);
      equal(await leftOf(show), 0);
    }
  });

  await t.step("an occurrence that is scheduled again while it starts runs once", async () => {
    const [show] = await makeDue(1, 1, 1);
    let toggled: Promise<string> | undefined;
    const [{ ruleId }] =
      await sql`select id as "ruleId" from public.automation_rules where podcast_id = ${show.podcastId}`;
    await sql.begin(async (tx) => {
      await tx`select private.start_due_automations(now() + interval '1 day')`;
      await assertBlocks(
        there,
        toggled = as("ola", "update_automation_rule", { ruleId, changes: { trigger_config: { offset_minutes: 6 } } }),
      );
    });
    equal(await toggled, "ok");
    equal(await leftOf(show), 1);
    equal(await startDue(), 0);
    deepEqual(await rows.statusesOf(show), { pending: 1 });
  });

  await t.step("a scheduler skips locked rules and podcasts, and starts what is due later", async () => {
    const [first, second, third] = await makeDue(3, 1, 2);
    await sql.begin(async (tx) => {
      await tx`select from public.automation_rules where podcast_id = ${first.podcastId} for update`;
      await tx`select from public.podcasts where id = ${second.podcastId} for update`;
      await sql.begin(async (scheduler) => {
        await scheduler`set local lock_timeout = '10s'`;
        const [{ n }] = await scheduler`select private.start_due_automations(now() + interval '1 day') as n`;
        equal(n, 2);
      });
    });
    deepEqual(await Promise.all([first, second, third].map(rows.statusesOf)), [{}, {}, { pending: 2 }]);
    equal(await startDue(), 4);
    deepEqual(await Promise.all([first, second].map(rows.statusesOf)), [{ pending: 2 }, { pending: 2 }]);
  });

  await t.step("deletions of rules and podcasts wait for a scheduler, and leave nothing", async () => {
    const [first, second] = await makeDue(2, 1, 2);
    await sql`select tests.set_status(${second.name}, 'pending_deletion')`;
    const [{ ruleId }] =
      await sql`select id as "ruleId" from public.automation_rules where podcast_id = ${first.podcastId}`;
    const ended: Promise<string>[] = [];
    await sql.begin(async (tx) => {
      await tx`select private.start_due_automations(now() + interval '1 day')`;
      await assertBlocks(there, ended[0] = as("ola", "delete_automation_rule", { ruleId }));
      ended[1] = outcome(sql`select private.delete_due_podcast(${second.podcastId}, now() + interval '91 days')`);
      await assertBlocks(there, ended[1], 1);
    });
    deepEqual(await Promise.all(ended), ["ok", "ok"]);
    deepEqual(await Promise.all([first, second].map(rows.statusesOf)), [{ canceled: 2 }, {}]);
    equal(await leftOf(first), 0);
    equal(await rows.messagesOf("automation_runs", second), 0);
  });

  await t.step("schedulers and deletions at once end, without a deadlock", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      const shows = await makeDue(3, 2, 3);
      const [deleted, emptied, moved] = shows;
      await sql`select tests.set_status(${deleted.name}, 'pending_deletion')`;
      const rules = await sql<{ ruleId: string }[]>`
        select id as "ruleId" from public.automation_rules where podcast_id = ${emptied.podcastId}`;
      const calls = [
        () => outcome(startDue()),
        () => outcome(sql`select private.delete_due_podcast(${deleted.podcastId}, now() + interval '91 days')`),
        () => outcome(startDue()),
        ...rules.map(({ ruleId }) => () => as("ola", "delete_automation_rule", { ruleId })),
        () => as("ola", "cancel_booking", { bookingId: moved.bookingId }),
        () => outcome(sql`delete from public.bookings where podcast_id = ${moved.podcastId}`),
        () => outcome(startDue()),
      ];
      const { ok, ...others } = await runConcurrently(calls.length, (i) => calls[(i + round) % calls.length]());
      // a booking that was deleted cannot be canceled
      deepEqual(Object.keys(others).filter((end) => end !== "PT404"), []);
      equal(ok + (others.PT404 ?? 0), calls.length);
      await startDue(); // what was locked
      for (const show of shows) equal(await leftOf(show), 0);
      const statuses = await Promise.all([deleted, emptied].map(rows.statusesOf));
      deepEqual(statuses.flatMap(Object.keys).filter((status) => status !== "canceled"), []);
    }
  });
});
