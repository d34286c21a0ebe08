// JSON transcripts of the podcast namespace: values, the line of each error, and hostile files.
import { deepStrictEqual as deepEqual, strictEqual as equal, throws } from "node:assert";
import { parseJsonTranscript, writeJsonTranscript } from "../../../functions/media/transcripts/json_transcript.ts";
import { Repairs } from "../../../functions/media/transcripts/repairs.ts";

const file = (...segments: unknown[]) => JSON.stringify({ version: "1.0.0", segments }, null, 2);
const segment = { speaker: "Ana", startTime: 0.5, endTime: 0.75, body: "I" };

Deno.test("parseJsonTranscript reads segments, and ends one without an end when a later one starts, the last after 5 seconds", () => {
  const repairs = new Repairs();
  deepEqual(
    parseJsonTranscript(
      file(
        segment,
        { startTime: 1, body: " am\n\nyour " },
        { speaker: " B  b ", startTime: 1, body: "" },
        { ...segment, speaker: null, startTime: 2.0004, endTime: null, extra: [1] },
        { startTime: 9, body: "end" },
      ),
      repairs,
    ),
    [
      { startMs: 500, endMs: 750, voices: [{ speaker: "Ana", text: "I" }] },
      { startMs: 1000, endMs: 2000, voices: [{ text: "am\nyour" }] },
      { startMs: 1000, endMs: 2000, voices: [{ speaker: "B b", text: "" }] },
      { startMs: 2000, endMs: 9000, voices: [{ text: "I" }] },
      { startMs: 9000, endMs: 14_000, voices: [{ text: "end" }] },
    ],
  );
  deepEqual(repairs.list(), []);
});

Deno.test("parseJsonTranscript leaves unreadable segments out and names their lines, or the first one's if all are", () => {
  const problems: [unknown, string][] = [
    [7, ": expected an object"],
    [[], ": expected an object"],
    [{ ...segment, startTime: undefined }, ".startTime: expected seconds, from 0"],
    [{ ...segment, startTime: "now" }, ".startTime: expected seconds, from 0"],
    [{ ...segment, startTime: -1 }, ".startTime: expected seconds, from 0"],
    [{ ...segment, startTime: 1e6 }, ".startTime: expected seconds, from 0"],
    [{ ...segment, body: null }, ".body: expected text"],
  ];
  for (const [wrong, problem] of problems) {
    const repairs = new Repairs();
    equal(parseJsonTranscript(file(segment, wrong), repairs).length, 1);
    deepEqual(repairs.list().map(({ code, lines }) => [code, lines]), [["CUE_DROPPED", [10]]]);
    throws(() => parseJsonTranscript(file(wrong, 7)), { message: `Line 4: segments[0]${problem}` });
  }
});

Deno.test("parseJsonTranscript finds the line of a segment among strings, nested values and members of one name", () => {
  const text = `{"segments": [1, 2],
"version": "1", "a": ["segments", {"segments": [[0]]}], "se\\u0067ments":
[{"body": "]}\\"\\\\", "startTime": 0},
  {"body": "[{", "startTime": 1, "x": [{}, [1,
  2]]},

  {"body": 5}]}`;
  const repairs = new Repairs();
  parseJsonTranscript(text, repairs);
  equal(repairs.firstLine("CUE_DROPPED"), 7);
});

Deno.test("parseJsonTranscript names the line of malformed JSON, deep JSON and a missing list", () => {
  const errors: [string, string | RegExp][] = [
    ["", "Line 1: expected valid JSON"],
    ['{"version": "1",\n"segments": [\n}', "Line 3: expected valid JSON"],
    ['{\n"segments": "\n', "Line 2: expected valid JSON"],
    ['{\n"version": "1"\n', "Line 3: expected valid JSON"],
    ['{"version": "1",\n"segments": [\n{"startTime": 1,},\n{}]}', "Line 3: expected valid JSON"],
    ['{"version": "1",\n"segments": [[], [1], {}, -1,\n,\n{}]}', "Line 3: expected valid JSON"],
    ['{"version": "1",\n"segments": [\n{"body": tru, "more": "\\"]"},\n{}]}\n', "Line 3: expected valid JSON"],
    ['{"version": "1",\n"segments": [\n{"body": "[\\\\", "startTime": nul\n},\n{}]}', "Line 3: expected valid JSON"],
    ['{"version": "1",\n"segments": [\n{"startTime": NaN},\n{}]}', "Line 3: expected valid JSON"],
    ['{"version": "1",\n"segments": [\n1, ],\n"more": []}', "Line 3: expected valid JSON"],
    ['{"version": "1",\n"segments": [\n{} {}\n]}', "Line 3: expected valid JSON"],
    ['{"version": "1",\n"segments": [\n{"a": "\n"}\n]}', "Line 3: expected valid JSON"],
    ["Text\ninstead\n", "Line 1: expected valid JSON"],
    ["[".repeat(100_000), "Line 1: JSON can have at most 16 levels"],
    [`{"segments": ${"[".repeat(2_500_000)}${"]".repeat(2_500_000)}}`, "Line 1: JSON can have at most 16 levels"],
    ["null", "Line 1: expected an object with the list segments"],
    ["[]", "Line 1: expected an object with the list segments"],
    ['{"segments": {}}', "Line 1: expected an object with the list segments"],
    ['{"version": "1", "segments": []}', "Line 1: expected at least one segment"],
  ];
  for (const [text, message] of errors) throws(() => parseJsonTranscript(text), { message }, text.slice(0, 50));
});

Deno.test("parseJsonTranscript finds the line of an error after five megabytes", () => {
  for (const filler of ['"\\\\"'.slice(1, 3).repeat(2e6), "\\n".repeat(2e6), "x".repeat(5e6)]) {
    throws(() => parseJsonTranscript(`{"version": "1", "filler": "${filler}", "segments": [\n7]}`), {
      message: "Line 2: segments[0]: expected an object",
    });
  }
});

Deno.test("writeJsonTranscript writes a segment per voice", () => {
  equal(
    writeJsonTranscript([
      { startMs: 0, endMs: 1, voices: [{ text: "" }] },
      { startMs: 1500, endMs: 2000, voices: [{ speaker: "Ana", text: "Hi" }, { text: "Hey\nyou" }] },
    ]),
    '{"version":"1.0.0","segments":[{"startTime":0,"endTime":0.001,"body":""},' +
      '{"speaker":"Ana","startTime":1.5,"endTime":2,"body":"Hi"},{"startTime":1.5,"endTime":2,"body":"Hey\\nyou"}]}',
  );
});
