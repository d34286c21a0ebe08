// Random files as careless programs write them, damaged and hostile ones: what is stored needs no repair, and no text
// with readable times is lost.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import type { Cue } from "../../../functions/media/transcripts/cue.ts";
import { checkTranscript, openTranscript, type TranscriptType } from "../../../functions/media/transcripts/formats.ts";
import { parseJsonTranscript } from "../../../functions/media/transcripts/json_transcript.ts";
import { Repairs } from "../../../functions/media/transcripts/repairs.ts";
import { parseSrt } from "../../../functions/media/transcripts/srt.ts";
import { parseVtt } from "../../../functions/media/transcripts/vtt.ts";
import { type SeededRandom, seededRandom } from "../../random.ts";
import { byScale } from "../../scale.ts";

const PARSERS: Partial<Record<string, (text: string, repairs: Repairs) => Cue[]>> = {
  "text/vtt": parseVtt,
  "application/x-subrip": parseSrt,
  "application/json": parseJsonTranscript,
};

async function store(declared: string | undefined, bytes: Uint8Array) {
  const opened = await openTranscript(declared, bytes), file = await checkTranscript(opened);
  return { type: opened.type, text: new TextDecoder().decode(file.bytes), warnings: file.warnings };
}

const encode = (text: string) => new TextEncoder().encode(text);

/** Asserts that a stored file needs no repair and has ordered cues, and returns them. */
async function cuesOf({ type, text }: { type: string; text: string }, name: string): Promise<Cue[] | undefined> {
  deepEqual(await store(type, encode(text)), { type, text, warnings: [] }, name);
  const repairs = new Repairs(), cues = PARSERS[type]?.(text, repairs);
  deepEqual(repairs.list(), [], name);
  cues?.forEach(({ startMs, endMs }, i) => {
    ok(endMs > startMs && startMs >= (cues[i - 1]?.startMs ?? 0), `${name}: cue ${i}`);
  });
  return cues;
}

/** A time in one of the ways that programs write it. */
function sloppyTime(ms: number, { one, chance }: SeededRandom, fraction: string): string {
  const seconds = Math.floor(ms / 1000), pad = (value: number) => String(value).padStart(chance(0.7) ? 2 : 1, "0");
  const hours = seconds >= 3600 || chance(0.5) ? `${pad(Math.floor(seconds / 3600))}:` : "";
  return `${hours}${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}${fraction}` +
    String(ms % 1000).padStart(3, "0") + one(["", "0", "999"]);
}

interface SloppyCue {
  startMs: number;
  endMs: number;
  lines: string[];
}

/** Cues out of order, without duration, and with lines that look like something else. */
function sloppyCues({ below, chance, one }: SeededRandom): SloppyCue[] {
  return Array.from({ length: 1 + below(12) }, (_, n) => {
    const startMs = chance(0.8) ? n * 5000 : below(7_200_000);
    const line = () =>
      one(["Hello", "<i>there</i>", "7 days", "Ana: Hi", "a < b & c", "{\\an8}up", "- So -"]) + ` w${below(1e6)}`;
    return {
      startMs,
      endMs: chance(0.8) ? startMs + 1 + below(4000) : Math.max(0, startMs - below(2000)),
      lines: Array.from({ length: 1 + below(3) }, line),
    };
  });
}

/** Lines with misplaced empty lines between them. */
function sloppyText(cues: SloppyCue[], random: SeededRandom, type: "vtt" | "srt" | "sbv"): string {
  const { one, chance } = random, newLine = one(["\n", "\r\n", "\r"]);
  const isNumbered = type === "srt" && chance(0.7), fraction = type === "sbv" ? "." : one([".", ","]);
  const arrow = type === "sbv" ? () => "," : () => one([" --> ", "-->", "\t-->  "]);
  const lines: string[] = type === "vtt" ? one([["WEBVTT"], ["webvtt", ""], ["", "WEBVTT - x", "Kind: y", ""]]) : [];
  const time = (ms: number) => type === "sbv" ? sbvTime(ms) : sloppyTime(ms, random, fraction);
  cues.forEach(({ startMs, endMs, lines: text }, n) => {
    if (isNumbered) lines.push(`${n + 1}`);
    else if (type === "vtt" && chance(0.2) && lines.at(-1) === "") lines.push(`id ${n}`);
    const settings = type === "vtt" ? one(["", " align:start", " colour:red A:1"]) : "";
    lines.push(`${time(startMs)}${arrow()}${time(endMs)}${settings}`);
    for (const line of text) {
      if (chance(0.1)) lines.push("");
      lines.push(line);
    }
    if (chance(0.9)) lines.push("");
    if (chance(0.1)) lines.push("", "");
    if (type === "vtt" && chance(0.1) && lines.at(-1) === "") lines.push("STYLE", "::cue {}", "");
  });
  return lines.join(newLine);
}

