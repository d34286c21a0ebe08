// What the XML of a hostile CalDAV server costs: computing time, the longest step of the event loop, and memory.
import { ok } from "node:assert";
import { setImmediate } from "node:timers/promises";
import { readMultistatus, XML_PIECE_BYTES } from "../../functions/calendars/caldav/dav_xml.ts";
import { CalendarError } from "../../functions/calendars/calendar_error.ts";
import { readText } from "../../functions/calendars/calendar_request.ts";
import { createComputation } from "../../functions/calendars/icalendar/computation.ts";

const MB = 1024 * 1024, BYTES = 49 * MB;
/** What a machine that is shared may add. */
const MAX_CPU_MS = 1000, SLACK = 5, MAX_STEP_MS = 50, MAX_MEMORY_MB = 150;

const ROOT = '<D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">';
const list = (count: number, value: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => value(i)).join("");
const response = (content: string) => `<D:response><D:propstat><D:prop>${content}</D:prop></D:propstat></D:response>`;
const deep = (content: string) => `<a ${list(500, (i) => `xmlns:n${i}="u" `)}>`.repeat(25) + content;

/** How each document begins, and what it repeats. */
const HOSTILE: Record<string, [head: string, unit: string]> = {
  elements: [ROOT, "<a/>"],
  "elements of a response": [`${ROOT}<D:response><D:propstat><D:prop>`, "<a/>"],
  responses: [ROOT, response("<C:calendar-data>BEGIN:VCALENDAR</C:calendar-data>")],
  "large responses": [ROOT, response("<a/>".repeat(9000))],
  attributes: [`${ROOT}<a `, list(9000, (i) => `a${i}="" `)],
  "attributes with a namespace": [`${ROOT}<a `, list(9000, (i) => `D:a${i}="" `)],
  namespaces: [`${ROOT}<a `, list(9000, (i) => `xmlns:a${i}="u" `)],
  "nested namespaces": [ROOT + deep(""), '<a D:b="1" D:c="2"/>'],
  "a long namespace": [`${ROOT}<l:b xmlns:l="${"u".repeat(MB)}">`, "<l:a/>"],
  entities: [`${ROOT}<D:response><a>`, "&amp;"],
  text: [`${ROOT}<D:response><a>`, "x"],
  cdata: [`${ROOT}<D:response><a>`, "<![CDATA[x]]>"],
  comments: [ROOT, "<!---->"],
  "a comment": [`${ROOT}<!--`, "x "],
  "a name": [`${ROOT}<`, "x"],
  instructions: [ROOT, "<?a b?>"],
};

const cpuTime = () => Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ")[0]) / 1e6;

function documentOf([head, unit]: [string, string]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder(), chunk = encoder.encode(unit.repeat(Math.ceil(64 * 1024 / unit.length)));
  let sent = 0;
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    pull(controller) {
      if ((sent += chunk.length) < BYTES) controller.enqueue(chunk);
      else controller.close();
    },
  }, { highWaterMark: 0 });
}

async function measure(document: [string, string]) {
  const computation = createComputation({ maxCpuMs: SLACK * MAX_CPU_MS }), before = cpuTime();
  let stepMs = 0, last = before, result = "", memory = 0;
  const start = Deno.memoryUsage().heapUsed;
  readMultistatus(readText(documentOf(document), computation, XML_PIECE_BYTES), computation.spend, () => {})
    .then(() => result = "read", (error) => {
      ok(error instanceof CalendarError, String(error));
      result = error.message;
    });
  while (!result) {
    await setImmediate();
    const now = cpuTime();
    stepMs = Math.max(stepMs, now - last);
    last = now;
    memory = Math.max(memory, Deno.memoryUsage().heapUsed - start);
  }
  return { cpuMs: cpuTime() - before, stepMs, memoryMb: memory / MB, result };
}

Deno.test("readMultistatus() takes little time, short steps and little memory for hostile documents", async () => {
  await measure(HOSTILE.responses); // loads and compiles
  const failures: string[] = [];
  for (const [name, document] of Object.entries(HOSTILE)) {
    const { cpuMs, stepMs, memoryMb, result } = await measure(document);
    const line = `${name}: ${cpuMs.toFixed()} ms in all, ${stepMs.toFixed()} ms at once, ${memoryMb.toFixed()} MB ` +
      `(${result})`;
    console.log(line);
    if (cpuMs > SLACK * MAX_CPU_MS || stepMs > SLACK * MAX_STEP_MS || memoryMb > MAX_MEMORY_MB) failures.push(line);
  }
  ok(failures.length === 0, failures.join("\n"));
});
