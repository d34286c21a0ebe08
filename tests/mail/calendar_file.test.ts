// Calendar files of emails, read by a strict reader of content lines (RFC 5545, section 3.1) that shares no code with
// the library that writes them.
import assert from "node:assert/strict";
import { type CalendarEvent, renderCalendarFile } from "../../functions/mail/calendar_file.ts";

interface Line {
  name: string;
  parameters: Record<string, string>;
  value: string;
}

const CONTROLS = /(?!\t)\p{Cc}/u;
const LINE = /^([A-Z-]+)((?:;[A-Z-]+=(?:"[^"]*"|[^";:,]*))*):(.*)$/su;

function readLines(file: string): Line[] {
  assert.ok(file.endsWith("\r\n"), "the last line ends as the others");
  const folded = file.slice(0, -2).split("\r\n");
  for (const line of folded) {
    assert.ok(new TextEncoder().encode(line).length <= 75, `at most 75 bytes: ${line}`);
    assert.ok(line.isWellFormed(), `no split character: ${line}`);
  }
  return folded.join("\r\n").replaceAll("\r\n ", "").split("\r\n").map((line) => {
    assert.doesNotMatch(line, CONTROLS);
    const [, name, parameters, value] = line.match(LINE) ?? assert.fail(`not a content line: ${line}`);
    return {
      name,
      value,
      parameters: Object.fromEntries(
        [...parameters.matchAll(/;([A-Z-]+)=(?:"([^"]*)"|([^;]*))/g)].map(([, key, quoted, plain]) => [
          key,
          (quoted ?? plain).replace(/\^(['n^])/g, (_, c) => ({ "'": '"', "n": "\n", "^": "^" })[c as "n"]!),
        ]),
      ),
    };
  });
}

/** A text has no comma, semicolon or backslash without its escape. */
function textOf(value: string): string {
  assert.match(value, /^(?:[^\\;,]|\\[\\;,nN])*$/su);
  return value.replace(/\\(.)/gsu, (_, c) => c.toLowerCase() === "n" ? "\n" : c);
}

const event: CalendarEvent = {
  uid: "booking-0190c9a0-0000-7000-8000-000000000000@casts.test",
  method: "REQUEST",
  status: "TENTATIVE",
  sequence: 0,
  start: "2026-03-29T02:30:00.000+02:00",
  end: "2026-03-29T01:30:00Z",
  summary: "Recording for Night Trains",
  description: null,
  organizer: { name: "Night Trains", email: "host@people.test" },
  attendee: { email: "ida@guests.test" },
  createdAt: "2026-03-01T10:00:00.987654+00:00",
};

async function read(changes: Partial<CalendarEvent> = {}) {
  const { content, ...rest } = await renderCalendarFile({ ...event, ...changes });
  const lines = readLines(content);
  const one = (name: string) => {
    const found = lines.filter((line) => line.name === name);
    assert.equal(found.length, 1, name);
    return found[0];
  };
  return { ...rest, content, lines, one, text: (name: string) => textOf(one(name).value) };
}

Deno.test("a calendar file has the properties of an invitation, in UTC, and nothing else", async () => {
  const { filename, contentType, lines } = await read();
  assert.deepEqual([filename, contentType], ["invite.ics", "text/calendar; charset=utf-8; method=REQUEST"]);
  assert.deepEqual(lines.map(({ name, parameters, value }) => [name, parameters, value]), [
    ["BEGIN", {}, "VCALENDAR"],
    ["VERSION", {}, "2.0"],
    ["PRODID", {}, "-//Castbase//Castbase//EN"],
    ["METHOD", {}, "REQUEST"],
    ["BEGIN", {}, "VEVENT"],
    ["UID", {}, event.uid],
    ["DTSTAMP", {}, "20260301T100000Z"],
    ["DTSTART", {}, "20260329T003000Z"],
    ["DTEND", {}, "20260329T013000Z"],
    ["SEQUENCE", {}, "0"],
    ["STATUS", {}, "TENTATIVE"],
    ["SUMMARY", {}, event.summary],
    ["ORGANIZER", { CN: "Night Trains" }, "mailto:host@people.test"],
    ["ATTENDEE", { ROLE: "REQ-PARTICIPANT", PARTSTAT: "ACCEPTED", RSVP: "FALSE" }, "mailto:ida@guests.test"],
    ["END", {}, "VEVENT"],
    ["END", {}, "VCALENDAR"],
  ]);
});

Deno.test("a calendar file that cancels has the same uid, the method CANCEL and a link", async () => {
  const { contentType, one } = await read({
    method: "CANCEL",
    status: "CANCELLED",
    sequence: 7,
    url: "https://casts.test/b?a=1;b,c",
  });
  assert.equal(contentType, "text/calendar; charset=utf-8; method=CANCEL");
  assert.deepEqual(["METHOD", "STATUS", "SEQUENCE", "UID", "URL"].map((name) => one(name).value), [
    "CANCEL",
    "CANCELLED",
    "7",
    event.uid,
    "https://casts.test/b?a=1;b,c",
  ]);
});

const HOSTILE =
  'A;B,C\\D\\nE "quoted" ^n ^\' :x\r\nATTENDEE:mailto:eve@evil.test\nEND:VEVENT\rX:1\u2028Y\u0000\u0007\u202e\ud83d';

Deno.test("texts of people stay texts", async () => {
  const { text, one } = await read({
    summary: HOSTILE,
    description: HOSTILE,
    location: HOSTILE,
    organizer: { name: HOSTILE, email: "host@people.test" },
    attendee: { name: HOSTILE, email: "ida@guests.test" },
  });
  assert.equal(
    text("DESCRIPTION"),
    'A;B,C\\D\\nE "quoted" ^n ^\' :x\nATTENDEE:mailto:eve@evil.test\nEND:VEVENT\nX:1\nY\ufffd',
  );
  const line = "A;B,C\\D\\nE 'quoted' ^n ^' :x ATTENDEE:mailto:eve@evil.test END:VEVENT X:1 Y \ufffd";
  for (const name of ["SUMMARY", "LOCATION"]) assert.equal(text(name), line.replaceAll("'quoted'", '"quoted"'));
  assert.equal(one("ORGANIZER").parameters.CN, line.slice(0, 99).trimEnd());
  assert.deepEqual(one("ATTENDEE").value, "mailto:ida@guests.test");
});

Deno.test("long texts in any script are folded between characters, and none is lost", async () => {
  for (const character of ["x", "é", "語", "😀", "👨‍👩‍👧", ";", "\\", "\n"]) {
    const description = `[${character.repeat(4000)}]`;
    const { text } = await read({ description });
    assert.equal(text("DESCRIPTION"), description, character);
  }
});

Deno.test("each attempt attaches the same bytes", async () => {
  assert.equal((await read()).content, (await read()).content);
});
