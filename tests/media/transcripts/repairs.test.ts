// Uploaded transcripts as people have them: what is repaired, the line of each warning, and what is stored.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { checkTranscript, openTranscript } from "../../../functions/media/transcripts/formats.ts";

/** The stored text, and the warnings as `CODE@line,line`. */
async function store(declared: string | undefined, text: string) {
  const { bytes, warnings } = await checkTranscript(await openTranscript(declared, new TextEncoder().encode(text)));
  return { text: new TextDecoder().decode(bytes), warnings: warnings.map(({ code, lines }) => `${code}@${lines}`) };
}

/** Asserts what is stored for each file, and that it needs no further repair. */
async function assertRepairs(declared: string | undefined, cases: [text: string, stored: string, ...string[]][]) {
  for (const [text, stored, ...warnings] of cases) {
    deepEqual(await store(declared, text), { text: stored, warnings }, JSON.stringify(text));
    const type = stored.startsWith("WEBVTT") ? "text/vtt" : declared;
    deepEqual(await store(type, stored), { text: stored, warnings: [] }, JSON.stringify(stored));
  }
}

Deno.test("a WebVTT file's times, order, durations, settings, arrows and header are repaired", async () => {
  const cue = "00:00:01.000 --> 00:00:02.000", first = `WEBVTT\n\n${cue}\nHi\n`;
  await assertRepairs("text/vtt", [
    // as ffmpeg and other programs write times
    ["WEBVTT\n\n0:00:01.000 --> 0:00:02.000\nHi", first, "TIME_NONSTANDARD@3"],
    ["WEBVTT\n\n1:5 --> 01:06\nHi", "WEBVTT\n\n00:01:05.000 --> 00:01:06.000\nHi\n", "TIME_NONSTANDARD@3"],
    ["WEBVTT\n\n00:01,000 --> 00:02,0\nHi", first, "TIME_NONSTANDARD@3"],
    ["WEBVTT\n\n00:01.0009-->00:02.000999\nHi", first, "TIME_NONSTANDARD@3"],
    ["WEBVTT\n\n \t00:01.000 ---> 00:02.000\nHi", first, "TIME_NONSTANDARD@3"],
    ["WEBVTT\n\n61:01.5 --> 61:02.000\nHi", "WEBVTT\n\n01:01:01.500 --> 01:01:02.000\nHi\n", "TIME_NONSTANDARD@3"],
    ...["->", "→", "–>", "—>"].map((arrow): [string, string, string] => [
      `WEBVTT\n\n00:01.000 ${arrow} 00:02.000\nHi`,
      first,
      "TIME_NONSTANDARD@3",
    ]),
    [`WEBVTT\n\n00:01.000 --> 00:02.000align:start\nHi`, `WEBVTT\n\n${cue} align:start\nHi\n`, "TIME_NONSTANDARD@3"],
    // as speech recognition writes cues
    ["WEBVTT\n\n00:01.000 --> 00:01.000\nHi", first.replace("02.000", "01.001"), "CUE_TOO_SHORT@3"],
    ["WEBVTT\n\n00:01.000 --> 00:00.000\nHi", first.replace("02.000", "01.001"), "CUE_TOO_SHORT@3"],
    [
      `WEBVTT\n\nx\n00:03.000 --> 00:04.000\n<i>Bye</i>\n\n00:01.000 --> 00:02.000\nHi\n\n00:02.000 --> 00:05.000\nSo`,
      `${first}\n00:00:02.000 --> 00:00:05.000\nSo\n\nx\n00:00:03.000 --> 00:00:04.000\n<i>Bye</i>\n`,
      "CUES_UNORDERED@7,10",
    ],
    [
      "WEBVTT\n\n00:01.000 --> 00:02.000 colour:red line:-1 align:middle A:1 position:10%,line-left size:101%\nHi",
      `WEBVTT\n\n${cue} line:-1 position:10%,line-left\nHi\n`,
      "CUE_SETTING_UNKNOWN@3",
    ],
    [
      `WEBVTT\n\n${cue}\na --> b`,
      `WEBVTT\n\n${cue}\na --&gt; b\n`,
      "ARROW_UNESCAPED@4",
    ],
    [
      "\n\nWEBVTT - x\nKind: y\n\n00:01.000 --> 00:02.000\nHi",
      `WEBVTT - x\nKind: y\n\n${cue}\nHi\n`,
      "HEADER_MISSING@1",
    ],
    ["WebVTT\n\n00:01.000 --> 00:02.000\nHi", first, "HEADER_MISSING@1"],
    ["WEBVTTfile\n00:01.000 --> 00:02.000\nHi", first.replace("WEBVTT", "WEBVTT file"), "HEADER_MISSING@1"],
    ["00:01.000 --> 00:02.000\nHi", first, "HEADER_MISSING@1"],
    [`WEBVTT\n\n${cue}\nH\0i\n`, first, "CONTROL_CHARACTERS@4"],
  ]);
});

