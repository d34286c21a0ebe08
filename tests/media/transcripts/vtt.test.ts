// WebVTT: what is accepted, the line of each error, voices, and hostile files.
import { deepEqual, equal, throws } from "node:assert/strict";
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

Deno.test("parseVtt names the line of an error and what it expects there", () => {
  const cue = "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n";
  const errors: [string, string][] = [
    ["", "Line 1: expected WEBVTT"],
    ["WEBVTTX\n", "Line 1: expected WEBVTT"],
    ["webvtt\n", "Line 1: expected WEBVTT"],
    ["\nWEBVTT\n", "Line 1: expected WEBVTT"],
    [`${cue}\nHello`, "Line 6: expected the times of a cue, such as 00:00:01.000 --> 00:00:04.000"],
    [`${cue}\nid\n\n`, "Line 7: expected the times of a cue, such as 00:00:01.000 --> 00:00:04.000"],
    ...["0:01.000 --> 00:02.000", "00:01.00 --> 00:02.000", "00:01,000 --> 00:02,000", "00:61.000 --> 01:02.000"]
      .concat(
        "00:01.000-->00:02.000",
        "00:01.000 --> 00:02.000x",
        "00:01.000 -->",
        "-1:01.000 --> 00:02.000",
        "99999:00:01.000 --> 99999:00:02.000",
      ).map((timing): [string, string] => [
        `WEBVTT\n\n${timing}\nHi`,
        "Line 3: expected the times of a cue, such as 00:00:01.000 --> 00:00:04.000",
      ]),
    ["WEBVTT\n\n00:01.000 --> 00:01.000\nHi", "Line 3: expected a cue to end after its start"],
    [`${cue}\n00:00.999 --> 00:02.000\nHi`, "Line 6: expected a cue not to start before the previous one"],
    [`${cue}00:03.000 --> 00:04.000\nHi`, "Line 5: expected an empty line before the next cue"],
    [`${cue}\nSTYLE\nx`, "Line 6: expected STYLE before the first cue"],
    ["WEBVTT\n\nNOTE\n00:01.000 --> 00:02.000", "Line 4: expected an empty line after NOTE"],
    [
      "WEBVTT\n\n00:01.000 --> 00:02.000 colour:red",
      "Line 3: expected a cue setting such as align:start, not colour:red",
    ],
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

Deno.test("writeVtt orders cues, lengthens empty ones and escapes text", () => {
  equal(
    writeVtt([
      { startMs: 3_661_001, endMs: 3_661_001, voices: [{ speaker: "A > B & C", text: "x --> <b>\ny" }] },
      { startMs: 0, endMs: 999, voices: [{ speaker: "Ana", text: "Hi" }, { text: "" }, { text: "Hey" }] },
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
