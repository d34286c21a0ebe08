// SubRip: what is accepted, the line of each error, and hostile files.
import { deepStrictEqual as deepEqual, strictEqual as equal, throws } from "node:assert";
import { parseSrt, writeSrt } from "../../../functions/media/transcripts/srt.ts";

const SAMPLE = `
1
00:00:01,000 --> 00:00:02,500
Sarah: In <i>today's</i> <font color="#fff">episode</font>
{\\an8}1 < 2 & <unknown> &amp;

2
 00:00:02,500-->00:00:02,501 X1:1 X2:2
7

0010
00:00:03,000 --> 00:00:04,000
`;

Deno.test("parseSrt reads numbers, times, several lines, and leaves formatting out", () => {
  const expected = [
    { startMs: 1000, endMs: 2500, voices: [{ text: "Sarah: In today's episode\n1 < 2 & <unknown> &amp;" }] },
    { startMs: 2500, endMs: 2501, voices: [{ text: "7" }] },
    { startMs: 3000, endMs: 4000, voices: [{ text: "" }] },
  ];
  for (const end of ["\n", "\r\n", "\r"]) deepEqual(parseSrt(SAMPLE.replaceAll("\n", end)), expected);
});

Deno.test("parseSrt names the line of a file without readable cues and what it expects there", () => {
  const times = "expected the times of a cue, such as 00:00:01,000 --> 00:00:04,000";
  const errors: [string, string][] = [
    ["", `Line 1: ${times}`],
    ["\n\n", `Line 1: ${times}`],
    ["\nHello", `Line 2: ${times}`],
    ["1", `Line 1: ${times}`],
    ["1\na --> b\nHi", `Line 1: ${times}`],
    ...["00:00:61,000 --> 00:02:00,000", "-00:00:01,000 --> 00:00:02,000", "00:00:01,000 -->"].map((
      line,
    ): [string, string] => [`1\n${line}\nHi`, `Line 2: ${times}`]),
  ];
  for (const [text, message] of errors) throws(() => parseSrt(text), { message }, JSON.stringify(text));
});

Deno.test("parseSrt rejects more than 100,000 cues", () => {
  const cue = "1\n00:00:01,000 --> 00:00:02,000\n\n";
  equal(parseSrt(cue.repeat(100_000)).length, 100_000);
  throws(() => parseSrt(cue.repeat(100_001)), { message: "Line 300002: a file can have at most 100000 cues" });
});

Deno.test("parseSrt reads markup of five megabytes in linear time", () => {
  for (const part of ["<i", "<i>", "<font ", "<", "{\\", "{\\a}", "{"]) {
    equal(parseSrt(`1\n00:00:01,000 --> 00:00:02,000\n${part.repeat(5e6 / part.length)}`).length, 1);
  }
});

Deno.test("writeSrt numbers cues, names speakers and removes arrows", () => {
  equal(
    writeSrt([
      { startMs: 0, endMs: 999, voices: [{ speaker: "Ana", text: "Hi" }, { text: "Hey" }] },
      { startMs: 5, endMs: 7, voices: [{ text: "" }] },
      { startMs: 3_661_001, endMs: 3_662_000, voices: [{ text: "x --> y\nz" }] },
    ]),
    `1
00:00:00,000 --> 00:00:00,999
Ana: Hi
Hey

2
00:00:00,005 --> 00:00:00,007

3
01:01:01,001 --> 01:01:02,000
x -> y
z
`,
  );
});