Deno.test("a WebVTT file's cues are separated by their times, and its comments and styles are kept", async () => {
  const first = "00:00:01.000 --> 00:00:02.000", second = "00:00:03.000 --> 00:00:04.000";
  await assertRepairs("text/vtt", [
    [`WEBVTT\n\n${first}\na\n${second}\nb`, `WEBVTT\n\n${first}\na\n\n${second}\nb\n`, "EMPTY_LINE_MISPLACED@5"],
    [
      `WEBVTT\n\n1\n${first}\na\n2\n${second}\nb`,
      `WEBVTT\n\n1\n${first}\na\n\n2\n${second}\nb\n`,
      "EMPTY_LINE_MISPLACED@7",
    ],
    [`WEBVTT\n\n1\n\n${first}\na`, `WEBVTT\n\n1\n${first}\na\n`, "EMPTY_LINE_MISPLACED@5"],
    [
      `WEBVTT\n\n${first}\n\na\n\nb\n\n\nid\n${second}\n`,
      `WEBVTT\n\n${first}\na\nb\n\nid\n${second}\n`,
      "EMPTY_LINE_MISPLACED@5",
    ],
    [
      `WEBVTT\n\n${first}\na\n\nNOTE\nx\n\nSTYLE\n::cue {}\n${second}\nb\n\nREGION\nid:r\n`,
      `WEBVTT\n\nNOTE\nx\n\nSTYLE\n::cue {}\n\nREGION\nid:r\n\n${first}\na\n\n${second}\nb\n`,
      "STYLE_MISPLACED@9,14",
      "EMPTY_LINE_MISPLACED@11",
    ],
    // what has no readable times
    [
      `WEBVTT\n\nstray\ntext\n\n${first}\na\n\nid\n00:03.000 --> soon\nb\n\nmore\n\n${second}\nc`,
      `WEBVTT\n\n${first}\na\n\n${second}\nc\n`,
      "CUE_DROPPED@3,10",
    ],
  ]);
});

Deno.test("a valid WebVTT file is stored as it is", async () => {
  const text =
    "WEBVTT x\r\nKind: captions\r\n\r\nNOTE\r\ny\r\n\r\n\r\n1\r\n00:01.000 --> 00:02.000 align:end\r\n<b>a</b>\r\n \r\n";
  deepEqual(await store("text/vtt", text), { text, warnings: [] });
});

