// Recurrence rules against the package rrule, an independent implementation that walks from the first start.
import { deepStrictEqual as deepEqual, strictEqual as equal, throws } from "node:assert";
import rrulePackage from "rrule";
import type { Spend } from "../../../functions/calendars/icalendar/budget.ts";
import { DAY, dayNumber } from "../../../functions/calendars/icalendar/local_time.ts";
import { occurrencesOf } from "../../../functions/calendars/icalendar/occurrences.ts";
import { parseTime } from "../../../functions/calendars/icalendar/property_values.ts";
import { parseRule } from "../../../functions/calendars/icalendar/recurrence_rule.ts";
import { type SeededRandom, seededRandom } from "../../random.ts";
import { byScale } from "../../scale.ts";

const { rrulestr } = rrulePackage;

const noBudget = () => false;
const at = (year: number, month: number, day: number, hour = 0) => dayNumber(year, month, day) * DAY + hour * 3600;

function expand(rule: string, start: number, from: number, to: number, spend: Spend = noBudget) {
  const unreadable: string[] = [];
  const lastOf = (until: string) => parseTime(until).local;
  const parsed = parseRule(rule, { start, lastOf, onProblem: (part) => unreadable.push(part) });
  deepEqual(unreadable, [], rule);
  return [...occurrencesOf(parsed, start, from, to, spend)];
}

const iso = (local: number) => new Date(local * 1000).toISOString().slice(0, 19);

/** The dates of a rule's occurrences in 1997 and 1998, as in the examples of RFC 5545. */
const dates = (rule: string, start: number, from = at(1997, 1, 1), to = at(1998, 12, 31)) =>
  expand(rule, start, from, to).map((local) => iso(local).slice(0, 10)).join(" ");

Deno.test("occurrencesOf() returns the dates that RFC 5545 gives for its examples", () => {
  const start = at(1997, 9, 2, 9); // a Tuesday
  const examples: [rule: string, expected: string][] = [
    ["FREQ=WEEKLY;INTERVAL=2;COUNT=4;WKST=SU;BYDAY=TU,TH", "1997-09-02 1997-09-04 1997-09-16 1997-09-18"],
    ["FREQ=MONTHLY;COUNT=4;BYDAY=-2MO", "1997-09-22 1997-10-20 1997-11-17 1997-12-22"],
    ["FREQ=MONTHLY;COUNT=4;BYMONTHDAY=1,-1", "1997-09-30 1997-10-01 1997-10-31 1997-11-01"],
    ["FREQ=MONTHLY;INTERVAL=18;COUNT=3;BYMONTHDAY=10,11,12", "1997-09-10 1997-09-11 1997-09-12"],
    ["FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04 1997-10-07 1997-11-06"],
    ["FREQ=MONTHLY;COUNT=3;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", "1997-09-29 1997-10-30 1997-11-27"],
    ["FREQ=YEARLY;COUNT=2;BYDAY=20MO", "1998-05-18"],
    ["FREQ=YEARLY;COUNT=2;BYWEEKNO=20;BYDAY=MO", "1998-05-11"],
    ["FREQ=YEARLY;COUNT=3;BYMONTH=3;BYDAY=TH", "1998-03-05 1998-03-12 1998-03-19"],
    ["FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=2", "1998-02-13 1998-03-13"],
    ["FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1997-11-04"],
  ];
  for (const [rule, expected] of examples) equal(dates(rule, start), expected, rule);
});

Deno.test("occurrencesOf() begins weeks on the day that WKST names", () => {
  const start = at(1997, 8, 5, 9);
  const rule = "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU";
  equal(dates(`${rule};WKST=MO`, start), "1997-08-05 1997-08-10 1997-08-19 1997-08-24");
  equal(dates(`${rule};WKST=SU`, start), "1997-08-05 1997-08-17 1997-08-19 1997-08-31");
});

Deno.test("occurrencesOf() numbers weeks from the day that WKST names", () => {
  const start = at(1997, 1, 1, 9); // in 2000, the first week from Monday begins on 3 January, from Sunday on the 2nd
  const week = (rule: string) => dates(rule, start, at(2000, 1, 1), at(2000, 12, 1));
  equal(week("FREQ=YEARLY;BYWEEKNO=1;BYDAY=SU;WKST=MO"), "2000-01-09");
  equal(week("FREQ=YEARLY;BYWEEKNO=1;BYDAY=SU;WKST=SU"), "2000-01-02");
});

Deno.test("occurrencesOf() leaves out months and years without the day of the start", () => {
  const ends = dates("FREQ=MONTHLY", at(1997, 1, 31), at(1997, 1, 1), at(1997, 6, 30));
  equal(ends, "1997-01-31 1997-03-31 1997-05-31");
  const leapDays = dates("FREQ=YEARLY", at(1996, 2, 29), at(1996, 1, 1), at(2004, 12, 31));
  equal(leapDays, "1996-02-29 2000-02-29 2004-02-29");
});

