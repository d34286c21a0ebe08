// The computing time of readIcsBusy(): its bounds, its slices, and what runs in between.
import { deepStrictEqual as deepEqual, ok, rejects, strictEqual as equal, throws } from "node:assert";
import { setImmediate } from "node:timers/promises";
import { CalendarCostError, CalendarError, SharedCostError } from "../../../functions/calendars/calendar_error.ts";
import { type Budget, createBudget } from "../../../functions/calendars/icalendar/budget.ts";
import { readIcsBusy } from "../../../functions/calendars/icalendar/ics.ts";
import { waitFor } from "../../wait_for.ts";
import { calendarOf, event, readText, WINDOW } from "./documents.ts";

/** A budget of 100 ms with a clock that the test sets. */
function budgetAt() {
  const clock = { ms: 0 };
  return { clock, ...createBudget({ maxCpuMs: 100, now: () => clock.ms }) };
}

Deno.test("createBudget() ends a computation by its steps and by its clock, and does not count time between slices", () => {
  const few = budgetAt();
  for (let i = 0; i < 999; i++) few.spend(1000);
  few.spend(1000);
  rejectsCost(() => few.spend(1));
  const slow = budgetAt();
  for (const [from, to] of [[0, 20], [1000, 1020], [2000, 2020], [3000, 3020], [4000, 4020]]) {
    slow.clock.ms = from;
    slow.start();
    slow.clock.ms = to;
    slow.spend(2000); // enough to look at the clock
    slow.stop();
  }
  equal(slow.cpuMs(), 100);
  slow.start();
  slow.clock.ms += 1;
  slow.spend(1999);
  rejectsCost(() => slow.spend(1));
});

Deno.test("createBudget() counts 25 ms at most between two looks at the clock, so that a pause fails no calendar", () => {
  const { clock, spend, start, cpuMs } = budgetAt();
  start();
  for (const milliseconds of [25, 500, 5]) {
    clock.ms += milliseconds;
    spend(2000);
  }
  equal(cpuMs(), 55);
});

Deno.test("createBudget() asks for a pause after 10 ms or 100,000 steps of a slice", () => {
  const { clock, spend, start, stop } = budgetAt();
  start();
  clock.ms = 9;
  equal(spend(99_999), false);
  equal(spend(1), true);
  equal(spend(0), true, "until the next slice");
  stop();
  start();
  clock.ms = 18;
  equal(spend(2000), false);
  clock.ms = 19;
  equal(spend(1999), false, "the clock is read every 2000 steps");
  equal(spend(1), true);
});

Deno.test("createBudget() lets one of several continue when the time that they share is over", () => {
  const cpu = { leftMs: 1000, floorMs: 970 }, clock = { ms: 0 };
  const budgets = [0, 1].map(() => createBudget({ maxCpuMs: 100, cpu, now: () => clock.ms }));
  const run = ({ start, spend, stop }: Budget, ms: number) => {
    start();
    clock.ms += ms;
    spend(2000);
    stop();
  };
  for (const budget of [...budgets, budgets[0]]) run(budget, 10);
  run(budgets[1], 10); // the first beyond
  throws(() => run(budgets[0], 1), SharedCostError);
  for (let i = 0; i < 4; i++) run(budgets[1], 20);
  rejectsCost(() => run(budgets[1], 1));
  equal(cpu.leftMs, 880);
  budgets[0].charge(30);
  equal(cpu.leftMs, 850);
});

const rejectsCost = (step: () => unknown) => throws(step, CalendarCostError);

/** Counts how often other work of this process gets a turn until the promise ends. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0, isOver = false;
  work.catch(() => {}).finally(() => isOver = true);
  while (!isOver) {
    await setImmediate();
    turns++;
  }
  return turns;
}

/** A rule that looks at each day since the year 1000: a million steps, ten slices. */
const COSTLY = event("DTSTART:10000101T100000Z", "RRULE:FREQ=DAILY;COUNT=9;BYMONTH=2;BYMONTHDAY=30");

Deno.test("readIcsBusy() computes in slices, with other work of the process in between", async () => {
  const turns = await turnsDuring(readText(calendarOf(...COSTLY, ...COSTLY)));
  ok(turns >= 20, `${turns} turns`);
});