Deno.test("a SubRip file's numbers, times, order, durations and empty lines are repaired", async () => {
  const first = "00:00:01,000 --> 00:00:02,000",
    second = "00:00:03,000 --> 00:00:04,000",
    type = "application/x-subrip";
  const both = `1\n${first}\n<i>a</i>\n\n2\n${second}\n{\\an8}b\n`;
  await assertRepairs(type, [
    [`${first}\n<i>a</i>\n\n${second}\n{\\an8}b`, both, "NUMBER_MISSING@1,4"],
    [`${first}\n<i>a</i>\n${second}\n{\\an8}b`, both, "EMPTY_LINE_MISPLACED@3", "NUMBER_MISSING@1,3"],
    [`1\n0:00:01.0 --> 00:02\n<i>a</i>\n\n2\n${second}\n{\\an8}b`, both, "TIME_NONSTANDARD@2"],
    [`1\n${first}\n\n<i>a</i>\n\n2\n${second}\n{\\an8}b`, both, "EMPTY_LINE_MISPLACED@4"],
    [`1\n${first}\n<i>a</i>\n2\n${second}\n{\\an8}b`, both, "EMPTY_LINE_MISPLACED@5"],
    [`1\n\n${first}\n<i>a</i>\n\n2\n\n\n${second}\n\n{\\an8}b`, both, "EMPTY_LINE_MISPLACED@3,9,11"],
    [`9\n${second}\n{\\an8}b\n\n9\n${first}\n<i>a</i>`, both, "CUES_UNORDERED@6"],
    [`1\n00:00:01,000 --> 00:00:01,000 X1:1\na`, `1\n00:00:01,000 --> 00:00:01,001 X1:1\na\n`, "CUE_TOO_SHORT@2"],
    [`stray\n\n1\n${first}\n<i>a</i>\n\n7\n00:00:03,000 -->\nx\n\n2\n${second}\n{\\an8}b`, both, "CUE_DROPPED@1,8"],
    // texts that look like numbers and arrows
    [`1\n${first}\n2\n\n${second}\na --> b`, `1\n${first}\n2\n\n2\n${second}\na --> b\n`, "NUMBER_MISSING@5"],
  ]);
  for (const valid of [both, `7\r\n${first} X1:1\r\na\r\nb\r\n\r\n\r\n7\r\n${second}\r\n`]) {
    deepEqual(await store(type, valid), { text: valid, warnings: [] });
  }
});

Deno.test("a JSON file's members, times and order are repaired", async () => {
  const segments = [{ speaker: "1", startTime: 0, endTime: 0.5, body: "a" }, { startTime: 1, endTime: 2, body: "b" }];
  const stored = JSON.stringify({ version: "1.0.0", segments });
  const file = (...list: unknown[]) => JSON.stringify({ version: "1.0.0", segments: list }, null, 1);
  await assertRepairs("application/json", [
    [JSON.stringify({ segments }), stored, "MEMBER_NONSTANDARD@1"],
    [file({ ...segments[0], speaker: 1 }, segments[1]), stored, "MEMBER_NONSTANDARD@4"],
    [file(segments[0], { start: 1, end: 2, text: "b" }), stored, "MEMBER_NONSTANDARD@10"],
    [file(segments[0], { ...segments[1], startTime: "1.0" }), stored, "MEMBER_NONSTANDARD@10"],
    [file(segments[1], segments[0]), stored, "CUES_UNORDERED@9"],
    [file(segments[0], { startTime: 1, endTime: 0, body: "b" }), stored.replace(":2,", ":1.001,"), "CUE_TOO_SHORT@10"],
    [
      file(segments[0], { ...segments[1], speaker: {}, endTime: {} }),
      stored.replace(":2,", ":6,"),
      "MEMBER_NONSTANDARD@10",
    ],
    [file(7, segments[0], segments[1]), stored, "CUE_DROPPED@4"],
  ]);
});

Deno.test("SBV becomes WebVTT, declared as plain text or not at all", async () => {
  const text =
    "\ufeff0:00:00.599,0:00:04.160\r\n>> ANA: Hi & <you>[br]all\r\n\r\n0:00:04.160,0:00:04.160\r\nb\r\n\r\nc";
  const stored = "WEBVTT\n\n00:00:00.599 --> 00:00:04.160\n&gt;&gt; ANA: Hi &amp; &lt;you&gt;\nall\n\n" +
    "00:00:04.160 --> 00:00:04.161\nb\nc\n";
  for (const declared of [undefined, "text/plain"]) {
    await assertRepairs(declared, [
      [text, stored, "FORMAT_CONVERTED@1", "EMPTY_LINE_MISPLACED@7", "CUE_TOO_SHORT@4"],
    ]);
  }
});

