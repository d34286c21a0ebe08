// Uploaded transcripts of each type: sniffing, what is stored, conversions, and round trips of random cues.
import { deepStrictEqual as deepEqual, rejects, strictEqual as equal } from "node:assert";
import type { Cue } from "../../../functions/media/transcripts/cue.ts";
import {
  checkTranscript,
  convertTranscript,
  openTranscript,
  type TranscriptType,
} from "../../../functions/media/transcripts/formats.ts";
import { parseJsonTranscript, writeJsonTranscript } from "../../../functions/media/transcripts/json_transcript.ts";
import { parseSrt, writeSrt } from "../../../functions/media/transcripts/srt.ts";
import { parseVtt, writeVtt } from "../../../functions/media/transcripts/vtt.ts";
import { seededRandom } from "../../random.ts";
import { byScale } from "../../scale.ts";

/** The stored type, text and codes of warnings. */
async function store(declared: string | undefined, text: string) {
  const opened = await openTranscript(declared, new TextEncoder().encode(text));
  const { bytes, warnings } = await checkTranscript(opened);
  return { type: opened.type, text: new TextDecoder().decode(bytes), codes: warnings.map(({ code }) => code) };
}

const check = async (type: TranscriptType, text: string) => (await store(type, text)).text;

const SAMPLES: Record<TranscriptType, string> = {
  "text/vtt": "WEBVTT\r\n\r\n00:00.000 --> 00:01.000\r\nHi",
  "application/x-subrip": "1\n00:00:00,000 --> 00:00:01,000\nHi",
  "application/json": '{"version": "1", "segments": [{"startTime": 0, "body": "Hi"}]}',
  "text/html": "<p>Hi</p>",
  "text/plain": "Hi",
};
const types = Object.keys(SAMPLES) as TranscriptType[];

Deno.test("checkTranscript returns each type as it is, without a byte order mark", async () => {
  for (const type of types) equal(await check(type, `\ufeff${SAMPLES[type]}`), SAMPLES[type]);
});

Deno.test("openTranscript names the type of the bytes if another was declared, except that of a web page and of prose", async () => {
  for (const declared of types) {
    for (const actual of types) {
      const isKept = declared === actual || declared === "text/plain" && /json|html/.test(actual);
      if (isKept) {
        deepEqual(await store(declared, SAMPLES[actual]), { type: declared, text: SAMPLES[actual], codes: [] });
      } else if (actual === "text/html") {
        await rejects(store(declared, SAMPLES[actual]), {
          status: 400,
          message: "Invalid content type",
          extras: { code: "INVALID_CONTENT_TYPE", details: `Declared as ${declared}, but the data is ${actual}` },
        });
      } else if (actual !== "text/plain") {
        deepEqual(await store(declared, SAMPLES[actual]), {
          type: actual,
          text: SAMPLES[actual],
          codes: ["TYPE_CORRECTED"],
        });
      } else if (declared !== "text/html") await rejects(store(declared, SAMPLES[actual]), { status: 400 });
    }
  }
});

Deno.test("openTranscript names the type of the bytes without a warning if none was declared", async () => {
  for (const type of types) deepEqual(await store(undefined, SAMPLES[type]), { type, text: SAMPLES[type], codes: [] });
});

Deno.test("checkTranscript accepts plain text that looks like markup", async () => {
  for (const text of ["[Music] Hi", "{laughs}", "<Ana> Hi", "7\nlines"]) equal(await check("text/plain", text), text);
});

Deno.test("checkTranscript returns 400 INVALID_TRANSCRIPT with the line for invalid files of each type", async () => {
  const cases: [TranscriptType, string, RegExp][] = [
    ["text/vtt", "WEBVTT\n\nHi", /^Line 3: expected the times/],
    ["text/vtt", "Hi", /^Line 1: expected WEBVTT/],
    ["application/x-subrip", "Hi", /^Line 1: expected the times/],
    ["application/json", "{", /^Line 1: expected valid JSON$/],
    ["text/html", "<p> </p>", /^Line 1: expected visible text/],
    ["text/html", "<script>alert(1)</script>", /^Line 1: expected visible text/],
    ["text/html", `<p>Hi${"<br>".repeat(30_000)}`, /^Line 1: expected visible text with at most 30000 tags/],
    ["text/plain", " \n\u200b", /^Line 1: expected visible text$/],
  ];
  for (const [type, text, details] of cases) {
    await rejects(check(type, text), (error: { status: number; extras: { code: string; details: string } }) => {
      deepEqual([error.status, error.extras.code], [400, "INVALID_TRANSCRIPT"]);
      return details.test(error.extras.details);
    }, text.slice(0, 50));
  }
});

