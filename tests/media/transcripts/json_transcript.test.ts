// JSON transcripts of the podcast namespace: values, the line of each error, and hostile files.
import { deepEqual, equal, throws } from "node:assert/strict";
import { parseJsonTranscript, writeJsonTranscript } from "../../../functions/media/transcripts/json_transcript.ts";

const file = (...segments: unknown[]) => JSON.stringify({ version: "1.0.0", segments }, null, 2);
const segment = { speaker: "Ana", startTime: 0.5, endTime: 0.75, body: "I" };

Deno.test("parseJsonTranscript reads segments, and ends one without an end when the next one starts, the last after 5 seconds", () => {
  deepEqual(
    parseJsonTranscript(
      file(
        segment,
        { startTime: 1, body: " am\n\nyour " },
        { ...segment, speaker: null, startTime: 2.0004, endTime: null, extra: [1] },
        { speaker: " B  b ", startTime: 1.5, body: "" },
        { startTime: 9, body: "end" },
      ),
    ),
    [
      { startMs: 500, endMs: 750, voices: [{ speaker: "Ana", text: "I" }] },
      { startMs: 1000, endMs: 2000, voices: [{ text: "am\nyour" }] },
      { startMs: 2000, endMs: 2000, voices: [{ text: "I" }] },
      { startMs: 1500, endMs: 9000, voices: [{ speaker: "B b", text: "" }] },
      { startMs: 9000, endMs: 14_000, voices: [{ text: "end" }] },
    ],
  );
});

Deno.test("parseJsonTranscript names the line of a segment and what it expects there", () => {
  const errors: [unknown, string][] = [
    [7, ": expected an object"],
    [[], ": expected an object"],
    [{ ...segment, startTime: undefined }, ".startTime: expected seconds, from 0"],
    [{ ...segment, startTime: "0" }, ".startTime: expected seconds, from 0"],
    [{ ...segment, startTime: -1 }, ".startTime: expected seconds, from 0"],
    [{ ...segment, startTime: 1e6 }, ".startTime: expected seconds, from 0"],
    [{ ...segment, endTime: 0.4 }, ".endTime: expected seconds, not before startTime"],
    [{ ...segment, endTime: "1" }, ".endTime: expected seconds, not before startTime"],
    [{ ...segment, body: null }, ".body: expected text"],
    [{ ...segment, speaker: 7 }, ".speaker: expected text"],
  ];
  for (const [wrong, problem] of errors) {
    throws(() => parseJsonTranscript(file(segment, wrong)), { message: `Line 10: segments[1]${problem}` });
  }
});

Deno.test("parseJsonTranscript finds the line of a segment among strings, nested values and members of one name", () => {
  const text = `{"segments": [1, 2],
"version": "1", "a": ["segments", {"segments": [[0]]}], "se\\u0067ments":
[{"body": "]}\\"\\\\", "startTime": 0},
  {"body": "[{", "startTime": 1, "x": [{}, [1,
  2]]},

  {"body": 5}]}`;
  throws(() => parseJsonTranscript(text), { message: "Line 7: segments[2].startTime: expected seconds, from 0" });
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
    ['{"segments": []}', "Line 1: expected version, such as 1.0.0"],
    ['{"version": "1", "segments": []}', "Line 1: expected at least one segment"],
  ];
  for (const [text, message] of errors) throws(() => parseJsonTranscript(text), { message }, text.slice(0, 50));
});

Deno.test("parseJsonTranscript finds the line of an error after five megabytes", () => {
  for (const filler of ['"\\\\"'.slice(1, 3).repeat(2e6), "\\n".repeat(2e6), "x".repeat(5e6)]) {
    throws(() => parseJsonTranscript(`{"version": "1", "segments": [{"startTime": 0, "body": "${filler}"},\n7]}`), {
      message: "Line 2: segments[1]: expected an object",
    });
  }
});

Deno.test("writeJsonTranscript writes a segment per voice in the order of the cues", () => {
  equal(
    writeJsonTranscript([
      { startMs: 1500, endMs: 2000, voices: [{ speaker: "Ana", text: "Hi" }, { text: "Hey\nyou" }] },
      { startMs: 0, endMs: 0, voices: [{ text: "" }] },
    ]),
    '{"version":"1.0.0","segments":[{"startTime":0,"endTime":0.001,"body":""},' +
      '{"speaker":"Ana","startTime":1.5,"endTime":2,"body":"Hi"},{"startTime":1.5,"endTime":2,"body":"Hey\\nyou"}]}',
  );
});
