// WebVTT: what is accepted, the line of each error, voices, and hostile files.
import { deepStrictEqual as deepEqual, strictEqual as equal, throws } from "node:assert";
import { parseVtt, writeVtt } from "../../../functions/media/transcripts/vtt.ts";

const SAMPLE = `WEBVTT - Night trains
Kind: captions
Language: en

NOTE
A comment
of two lines

STYLE
::cue { color: red }

REGION
id:fred

1
00:01.000 --> 00:02.500 align:start position:10%,line-left line:-1 size:35.5% vertical:rl
<v.loud Ana Bell>Hello &amp; <i>welcome</i>
to <00:00:01.500>the <c.yellow>show</c></v>

NOTE between

intro - with a name
00:00:02.000 --> 100:00:04.000\t
<v Ana>Hi</v> <v Bo>Hey</v>
1 < 2 & 3

00:02.000 --> 00:03.000
`;

Deno.test("parseVtt reads headers, comments, styles, regions, identifiers, settings and voices", () => {
  const expected = [
    { startMs: 1000, endMs: 2500, voices: [{ speaker: "Ana Bell", text: "Hello & welcome\nto the show" }] },
    {
      startMs: 2000,
      endMs: 360_004_000,
      voices: [{ speaker: "Ana", text: "Hi" }, { speaker: "Bo", text: "Hey" }, { text: "1 < 2 & 3" }],
    },
    { startMs: 2000, endMs: 3000, voices: [{ text: "" }] },
  ];
  for (const end of ["\n", "\r\n", "\r"]) deepEqual(parseVtt(SAMPLE.replaceAll("\n", end)), expected);
});

Deno.test("parseVtt accepts a file without cues, and a cue after the signature without an empty line", () => {
  for (const text of ["WEBVTT", "WEBVTT\n", "WEBVTT\tx\n\nNOTE x"]) deepEqual(parseVtt(text), []);
  equal(parseVtt("WEBVTT\n00:00.000 --> 00:01.000\nHi").length, 1);
});

Deno.test("parseVtt names the line of a file without readable cues and what it expects there", () => {
  const times = "expected the times of a cue, such as 00:00:01.000 --> 00:00:04.000";
  const errors: [string, string][] = [
    ["", "Line 1: expected WEBVTT"],
    ["Hello\n\nWEBVTT", "Line 1: expected WEBVTT"],
    ["WEBVTT\n\nHello", `Line 3: ${times}`],
    ["webvtt\n\n7\nHello", `Line 3: ${times}`],
    ...["00:01.000 -->", "-1:01.000 --> 00:02.000", "99999:00:01.000 --> 99999:00:02.000", "00:61.000 --> 01:02.000"]
      .concat("00:01.000 --> 00:02x.000", "00:01.000 --> 00:02.5:03", "00:01.000 --> 00:02.000.").map((
        line,
      ): [string, string] => [`WEBVTT\n\n${line}\nHi`, `Line 3: ${times}`]),
  ];
  for (const [text, message] of errors) throws(() => parseVtt(text), { message }, JSON.stringify(text));
});

Deno.test("parseVtt accepts cues that overlap", () => {
  equal(parseVtt("WEBVTT\n\n00:00.000 --> 00:09.000\na\n\n00:01.000 --> 00:02.000\nb").length, 2);
});

Deno.test("parseVtt accepts 100,000 cues and rejects one more", () => {
  const cues = "00:00.000 --> 00:01.000\nx\n\n";
  equal(parseVtt(`WEBVTT\n\n${cues.repeat(100_000)}`).length, 100_000);
  throws(() => parseVtt(`WEBVTT\n\n${cues.repeat(100_001)}`), {
    message: "Line 300003: a file can have at most 100000 cues",
  });
});

Deno.test("parseVtt reads markup of five megabytes in linear time", () => {
  for (const part of ["<", "<v", "<v a", "<a<", "</v>", "<v x>", "&", "&amp;", "&#x", "{"]) {
    const [{ voices }] = parseVtt(`WEBVTT\n\n00:00.000 --> 00:01.000\n${part.repeat(5e6 / part.length)}`);
    equal(voices.length, 1, part);
  }
});

Deno.test("writeVtt writes cues and escapes text", () => {
  equal(
    writeVtt([
      { startMs: 0, endMs: 999, voices: [{ speaker: "Ana", text: "Hi" }, { text: "" }, { text: "Hey" }] },
      { startMs: 3_661_001, endMs: 3_661_002, voices: [{ speaker: "A > B & C", text: "x --> <b>\ny" }] },
    ]),
    `WEBVTT

00:00:00.000 --> 00:00:00.999
<v Ana>Hi</v>
Hey

01:01:01.001 --> 01:01:01.002
<v A &gt; B &amp; C>x --&gt; &lt;b&gt;
y
`,
  );
});