Deno.test("plain text with times becomes WebVTT with its speakers", async () => {
  const stored = "WEBVTT\n\n00:00:03.000 --> 00:01:02.000\n<v Ana Bell>Hi\nthere\n\n" +
    "00:01:02.000 --> 00:01:07.000\n<v Speaker 2>Bye\n";
  for (
    const text of [
      "Ana Bell  0:03  \nHi\nthere\n\nSpeaker 2  1:02\nBye",
      "Ana Bell\t00:00:03\nHi\n\nthere\n\nSpeaker 2\t00:01:02\nBye",
      "Ana Bell 0:03\nHi\nthere\n\nSpeaker 2 1:02\nBye",
      "Ana Bell (00:03.000)\nHi\nthere\n\nSpeaker 2 (01:02.000)\nBye",
      "Ana Bell (00:00:03):\nHi\nthere\nSpeaker 2 (00:01:02):\nBye",
      "**Ana Bell:** [00:00:03] Hi\nthere\n**Speaker 2:** [00:01:02] Bye",
      "[00:00:03] **Ana Bell:** Hi\nthere\n[00:01:02] **Speaker 2:** Bye",
      "Ana Bell: 0:03 Hi\nthere\nSpeaker 2: 1:02 Bye",
      "[00:00:03] Ana Bell: Hi\nthere\n\n[00:01:02] Speaker 2: Bye",
      "00:00:03 Ana Bell: Hi\nthere\n00:01:02 - Speaker 2: Bye",
      "[0:03 - 1:02] Ana Bell: Hi\nthere\n\n[1:02 - 1:07] Speaker 2: Bye",
    ]
  ) await assertRepairs("text/plain", [[text, stored, "FORMAT_CONVERTED@1"]]);
  await assertRepairs(undefined, [
    [
      "[0:03] Ana Bell: Hi\n10:30 is late.\nBo: 11:30 is later.\n[1:02] Speaker 2: Bye",
      stored.replace("there", "10:30 is late.\nBo: 11:30 is later."),
      "FORMAT_CONVERTED@1",
    ],
    [
      "Ana Bell  0:00:03\nHi\nthere\nSpeaker 2  1:01:02\nBye",
      stored.replaceAll("00:01:0", "01:01:0"),
      "FORMAT_CONVERTED@1",
    ],
    ["0:03\nHi\n1:02\nBye", stored.replace("\nthere", "").replaceAll(/<v [^>]+>/g, ""), "FORMAT_CONVERTED@1"],
    [
      "Night trains\n\nAna Bell  0:03\nHi\nthere\n\nSpeaker 2  1:02\nBye",
      stored.replace("WEBVTT\n", "WEBVTT\n\n00:00:00.000 --> 00:00:03.000\nNight trains\n"),
      "FORMAT_CONVERTED@1",
    ],
  ]);
});

Deno.test("plain text without times, or with times in its sentences, is stored as it is", async () => {
  for (
    const text of [
      "Ana: Hi\n\nBo: Hey\n",
      "We left at 10:30\n\nand arrived at 11:45\n",
      "We left (10:30) and talked\nWe arrived (11:45) and slept\n",
      "10:30 was the time when we left.\n\nWe arrived later.",
      "2:00 b\n1:00 a", // a countdown
      `Ana: 10:30 would be fine.${"\nBo: Hi".repeat(30)}\nAna: 11:30 is too late.${"\nBo: Hi".repeat(30)}`,
    ]
  ) deepEqual(await store("text/plain", text), { text, warnings: [] });
});

Deno.test("warnings count their occurrences and list the first 20 lines", async () => {
  const cues = "0:00:01.000 --> 0:00:02.000\nHi\n\n".repeat(30);
  const opened = await openTranscript("text/vtt", new TextEncoder().encode(`WEBVTT\n\n${cues}`));
  const { warnings } = await checkTranscript(opened);
  equal(warnings.length, 1);
  const [{ code, message, count, lines }] = warnings;
  deepEqual([code, count, lines.length, lines[0], lines[19]], ["TIME_NONSTANDARD", 30, 20, 3, 60]);
  equal(message, "The times of a cue are not written as the format requires; they were written again");
});
