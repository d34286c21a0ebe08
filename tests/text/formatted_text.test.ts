// Formatted text of HTML: the text version of an email.
import assert from "node:assert/strict";
import { toFormattedText } from "../../functions/text/formatted_text.ts";
import { sanitizeShowNotes } from "../../functions/show_notes/sanitize.ts";

const cases: Record<string, [html: string, text: string]> = {
  "paragraphs are separated by an empty line, and breaks start a line": [
    "<p>One<br>two</p>\n<p>Three</p>",
    "One\ntwo\n\nThree",
  ],
  "headings keep their case": ["<h1>Night Trains</h1><h6>by <b>Ada</b></h6><p>x</p>", "Night Trains\n\nby Ada\n\nx"],
  "lists have bullets or numbers, and nested ones are indented": [
    '<ul><li>One</li><li>Two<ul><li>Deep</li></ul></li></ul><ol start="3"><li>a</li><li>b</li></ol>',
    " * One\n * Two\n   * Deep\n\n 3. a\n 4. b",
  ],
  "links show their URL, unless it is their text": [
    '<p><a href="https://x.test/?a=1&amp;b=2">The page</a> or <a href="https://x.test/">https://x.test/</a></p>',
    "The page (https://x.test/?a=1&b=2) or https://x.test/",
  ],
  "links without a URL, and to an email address, show their text": [
    '<a>none</a>, <a href="mailto:a@b.test">a@b.test</a>',
    "none, a@b.test",
  ],
  "each row of a table is a line with its cells": [
    `<table><caption>Times</caption><thead><tr><th>Name</th><th>Time</th></tr></thead><tbody>
      <tr> <td>Ada</td> <td></td> <td>9:00</td> </tr><tr><td colspan="2">Grace</td></tr></tbody></table><p>x</p>`,
    "Times\nName | Time\nAda | | 9:00\nGrace\n\nx",
  ],
  "the cells of a table that only places them are lines": [
    `<table role="presentation"><tr><td><p>Hello</p></td></tr><tr><td>One</td><td></td><td>Two</td></tr><tr><td>
      <table><tr><td>a</td><td>b</td></tr></table><a href="https://x.test/" style="display:inline-block">Go</a></td>
      </tr></table><center>Bye</center>`,
    "Hello\n\nOne\nTwo\na | b\n\nGo (https://x.test/)\n\nBye",
  ],
  "definitions and captions are lines": [
    "<dl><dt>Term</dt><dd>Meaning</dd></dl><figure><figcaption>Picture</figcaption></figure>x",
    "Term\nMeaning\n\nPicture\nx",
  ],
  "quotes are marked, and preformatted text keeps its spaces": [
    "<blockquote><p>a</p><p>b</p></blockquote><pre>  c\n    d</pre>",
    "> a\n> \n> b\n\n  c\n    d",
  ],
  "images are left out": ['a<img src="https://x.test/a.png" alt="A picture">b', "ab"],
  "entities are decoded, once": ["R&amp;D &lt;b&gt; &eacute;&hellip; &amp;lt;", "R&D <b> é… &lt;"],
  "long lines are not wrapped": [`<p>${"word ".repeat(100)}</p>`, "word ".repeat(100).trim()],
  "HTML without text is empty": ["<p> </p><br>", ""],
  "text without tags is kept": ["a\n b", "a b"],
};

for (const [what, [html, text]] of Object.entries(cases)) {
  Deno.test(`toFormattedText: ${what}`, () => assert.equal(toFormattedText(html), text));
}

const formatSafe = (html: string) => toFormattedText(sanitizeShowNotes(html) ?? "");

Deno.test("toFormattedText bounds its output for sanitized HTML of any nesting", () => {
  for (
    const html of [
      "<div>".repeat(4000) + "x",
      "<ul><li>".repeat(2000) + "x",
      "<table><tr><td>".repeat(1000) + "x",
      "<blockquote>".repeat(63) + "x<br>".repeat(5000),
      "<b><i>".repeat(2000) + "x ".repeat(100_000),
    ]
  ) {
    const text = formatSafe(html);
    assert.ok(text.includes("x") && text.length <= 64 * html.length, `${text.length}`);
  }
});

Deno.test("toFormattedText pads no cells of tables, so that none grows beyond its HTML", () => {
  const row = "<tr><td>a</td><td>b</td></tr>";
  for (
    const html of [
      `<table><tr><td colspan="1000000" rowspan="1000000">x</td></tr></table>`,
      `<table><tr><td>${"w".repeat(100_000)}</td><td>x</td></tr>${row.repeat(2000)}</table>`,
      `<table><tr>${"<td>x</td>".repeat(4000)}<td>${"y<br>".repeat(1000)}</td></tr></table>`,
    ]
  ) {
    const text = formatSafe(html);
    assert.ok(text.length > 0 && text.length <= html.length, `${text.length}`);
  }
});

Deno.test("toFormattedText reads a megabyte of HTML, and cuts off what is longer", () => {
  const megabyte = `<p>${"hello ".repeat(174_000)}`;
  assert.equal(toFormattedText(megabyte).length, megabyte.length - "<p> ".length);
  assert.equal(toFormattedText("x".repeat(2 ** 20 + 1000)).length, 2 ** 20);
  assert.equal(formatSafe("<p>a</p>".repeat(120_000)).length <= 2 ** 20, true);
});