Deno.test("occurrencesOf() returns and counts no time of the first day before the start", () => {
  const times = (rule: string) => expand(rule, at(2026, 1, 1, 10), at(2025, 1, 1), at(2026, 1, 3)).map(iso).join(" ");
  const expected = "2026-01-01T12:00:00 2026-01-02T08:00:00 2026-01-02T12:00:00";
  equal(times("FREQ=DAILY;BYHOUR=8,12"), expected);
  equal(times("FREQ=DAILY;BYHOUR=8,12;COUNT=3"), expected);
});

Deno.test("occurrencesOf() takes the weekday of the start for BYWEEKNO without BYDAY", () => {
  equal(dates("FREQ=YEARLY;BYWEEKNO=20", at(1997, 9, 2, 9)), "1998-05-12");
});

const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const STEPS: Record<string, number> = { SECONDLY: 9999, MINUTELY: 300 };

function randomRule({ below, chance, one }: SeededRandom, start: number): string {
  const some = (n: number, item: () => unknown) => [...new Set(Array.from({ length: 1 + below(n) }, item))].join(",");
  const signed = (n: number) => (chance(0.3) ? -1 : 1) * (1 + below(n));
  const freq = one(["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"]);
  const isYearly = freq === "YEARLY", isMonthly = freq === "MONTHLY", isShort = /HOUR|MINUTE|SECOND/.test(freq);
  const parts = [`FREQ=${freq}`];
  if (freq in STEPS || chance(0.6)) parts.push(`INTERVAL=${1 + below(STEPS[freq] ?? 5)}`);
  if (chance(0.4)) parts.push(`WKST=${one(WEEKDAYS)}`);
  if (chance(0.3)) parts.push(`BYMONTH=${some(3, () => 1 + below(12))}`);
  if (chance(0.5)) {
    const hasNth = (isYearly || isMonthly) && chance(0.5); // rrule mixes weekdays with and without a number wrongly
    const nth = () => hasNth ? signed(isYearly && chance(0.5) ? 20 : 4) : "";
    parts.push(`BYDAY=${some(3, () => `${nth()}${one(WEEKDAYS)}`)}`);
  }
  if (freq !== "WEEKLY" && chance(0.3)) parts.push(`BYMONTHDAY=${some(3, () => signed(31))}`);
  if (isYearly && chance(0.15)) parts.push(`BYYEARDAY=${some(3, () => signed(366))}`);
  // without BYDAY rrule takes all days of the week, RFC 5545 that of the start; and rrule's last weeks are wrong
  else if (isYearly && parts.some((part) => /^BYDAY=[A-Z,]+$/.test(part)) && chance(0.5)) {
    parts.push(`BYWEEKNO=${some(3, () => signed(50))}`);
  }
  // rrule returns times in the order of these lists
  const sorted = (n: number) => [...new Set([below(n), below(n)])].sort((one, other) => one - other).join(",");
  if (chance(0.3)) parts.push(`BYHOUR=${sorted(24)}`);
  if (chance(0.2)) parts.push(`BYMINUTE=${sorted(60)}`);
  if (chance(0.2)) parts.push(`BYSECOND=${sorted(60)}`);
  if (!isShort && parts.length > 2 && chance(0.25)) parts.push(`BYSETPOS=${one([1, 2, 3, -1])}`); // rrule takes the first time for -3 of two
  if (chance(0.25)) parts.push(`COUNT=${1 + below(40)}`);
  else if (chance(0.3)) parts.push(`UNTIL=${iso(start + below(900) * DAY).replaceAll(/[-:]/g, "")}Z`);
  return parts.join(";");
}

/** Without a further match rrule walks to the year 9999, and it walks each second between two of them. */
function isFastForRrule(rule: string, start: number, to: number) {
  const isShort = /SECONDLY|MINUTELY/.test(rule);
  if (isShort && /BY(?!DAY)/.test(rule)) return false;
  const endless = rule.replace(/;(COUNT|UNTIL)=\w+/, "");
  const end = Math.max(to, start + 900 * DAY);
  return expand(endless, start, end, end + (isShort ? 20 : 3000) * DAY).length > 0;
}

function assertEqualToRrule(seed: number, count: number) {
  const random = seededRandom(seed);
  const { below } = random;
  for (let compared = 0; compared < count;) {
    const start = at(2019 + below(3), 1 + below(12), 1 + below(28), below(24)) + below(3600);
    const rule = randomRule(random, start);
    const from = start + below(700) * DAY;
    const to = from + below(/YEARLY/.test(rule) ? 1500 : 60) * DAY;
    if (!isFastForRrule(rule, start, to)) continue;
    const other = rrulestr(`DTSTART:${iso(start).replaceAll(/[-:]/g, "")}Z\nRRULE:${rule}`);
    const expected = other.between(new Date(from * 1000), new Date(to * 1000), true).map((date) => iso(+date / 1000));
    deepEqual(expand(rule, start, from, to).map(iso), expected, `seed ${seed}: ${rule}, ${iso(start)} to ${iso(to)}`);
    compared++;
  }
}