Deno.test("readIcsBusy() computes one slice at a time of all calendars that are read", async () => {
  const text = calendarOf(...COSTLY, ...COSTLY);
  const turns = await turnsDuring(Promise.all([1, 2, 3, 4].map(() => readText(text))));
  ok(turns >= 80, `${turns} turns`);
});

Deno.test("readIcsBusy() reads a large chunk of text in pieces, with other work of the process in between", async () => {
  const text = calendarOf(...event("DTSTART:20260325T100000Z", `DESCRIPTION:${"x".repeat(10 * 1024 * 1024)}`));
  const turns = await turnsDuring(readText(text));
  ok(turns >= 160, `${turns} turns`);
});

Deno.test("readIcsBusy() ends with its signal between two slices, and reports what it has cost", async () => {
  const timeout = new AbortController(), late = new CalendarError("unavailable", "Too late");
  const costs: number[] = [];
  const reading = readText(calendarOf(...Array(50).fill(COSTLY).flat()), {
    signal: timeout.signal,
    onCost: (ms) => costs.push(ms),
  });
  for (let turns = 0; turns < 20; turns++) await setImmediate();
  timeout.abort(late);
  const turns = await turnsDuring(reading);
  ok(turns < 20, `${turns} turns after the signal`);
  await rejects(reading, late);
  equal(costs.length, 1);
  ok(costs[0] > 0);
});

Deno.test("readIcsBusy() reads a cheap calendar while it computes costly ones", async () => {
  const ended: string[] = [];
  const start = (name: string, lines: string[]) => readText(calendarOf(...lines)).then(() => ended.push(name));
  const costly = Array(3).fill(COSTLY).flat();
  await Promise.all([start("costly", costly), start("costly", costly), start("cheap", event("DTSTART:20260325"))]);
  deepEqual(ended, ["cheap", "costly", "costly"]);
});

Deno.test("readIcsBusy() throws CalendarCostError over the computing time that the caller allows", async () => {
  const costs: number[] = [];
  const options = { onCost: (ms: number) => costs.push(ms) };
  const text = calendarOf(...COSTLY);
  await rejects(readText(text, { ...options, maxCpuMs: 10 }), CalendarCostError); // 100,000 steps
  await readText(text, { ...options });
  equal(costs.length, 2);
  ok(costs.every((ms) => ms > 0));
});

Deno.test("readIcsBusy() counts what receiving a calendar takes", async () => {
  const bytes = new TextEncoder().encode("BEGIN:VCALENDAR\nEND:VCALENDAR\n".padEnd(5_000_000, "\n"));
  let cost = 0;
  const { now } = performance;
  performance.now = () => 0;
  try {
    const options = { timeZone: undefined, onCost: (ms: number) => cost = ms };
    deepEqual(await readIcsBusy(new Blob([bytes]).stream(), WINDOW, options), []);
  } finally {
    performance.now = now;
  }
  equal(cost.toFixed(3), "10.000");
});

Deno.test("readIcsBusy() keeps at most 60,000 events of all calendars in memory, and releases them", async () => {
  const few = Array(10).fill(event("DTSTART:20260325T100000Z", "DURATION:PT1H")).flat();
  const text = calendarOf(...few), encoder = new TextEncoder();
  const events = encoder.encode(event("DTSTART:20260325T100000Z").concat("").join("\n").repeat(20_000));
  const ending = Promise.withResolvers<void>(), options = { timeZone: undefined, maxCpuMs: 60_000 };
  let waiting = 0;
  const held = Array.from({ length: 3 }, () => {
    async function* parts() {
      yield encoder.encode("BEGIN:VCALENDAR\n");
      yield events;
      yield encoder.encode("\n".repeat(65_536)); // fills the last piece
      waiting++;
      await ending.promise;
      yield encoder.encode("END:VCALENDAR\n");
    }
    return readIcsBusy(ReadableStream.from(parts()), WINDOW, options);
  });
  await waitFor("the events to be kept", () => waiting === 3);
  await rejects(readText(text), SharedCostError);
  ending.resolve();
  await Promise.all(held);
  equal((await readText(text)).length, 1);
});