Deno.test("checkTranscript reduces HTML to an allow-list with cite, time and p", async () => {
  equal(
    await check(
      "text/html",
      `<!DOCTYPE html><html><head><title>No</title><style>p{}</style></head><body onload="x()">
<cite>Kevin:</cite> <time datetime="PT9S" onclick="x()">0:09</time>
<p style="color:red">Hi <a href="javascript:x()">there</a><img src=x onerror=x()></p></body></html>`,
    ),
    `<cite>Kevin:</cite> <time datetime="PT9S">0:09</time>
<p>Hi <a>there</a></p>`,
  );
});

Deno.test("checkTranscript accepts HTML of a long conversation", async () => {
  const turn = "<cite>Kevin:</cite><time>0:00</time><p>We have an update.</p>";
  equal(await check("text/html", turn.repeat(4_999)), turn.repeat(4_999));
});

Deno.test("convertTranscript converts each type with times into each other", () => {
  equal(
    convertTranscript(SAMPLES["text/vtt"], "text/vtt", "application/x-subrip"),
    "1\n00:00:00,000 --> 00:00:01,000\nHi\n",
  );
  equal(
    convertTranscript(SAMPLES["application/x-subrip"], "application/x-subrip", "text/vtt"),
    "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHi\n",
  );
  equal(
    convertTranscript(SAMPLES["text/vtt"], "text/vtt", "application/json"),
    '{"version":"1.0.0","segments":[{"startTime":0,"endTime":1,"body":"Hi"}]}',
  );
  equal(
    convertTranscript(SAMPLES["application/json"], "application/json", "text/vtt"),
    "WEBVTT\n\n00:00:00.000 --> 00:00:05.000\nHi\n",
  );
});

const WORDS = [
  "Hello",
  "&",
  "<",
  ">",
  "a<b",
  "-->",
  "&amp;",
  "7",
  "00:00:01,000",
  "NOTE",
  "WEBVTT",
  "ü",
  "😀",
  "{x}",
  "\\",
];

/** Random cues in order, with at least a millisecond each. */
function randomCues(seed: number, { withArrows }: { withArrows: boolean }): Cue[] {
  const { below, chance, one } = seededRandom(seed);
  const words = WORDS.filter((word) => withArrows || word !== "-->");
  const line = () => Array.from({ length: 1 + below(4) }, () => one(words)).join(" ");
  const text = () => Array.from({ length: 1 + below(3) }, line).join("\n");
  let startMs = 0;
  return Array.from({ length: below(20) + 1 }, () => {
    startMs += below(5) * below(1e6);
    return {
      startMs,
      endMs: startMs + 1 + below(5000),
      voices: Array.from({ length: 1 + below(2) }, () => ({ ...chance(0.5) && { speaker: line() }, text: text() })),
    };
  });
}

/** What a format without voices keeps of a cue. */
const withoutVoices = (cues: Cue[]) =>
  cues.map(({ voices, ...cue }) => ({
    ...cue,
    voices: [{ text: voices.map(({ speaker, text }) => speaker ? `${speaker}: ${text}` : text).join("\n") }],
  }));

/** A voice without a name is not told from the one before it. */
const withSpeakers = (cues: Cue[]) =>
  cues.map((cue) => ({
    ...cue,
    voices: cue.voices.length > 1 ? cue.voices.map((voice) => ({ speaker: "A", ...voice })) : cue.voices,
  }));

Deno.test("random cues keep times, voices and text through WebVTT and JSON, and text with names through SubRip", () => {
  for (let seed = 1; seed <= byScale(120, 20_000); seed++) {
    const cues = withSpeakers(randomCues(seed, { withArrows: true })), name = `seed ${seed}`;
    deepEqual(parseVtt(writeVtt(cues)), cues, name);
    deepEqual(
      parseJsonTranscript(writeJsonTranscript(cues)),
      cues.flatMap(({ voices, ...cue }) => voices.map((voice) => ({ ...cue, voices: [voice] }))),
      name,
    );
    const plain = withoutVoices(withSpeakers(randomCues(seed, { withArrows: false })));
    const srt = writeSrt(plain), vtt = convertTranscript(srt, "application/x-subrip", "text/vtt");
    deepEqual(parseSrt(srt), plain, name);
    deepEqual(parseVtt(vtt), plain, name);
    equal(convertTranscript(vtt, "text/vtt", "application/x-subrip"), srt, name);
  }
});

Deno.test("damaged files raise nothing but an error that names a line", async () => {
  for (let seed = 1; seed <= byScale(200, 20_000); seed++) {
    const { below, one } = seededRandom(seed), type = one(types);
    const bytes = new TextEncoder().encode(SAMPLES[type].repeat(1 + below(3)));
    for (let damages = below(4); damages >= 0; damages--) bytes[below(bytes.length)] = one([...bytes, 0, 0xff, 0x0d]);
    try {
      await checkTranscript(await openTranscript(type, bytes));
    } catch (error) {
      const { status, extras } = error as { status: number; extras: { details: string } };
      deepEqual([status, /^(?:Line \d+: |Declared as )/.test(extras?.details)], [400, true], `seed ${seed}: ${error}`);
    }
  }
});