Deno.test("occurrencesOf() returns what rrule returns for random rules", () => {
  const seeds = [1, ...byScale(0, 1) ? [2, 3, Math.floor(Math.random() * 2 ** 31)] : []];
  for (const seed of seeds) assertEqualToRrule(seed, byScale(100, 600));
});

Deno.test("occurrencesOf() costs the same however long ago a rule without COUNT began", () => {
  const stepsFrom = (year: number) => {
    let steps = 0;
    expand("FREQ=DAILY;BYDAY=MO,TU", at(year, 1, 1), at(2026, 1, 1), at(2026, 3, 1), (n) => (steps += n) < 0);
    return steps;
  };
  equal(stepsFrom(1700), stepsFrom(2025));
});

Deno.test("occurrencesOf() ends without an occurrence for rules that never match", () => {
  const rules = [
    "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2",
    "FREQ=DAILY;INTERVAL=9007199254740991",
    "FREQ=YEARLY;INTERVAL=999999999",
    "FREQ=MONTHLY;BYDAY=5MO;BYMONTHDAY=1",
  ];
  for (const rule of rules) {
    deepEqual(expand(rule, at(1970, 1, 2), at(2026, 1, 1), at(2026, 12, 31)), [], rule);
  }
});

Deno.test("occurrencesOf() takes steps of a budget while it finds nothing", () => {
  let left = 1000;
  const spend = (steps: number) => {
    left -= steps;
    if (left < 0) throw new Error("used up");
    return false;
  };
  const expandAll = () =>
    expand("FREQ=SECONDLY;COUNT=999999999", at(1970, 1, 1), at(2026, 1, 1), at(2026, 1, 2), spend);
  throws(expandAll, /used up/);
});

Deno.test("parseRule() reads parts in lower case, with spaces, and without a value", () => {
  const expected = dates("FREQ=WEEKLY;BYDAY=TU,TH;COUNT=4", at(1997, 9, 2));
  const forms = [
    "freq=weekly;byday=tu,th;count=4",
    " FREQ = WEEKLY ; BYDAY=TU, TH; COUNT=4;",
    "FREQ=WEEKLY;BYDAY=TU,TH,;COUNT=4;UNTIL=;BYMONTH=;X-NAME=a;WKST",
  ];
  for (const rule of forms) equal(dates(rule, at(1997, 9, 2)), expected, rule);
});

/** A rule whose part cannot be read has the occurrences of another rule. */
Deno.test("parseRule() reads a part that cannot be read as absent, so that no occurrence is missing", () => {
  const cases: [rule: string, part: string, same: string][] = [
    ["FREQ=DAILY;BYDAY=XX", "BYDAY", "FREQ=DAILY"],
    ["FREQ=WEEKLY;BYDAY=MO,XX", "BYDAY", "FREQ=DAILY"],
    ["FREQ=WEEKLY;BYDAY=,", "BYDAY", "FREQ=DAILY"],
    ["FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY", "FREQ=DAILY"],
    ["FREQ=YEARLY;BYMONTH=13", "BYMONTH", "FREQ=DAILY"],
    ["FREQ=YEARLY;BYMONTH=13;BYMONTHDAY=2", "BYMONTH", "FREQ=MONTHLY"],
    ["FREQ=DAILY;INTERVAL=0.5", "INTERVAL", "FREQ=DAILY"],
    ["FREQ=DAILY;INTERVAL=0;COUNT=2", "INTERVAL", "FREQ=DAILY"],
    ["FREQ=DAILY;COUNT=-1", "COUNT", "FREQ=DAILY"],
    ["FREQ=DAILY;UNTIL=tomorrow", "UNTIL", "FREQ=DAILY"],
    ["FREQ=MONTHLY;BYDAY=XX;BYSETPOS=-1;COUNT=1", "BYDAY", "FREQ=DAILY"],
    ["FREQ=DAILY;BYHOUR=24", "BYHOUR", "FREQ=DAILY"],
    ["FREQ=DAILY;WKST=NO", "WKST", "FREQ=DAILY"],
    ["FREQ=NEVER", "FREQ", "FREQ=WEEKLY"],
    ["FREQ=NEVER;INTERVAL=2;COUNT=3", "FREQ", "FREQ=WEEKLY"],
    ["", "FREQ", "FREQ=WEEKLY"],
  ];
  const start = at(1997, 9, 2, 9);
  for (const [text, part, same] of cases) {
    const problems: string[] = [];
    const rule = parseRule(text, {
      start,
      lastOf: (until) => parseTime(until).local,
      onProblem: (name) => problems.push(name),
    });
    deepEqual(problems, [part], text);
    const times = [...occurrencesOf(rule, start, start, at(1998, 12, 31), noBudget)];
    deepEqual(times, expand(same, start, start, at(1998, 12, 31)), text);
  }
});
