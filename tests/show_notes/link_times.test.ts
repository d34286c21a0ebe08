// Times in show notes: which become links, and what stays as it is.
import assert from "node:assert/strict";
import { linkTimes } from "../../functions/show_notes/link_times.ts";

const HOUR = 3600;
const link = (html: string, duration = 2 * HOUR) =>
  linkTimes(html, duration, (seconds, text) => `[${seconds}|${text}]`);

Deno.test("a time at the beginning of a line is a link, also within formats and behind signs", () => {
  for (
    const [html, expected] of [
      ["<p>00:00 Intro</p>", "<p>[0|00:00] Intro</p>"],
      ["<p>1:02:03 – Borders<br>1:30:00: End</p>", "<p>[3723|1:02:03] – Borders<br>[5400|1:30:00]: End</p>"],
      ["<ul><li><strong>07:30</strong> Cars</li></ul>", "<ul><li><strong>[450|07:30]</strong> Cars</li></ul>"],
      ["<p>• 75:10 Late</p>", "<p>• [4510|75:10] Late</p>"],
      ["05:00 Text without tags", "[300|05:00] Text without tags"],
      ['<p dir="rtl">&nbsp;01:30 مقدمة</p>', '<p dir="rtl">&nbsp;[90|01:30] مقدمة</p>'],
      ["<p>01:30-02:10 Range</p>", "<p>[90|01:30]-02:10 Range</p>"],
      ["<p>01:30 Am Anfang</p>", "<p>[90|01:30] Am Anfang</p>"],
      ["<p>01:30 Part one</p>", "<p>[90|01:30] Part one</p>"],
    ]
  ) assert.equal(link(html), expected);
});

Deno.test("a time in brackets or at the end of a line is a link", () => {
  for (
    const [html, expected] of [
      [
        "<p>The ferry (12:05), then [1:00:00] sleep.</p>",
        "<p>The ferry ([725|12:05]), then [[3600|1:00:00]] sleep.</p>",
      ],
      ["<p>Intro … 01:30</p>", "<p>Intro … [90|01:30]</p>"],
      ["<li>Intro <em>01:30</em></li>", "<li>Intro <em>[90|01:30]</em></li>"],
    ]
  ) assert.equal(link(html), expected);
});

Deno.test("a time of day, a time in a sentence, and other numbers stay text", () => {
  for (
    const html of [
      "<p>We meet at 9:30 in the hall.</p>",
      "<p>12:30 Uhr in Wien</p>",
      "<p>9:30&nbsp;am daily</p>",
      "<p>(9:30 p.m.)</p>",
      "<p>Live (9:30 CET)</p>",
      "<p>12:30 h</p>",
      "<p>Version 1:2:3, 3:165, 01:75, 1:75:00, 12:5</p>",
      "<p>2026-11-30T12:30:00</p>",
      "<p>1:30.5</p>",
    ]
  ) assert.equal(link(html), html);
});

Deno.test("times in links, code and attributes stay as they are", () => {
  for (
    const html of [
      '<p><a href="https://x.example/">01:30</a></p>',
      "<p><code>01:30</code></p>",
      "<pre>01:30 Intro</pre>",
      '<p><a href="https://x.example/"><b>(01:30)</b></a></p>',
      '<p><img src="https://x.example/1.png" alt="01:30"></p>',
      '<p>Until 01:30 <a href="https://x.example/">here</a></p>',
    ]
  ) assert.equal(link(html), html);
  const after = '<p>01:30 <a href="https://x.example/">x</a></p>';
  assert.equal(link(after), after.replace("01:30", "[90|01:30]"));
});

Deno.test("a time at or behind the end of the audio stays text", () => {
  assert.equal(link("<p>01:29 a<br>01:30 b</p>", 90), "<p>[89|01:29] a<br>01:30 b</p>");
  assert.equal(link("<p>00:00 a</p>", 0), "<p>00:00 a</p>");
});

Deno.test("the number of links is bounded, and hostile notes take no long time", () => {
  const many = link("01:00 x<br>".repeat(10_000));
  assert.equal(many.match(/\[60\|/g)!.length, 500);
  for (
    const text of [
      "-".repeat(300_000) + " 01:00".repeat(50_000),
      "01:00 ".repeat(100_000),
      "(".repeat(500_000),
      "&nbsp;".repeat(100_000) + "x",
      "<b>".repeat(9000),
    ]
  ) {
    const unlinked = link(text).replace(/\[60\|([^\]]*)\]/g, "$1");
    assert.equal(unlinked, text);
  }
});