const sbvTime = (ms: number) =>
  [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60].map((part, i) =>
    i ? String(part).padStart(2, "0") : part
  ).join(":") + `.${String(ms % 1000).padStart(3, "0")}`;

const sloppyJson = (cues: SloppyCue[], { one, chance }: SeededRandom) =>
  JSON.stringify({
    ...chance(0.5) && { version: "1.0.0" },
    segments: cues.map(({ startMs, endMs, lines }) => {
      const [start, end] = [startMs, endMs].map((ms) => one([ms / 1000, String(ms / 1000)])), text = lines.join("\n");
      return chance(0.5) ? { start, end, text } : { startTime: start, endTime: one([end, null]), body: text };
    }),
  });

/** The last word of each line is unique. */
const wordsOf = (text: string) => text.match(/\bw\d+/g)?.sort();

Deno.test("sloppy files are stored with all their text, ordered, and need no repair afterwards", async () => {
  for (let seed = 1; seed <= byScale(150, 20_000); seed++) {
    const random = seededRandom(seed), cues = sloppyCues(random);
    const [type, text]: [TranscriptType | undefined, string] = random.one([
      ["text/vtt", sloppyText(cues, random, "vtt")],
      ["application/x-subrip", sloppyText(cues, random, "srt")],
      [undefined, sloppyText(cues, random, "sbv")],
      ["application/json", sloppyJson(cues, random)],
    ]);
    const name = `seed ${seed}:\n${text}`, stored = await store(type, encode(text)), found = await cuesOf(stored, name);
    equal(stored.type, type ?? "text/vtt", name);
    equal(found!.length, cues.length, name);
    deepEqual(found!.map(({ startMs }) => startMs), cues.map(({ startMs }) => startMs).sort((a, b) => a - b), name);
    deepEqual(wordsOf(stored.text), wordsOf(text), name);
  }
});

Deno.test("damaged sloppy files are stored so that they need no repair, or are 400 with a line", async () => {
  for (let seed = 1; seed <= byScale(150, 20_000); seed++) {
    const random = seededRandom(seed), { below, one } = random, cues = sloppyCues(random);
    const type = one([undefined, "text/vtt", "application/x-subrip", "application/json", "text/plain"]);
    const bytes = encode(
      one([sloppyJson(cues, random), sloppyText(cues, random, one(["vtt", "srt", "sbv"] as const))]),
    );
    for (let damages = below(9); damages >= 0; damages--) {
      bytes[below(bytes.length)] = one([...encode("\0\n\n\r ->0:9,.<&{w"), one([...bytes])]);
    }
    const name = `seed ${seed}: ${JSON.stringify(new TextDecoder().decode(bytes))}`;
    try {
      const stored = await store(type, bytes);
      if (PARSERS[stored.type]) await cuesOf(stored, name);
    } catch (error) {
      const { status, extras } = error as { status?: number; extras: { details: string } };
      if (status !== 400) throw error;
      ok(/^(?:Line \d+: |Declared as )/.test(extras.details), name);
    }
  }
});

Deno.test("hostile files of five megabytes are read in linear time", async () => {
  const vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n", srt = "1\n00:00:01,000 --> 00:00:02,000\n";
  const files: [type: string, beginning: string, part: string][] = [
    ["text/vtt", vtt, "1:-->\n"],
    ["text/vtt", vtt, "00:01.0-->00:02.0 a:b\n"],
    ["text/vtt", vtt, "1:1-->"],
    ["text/vtt", vtt.trimEnd(), " a:b"],
    ["text/vtt", vtt, "x\n\n"],
    ["text/vtt", vtt, "a\0"],
    ["text/vtt", `${vtt}Hi\n\n`, "STYLE\nx\n\n"],
    ["application/x-subrip", srt, "7\n\n"],
    ["application/x-subrip", srt, "7"],
    ["application/x-subrip", `${srt}Hi\n\n`, " "],
    ["application/x-subrip", `${srt}Hi\n\n00:00:01,000`, " "],
    ["application/json", '{"segments": [{"startTime": 0, "body": ""}', ', {"start": 1}'],
    ["text/plain", "0:00:01.000,0:00:02.000\n", "[br]"],
    ["text/plain", "0:01 a\n0:02 b\n", "Ana Bell, Bo and others (0:03\n"],
    ["text/plain", "0:01 a\n0:02 b\n0:03", " "],
    ["text/plain", "Ana", " 0:01"],
    ["text/plain", "", "a:\n"],
    ["text/plain", "", "*: 0:01\n"],
  ];
  for (const [type, beginning, part] of files) {
    const isJson = type === "application/json", length = Math.floor(5e6 / part.length);
    const text = beginning + part.repeat(length) + (isJson ? "]}" : "");
    await store(type, encode(text)).catch(({ status }) => equal(status, 400));
  }
});
