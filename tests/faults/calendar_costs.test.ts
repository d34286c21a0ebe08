// Searches the calendars that cost most, for each property and rule, and prints the worst computing time and the longest
// step of the event loop that it finds. Reads 50 MB of history in little memory.
import { ok } from "node:assert";
import { setImmediate } from "node:timers/promises";
import { CalendarCostError, CalendarError } from "../../functions/calendars/calendar_error.ts";
import { readIcsBusy } from "../../functions/calendars/icalendar/ics.ts";
import { type SeededRandom, seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";

const DAY = 86_400_000, START = Date.UTC(2026, 2, 20);
const WINDOW = { start: new Date(START), end: new Date(START + 365 * DAY) };
const KILOBYTES = byScale(200, 3000), SAMPLES = byScale(2, 12);
/** What a machine that is shared may add. */
const MAX_CPU_MS = 1000, SLACK = 5, MAX_STEP_MS = 50;

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

type Kind = (random: SeededRandom) => Generator<string>;

/** A year, month and so on that are mostly real. */
function stamp({ below, chance }: SeededRandom, from = 1000, to = 2040): string {
  const time = Date.UTC(from + below(to - from), below(12), 1 + below(28), below(24), below(60), below(60));
  const text = new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return chance(0.3) ? text.slice(0, 15) : text;
}

const zoneNames = Intl.supportedValuesOf("timeZone");

function numbers({ below }: SeededRandom, min: number, max: number): string {
  const count = 1 + below(below(3) ? 6 : max - min + 1);
  return upTo(count).map(() => min + below(max - min + 1)).filter((value) => value || min >= 0).join() || "1";
}

function rule(random: SeededRandom): string {
  const { below, one, chance } = random;
  const parts = [`FREQ=${one(["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"])}`];
  const add = (name: string, value: () => string, likely = 0.25) => chance(likely) && parts.push(`${name}=${value()}`);
  add("INTERVAL", () => String(1 + below(chance(0.5) ? 3 : 100_000)));
  add("COUNT", () => String(10 ** below(10)), 0.4);
  add("UNTIL", () => stamp(random, 2026, 2028));
  add("BYMONTH", () => numbers(random, 1, 12));
  add("BYWEEKNO", () => numbers(random, -53, 53));
  add("BYYEARDAY", () => numbers(random, -366, 366));
  add("BYMONTHDAY", () => one([numbers(random, -31, 31), "30", "31"]));
  add("BYDAY", () => upTo(1 + below(60)).map(() => one(["", "1", "-1", "5", "53"]) + one(["MO", "TU", "SU"])).join());
  add("BYHOUR", () => numbers(random, 0, 23));
  add("BYMINUTE", () => numbers(random, 0, 59));
  add("BYSECOND", () => numbers(random, 0, 59));
  add("BYSETPOS", () => numbers(random, -366, 366));
  add("WKST", () => one(["SU", "MO", "WE"]), 0.1);
  return `RRULE:${parts.join(";")}`;
}

const startLine = (random: SeededRandom) =>
  random.one([
    () => `DTSTART:${stamp(random)}`,
    () => `DTSTART;TZID=${random.one(zoneNames)}:${stamp(random).slice(0, 15)}`,
    () => `DTSTART;VALUE=DATE:${stamp(random).slice(0, 8)}`,
    () => "DTSTART:10000101T000000Z",
    () => "DTSTART:20260325T100000Z",
  ])();

const event = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"].join("\n");

/** Text that folds after each so many characters. */
const fold = (line: string, chars: number) => line.replaceAll(new RegExp(`.{${chars}}`, "g"), "$&\n ");

const list = (count: number, value: () => string) => upTo(count).map(value).join();

const KINDS: Record<string, Kind> = {
  *parameters(random) {
    const { below, one } = random;
    const names = ["DTSTART", "DTEND", "RDATE", "EXDATE", "RRULE", "RECURRENCE-ID", "UID", "SEQUENCE", "DURATION"];
    const part = one([
      ";A=B",
      ";A=",
      ';A="b"',
      ";TZID=a",
      ";CN=^n^n",
      ';MEMBER="a","b"',
      ";;",
      ";=",
      ';"',
      ";VALUE=DATE",
    ]);
    const name = one(names), chars = 100 + below(8000);
    for (;;) yield event("DTSTART:20260325T100000Z", `${name}${part.repeat(chars / part.length)}:20260325T100000Z`);
  },
  *folded(random) {
    const { below, one } = random;
    const name = one(["EXDATE:", "RDATE:", "UID:", "RRULE:FREQ=DAILY;BYMONTH=", "DESCRIPTION:", "FREEBUSY:"]);
    const chars = 1 + below(3), values = fold(list(1 + below(5000), () => stamp(random)), chars);
    for (;;) yield event("DTSTART:20260325T100000Z", name + values);
  },
  *"rules of many events"(random) {
    for (;;) yield event(startLine(random), "DURATION:PT1M", rule(random));
  },
  *"one rule"(random) {
    const lines = [startLine(random), "DURATION:PT1M", rule(random)];
    for (;;) yield event(...lines);
  },
  *"one rule from the year 1000"(random) {
    const lines = ["DTSTART:10000101T000000Z", "DURATION:PT1M", `${rule(random)};COUNT=1000000000`];
    for (;;) yield event(...lines);
  },
  *"rules of one event"(random) {
    const rules = upTo(1000).map(() => rule(random));
    for (;;) yield event(startLine(random), ...rules);
  },
  *"times of a year"(random) {
    const { one } = random;
    const times = `BYHOUR=${upTo(24)};BYMINUTE=${upTo(60)};BYSECOND=${upTo(one([1, 2, 20, 60]))}`;
    const freq = one(["YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU", "MONTHLY;BYMONTHDAY=1,2,3,4,5", "WEEKLY", "DAILY"]);
    const positions = one(["", `;BYSETPOS=${numbers(random, -366, 366)}`]);
    for (;;) yield event("DTSTART:20250101T000000Z", `RRULE:FREQ=${freq};${times}${positions}`);
  },
  *"lists of dates"(random) {
    const { one, below } = random;
    const zone = one(["", `;TZID=${one(zoneNames)}`, ";VALUE=DATE", ";VALUE=PERIOD", ";TZID=Nowhere"]);
    const value = one([
      () => stamp(random),
      () => `${stamp(random)}/PT1H`,
      () => `${stamp(random)}/${stamp(random)}`,
      () => "",
      () => "1",
      () => "/",
    ]);
    const name = one(["EXDATE", "RDATE"]), count = 1 + below(2000), lines = 1 + below(500);
    const values = list(count, value);
    for (;;) yield event(startLine(random), rule(random), ...Array(lines).fill(`${name}${zone}:${values}`));
  },
  *"busy lists"(random) {
    const { one, below } = random;
    const value = one([
      () => `${stamp(random, 2026, 2027)}/PT1M`,
      () => `${stamp(random)}/${stamp(random)}`,
      () => "/",
    ]);
    const values = list(1 + below(5000), value);
    for (;;) yield `BEGIN:VFREEBUSY\nFREEBUSY:${values}\nEND:VFREEBUSY`;
  },
  *"described zones"(random) {
    const { below, one } = random;
    const parts = 1 + below(300);
    for (let i = 0;; i++) {
      const part = () =>
        `BEGIN:STANDARD\nDTSTART:${one(["1000", "1601", "1970", "2025"])}0101T000000\nTZOFFSETFROM:+0100\n` +
        `TZOFFSETTO:+0200\n${one([rule(random), `RDATE:${list(below(300), () => stamp(random))}`])}\nEND:STANDARD`;
      yield `BEGIN:VTIMEZONE\nTZID:Own ${i}\n${upTo(1 + below(parts)).map(part).join("\n")}\nEND:VTIMEZONE`;
      yield event(
        `DTSTART;TZID=Own ${i}:20260325T100000`,
        `DTEND;TZID=Own ${below(i + 1)}:20260325T110000`,
        rule(random),
      );
    }
  },
  *"names of zones"(random) {
    const { one, below, chance } = random;
    const heads = [";A=B".repeat(200), "", ';X="a:b"'];
    for (let i = 0;; i++) {
      if (chance(0.5)) {
        yield `BEGIN:VTIMEZONE\nTZID${one(heads)}:Own ${i}\nX-LIC-LOCATION:${one(zoneNames)}\nEND:VTIMEZONE`;
      }
      const name = one([
        () => one(zoneNames),
        () => `Own ${below(i + 1)}`,
        () => `/x/y/${one(zoneNames)}`,
        () => `Mars/${i}`,
      ])();
      yield event(`DTSTART;TZID=${name}:20260325T100000`, "DURATION:PT1M", rule(random));
    }
  },
  *components(random) {
    const { one, below } = random;
    const kind = one(["VEVENT", "VALARM", "VTIMEZONE", "X", "VFREEBUSY", "VTODO"]);
    const [depth, isOpen] = [1 + below(15), one([true, false])];
    const ends = isOpen ? "" : Array(depth).fill(`\nEND:${kind}`).join("");
    for (;;) yield Array(depth).fill(`BEGIN:${kind}`).join("\n") + ends;
  },
  *attendees(random) {
    const { below, one } = random;
    const lines = upTo(1 + below(3000)).map((i) =>
      one([
        `ATTENDEE;PARTSTAT=DECLINED:mailto:me@example.org`,
        `ATTENDEE;PARTSTAT=DECLINED;CN=${i}:mailto:${i}@example.org`,
        "ATTENDEE;declined",
      ])
    );
    for (;;) yield event("DTSTART:20260325T100000Z", "DURATION:PT1M", ...lines);
  },
  *"replaced occurrences"(random) {
    const { below, one, chance } = random;
    const share = random.one([0.01, 0.5, 0.99]), range = one(["", ";RANGE=THISANDFUTURE"]);
    for (let i = 0;; i++) {
      const uid = `UID:${below(one([1, 3, 1000]))}`;
      const time = new Date(START + i * 60_000).toISOString().replaceAll(/[-:]|\.\d+/g, "");
      const lines = chance(share) ? [`RECURRENCE-ID${range}:${time}`] : [one([rule(random), "RRULE:FREQ=DAILY"])];
      yield event(uid, `SEQUENCE:${below(5)}`, `DTSTART:${time}`, "DURATION:PT1M", ...lines);
    }
  },
  *"events of the window"(random) {
    for (let i = 0;; i++) {
      const time = new Date(START + i * 120_000).toISOString().replaceAll(/[-:]|\.\d+/g, "");
      yield event(`UID:${i}`, `DTSTART:${time}`, "DURATION:PT1M", random.one(["", "RRULE:FREQ=YEARLY"]));
    }
  },
  *"series of a team"(random) {
    const { below } = random;
    for (let i = 0;; i++) {
      yield event(
        `UID:${i}`,
        `DTSTART;TZID=Europe/Berlin:20200101T${10 + below(10)}0000`,
        "DURATION:PT45M",
        "RRULE:FREQ=DAILY",
      );
    }
  },
  *"short lines"(random) {
    const line = random.one([
      "",
      "D",
      "DTSTART",
      "BEGIN",
      "UID:",
      " x",
      "END:VEVENT",
      "x".repeat(40),
      "\t",
      "RRULE:",
      "\r",
    ]);
    for (;;) yield `${line}\n`.repeat(1000);
  },
  *"texts of other scripts"(random) {
    const text = random.one(["\u00e4", "\u{1f600}", "\ufffd", "\u4e2d"]).repeat(1000);
    for (;;) yield event("DTSTART:20260325T100000Z", `DESCRIPTION:${text}`, `UID:${text}`);
  },
};

interface Cost {
  cpuMs: number;
  stepMs: number;
  result: string;
}

/** What this thread has computed, in milliseconds: other processes of a shared machine do not count. */
const cpuTime = () => Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ")[0]) / 1e6;

/** Reads a document, and measures the longest step, in which nothing else of this process ran. */
async function measure(document: Uint8Array[]): Promise<Cost> {
  let cpuMs = 0, stepMs = 0, result = "", last = cpuTime();
  const reading = readIcsBusy(ReadableStream.from(document), WINDOW, {
    timeZone: "Europe/Berlin",
    ownerEmails: ["me@example.org"],
    onCost: (ms) => cpuMs = ms,
  }).then((busy) => `${busy.length} busy times`, (error) => {
    ok(error instanceof CalendarError, String(error));
    return error instanceof CalendarCostError ? "too costly" : error.message;
  });
  reading.then((found) => result = found);
  while (!result) {
    await setImmediate();
    const now = cpuTime();
    stepMs = Math.max(stepMs, now - last);
    last = now;
  }
  return { cpuMs, stepMs, result };
}

function documentOf(kind: Kind, random: SeededRandom, bytes: number): Uint8Array[] {
  const encoder = new TextEncoder(), pieces = [encoder.encode("BEGIN:VCALENDAR\n")];
  let size = 0;
  for (const text of kind(random)) {
    const piece = encoder.encode(`${text}\n`);
    if ((size += piece.length) > bytes) break;
    pieces.push(piece);
  }
  return [...pieces, encoder.encode("END:VCALENDAR\n")];
}

/** The worst of several random calendars. */
async function search(kind: Kind, seed: number) {
  const random = seededRandom(seed), worst = { cpuMs: 0, stepMs: 0 }, results = new Set<string>();
  for (let i = 0; i < SAMPLES; i++) {
    const { cpuMs, stepMs, result } = await measure(documentOf(kind, random, random.below(KILOBYTES) * 1024));
    worst.cpuMs = Math.max(worst.cpuMs, cpuMs);
    worst.stepMs = Math.max(worst.stepMs, stepMs);
    results.add(result.replace(/\d+/, "n"));
  }
  return { ...worst, results };
}

Deno.test("readIcsBusy() computes no calendar for more than a second, and no step for more than 50 ms", async () => {
  await measure(documentOf(KINDS["events of the window"], seededRandom(1), 100_000)); // loads and compiles
  const seed = byScale(1, Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}, on this machine:`);
  const failures: string[] = [];
  for (const [name, kind] of Object.entries(KINDS)) {
    const { cpuMs, stepMs, results } = await search(kind, seed);
    const line = `${name}: ${cpuMs.toFixed()} ms in all, ${stepMs.toFixed()} ms at once (${[...results].join(", ")})`;
    console.log(line);
    if (cpuMs > SLACK * MAX_CPU_MS || stepMs > SLACK * MAX_STEP_MS) failures.push(line);
  }
  ok(failures.length === 0, failures.join("\n"));
});

const MB = 1024 * 1024, MAX_MEMORY_MB = 35;

/** Old meetings as programs write them, some of which still repeat. */
function* history(): Generator<string> {
  for (let i = 0;; i++) {
    const time = new Date(Date.UTC(2000, 0, 1) + i * 3_600_000).toISOString().replaceAll(/[-:]|\.\d+/g, "");
    yield event(
      `DTSTART:${time}`,
      "DURATION:PT15M",
      `UID:${i}-${crypto.randomUUID()}@calendars.test`,
      "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;CN=Ana:mailto:",
      " ana@example.org",
      `DESCRIPTION:${"What we said in the last meeting\\, and what we did since. ".repeat(6)}`,
      "SEQUENCE:1",
      "STATUS:CONFIRMED",
      i % 40 ? "SUMMARY:Meeting" : "RRULE:FREQ=YEARLY",
    );
  }
}

Deno.test("readIcsBusy() reads 50 MB of history within its second and in little memory", async () => {
  const document = documentOf(history, seededRandom(1), 49.9 * MB);
  const all = new Uint8Array(await new Blob(document).arrayBuffer());
  document.length = 0;
  const pieces = function* () {
    for (let at = 0; at < all.length; at += 16_384) yield all.subarray(at, at + 16_384);
  };
  const idle = Deno.memoryUsage().rss;
  let peak = idle, cpuMs = 0;
  const sampler = setInterval(() => peak = Math.max(peak, Deno.memoryUsage().rss), 1);
  const began = cpuTime();
  const busy = await readIcsBusy(ReadableStream.from(pieces()), WINDOW, {
    timeZone: "Europe/Berlin",
    maxCpuMs: SLACK * MAX_CPU_MS,
    onCost: (ms) => cpuMs = ms,
  });
  clearInterval(sampler);
  const memory = (peak - idle) / MB, computed = cpuTime() - began;
  console.log(
    `${(all.length / MB).toFixed()} MB: ${computed.toFixed()} ms of this thread, ${cpuMs.toFixed()} ms of slices, ` +
      `${memory.toFixed()} MB over idle, ${busy.length} busy times`,
  );
  ok(busy.length > 500);
  ok(memory < MAX_MEMORY_MB, `${memory} MB`);
  ok(computed < MAX_CPU_MS, `${computed} ms`);
});
