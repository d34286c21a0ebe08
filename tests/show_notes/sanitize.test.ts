// Sanitizing of show notes: what the allow-list keeps and removes, and bounds for hostile input.
import assert from "node:assert/strict";
import {
  MAX_ATTRIBUTES,
  MAX_ENTITIES,
  MAX_TAGS,
  sanitizeShowNotes,
  textToHtml,
} from "../../functions/show_notes/sanitize.ts";
import { SHOW_NOTES_VERSION } from "../../functions/show_notes/version.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";

const notes = sanitizeShowNotes;
const rel = 'rel="noopener nofollow ugc"';

const kept: Record<string, string> = {
  "paragraphs, lists and emphasis":
    '<p>One <b>two</b> <em>three</em></p><ul><li>four</li></ul><ol start="3"><li>x</li></ol>',
  "headings, quotes and code": "<h2>A</h2><blockquote>b</blockquote><pre><code>c &lt;d&gt;</code></pre><hr />",
  "tables": '<table><tbody><tr><th colspan="2">a</th></tr><tr><td>b</td><td>c</td></tr></tbody></table>',
  "the direction of a text and its language": '<p dir="rtl" lang="he">שלום</p>',
  "pictures with their alternative text": '<img src="https://x.example/a.png" alt="A &quot;b&quot;" width="10" />',
};
for (const [what, html] of Object.entries(kept)) {
  Deno.test(`sanitizeShowNotes keeps ${what}`, () => assert.equal(notes(html), html));
}

const changed: Record<string, [html: string, safe: string | null]> = {
  "a script": ["<p>a<script>alert(1)</script>b</p>", "<p>ab</p>"],
  "a script without an end": ["<p>a</p><script>alert(1)//", "<p>a</p>"],
  "a script in a script": ["<scr<script>x</script>ipt>alert(1)</script>b", "xipt&gt;alert(1)b"],
  "an event handler": ['<p onclick="alert(1)" onmouseover=alert(1)>a</p>', "<p>a</p>"],
  "a picture with an error handler": ["<p>a<img src=x onerror=alert(1)></p>", "<p>a</p>"],
  "a javascript: link": ['<a href="javascript:alert(1)">a</a>', "<a>a</a>"],
  "a disguised javascript: link": ['<a href=" &#106;ava\tscript:alert(1)">a</a>', "<a>a</a>"],
  "a data: picture": ['<p>a<img src="data:image/svg+xml,<svg onload=alert(1)>"></p>', "<p>a</p>"],
  "a vbscript: link": ['<a href="vbscript:x">a</a>', "<a>a</a>"],
  "SVG and MathML": [
    "<p>a</p><svg onload=alert(1)><a xlink:href='javascript:x'>b</a></svg><math>c</math>",
    "<p>a</p><a>b</a>c",
  ],
  "frames, forms and objects": [
    "<iframe src=//x></iframe><form action=x><input value=y><button>b</button></form><object data=x></object><p>a</p>",
    "b<p>a</p>",
  ],
  "styles": [
    '<style>p{}</style><p style="position:fixed" class="x" id="y">a</p><link rel=stylesheet href=x>',
    "<p>a</p>",
  ],
  "a base and a meta refresh": ["<base href=//x><meta http-equiv=refresh content=0><p>a</p>", "<p>a</p>"],
  "a template": [
    "<template><p>a</p></template><noscript><p title='</noscript><img src=x onerror=alert(1)>'>b",
    "<p>a</p><p>b</p>",
  ],
  "comments": ["<!-- x --><p>a<!--><img src=x onerror=alert(1)>--></p>", "<p>a--&gt;</p>"],
  "an attribute that ends its tag": ['<p title="a"><b>c</b></p>', "<p><b>c</b></p>"],
  "control characters": ["<p>a\u0000\u0008b</p>", "<p>ab</p>"],
  "a tag without an end": ["<p>a <b", "<p>a </p>"],
};
for (const [what, [html, safe]] of Object.entries(changed)) {
  Deno.test(`sanitizeShowNotes removes ${what}`, () => assert.equal(notes(html), safe));
}

Deno.test("sanitizeShowNotes keeps absolute links only and marks them as nofollow ugc", () => {
  assert.equal(
    notes('<a href="https://x.example/?a=1&b=2" rel="dofollow" target="_top" title="t">a</a>'),
    `<a href="https://x.example/?a=1&amp;b=2" title="t" ${rel}>a</a>`,
  );
  assert.equal(notes('<a href="mailto:a@b.example">a</a>'), `<a href="mailto:a@b.example" ${rel}>a</a>`);
  for (const href of ["/admin", "//x.example", "x.html", "#t=10", "?a", "http:x:y z", "ftp://x.example/"]) {
    assert.doesNotMatch(notes(`<a href="${href}">a</a>`)!, /href="(?!http:)/, href);
  }
});

Deno.test("sanitizeShowNotes returns null for notes without visible content", () => {
  for (const html of ["", " \n ", "<p>&nbsp;</p>", "<script>x</script>", "<img src=x>", "\u200b\u0000"]) {
    assert.equal(notes(html), null, JSON.stringify(html));
  }
  assert.notEqual(notes('<img src="https://x.example/a.png">'), null);
});

Deno.test("textToHtml escapes text into paragraphs and returns null for blank text", () => {
  assert.equal(textToHtml('a & b\nc <3\n \n\n"d"'), "<p>a &amp; b<br />c &lt;3</p>\n<p>&quot;d&quot;</p>");
  assert.equal(textToHtml(" \n\u200b\n\n"), null);
});

/** Input that takes the parser seconds or overflows its stack: nesting, mismatched tags, unclosed tags and quotes. */
const bombs: Record<string, string> = {
  "100,000 nested elements": "<div>".repeat(100_000),
  "nested elements with mismatched ends": "<b>".repeat(150_000) + "</i>".repeat(100_000),
  "nested unknown elements": "<x>".repeat(150_000) + "</y>".repeat(100_000),
  "nested frames": "<iframe>".repeat(60_000) + "x",
  "the most elements that are parsed, nested": "<div>".repeat(10_000),
  "the most elements that are parsed, with mismatched ends": "<b>".repeat(5_000) + "</i>".repeat(5_000),
  "the most frames that are parsed, nested": "<iframe>".repeat(10_000),
  "nested SVG": "<svg><math>".repeat(90_000),
  "150,000 attributes": `<a ${Array.from({ length: 150_000 }, (_, n) => `a${n}`).join(" ")}>x</a>`,
  "unclosed tags": "<a".repeat(500_000),
  "unclosed quotes": `<a href="`.repeat(100_000),
  "unclosed comments": "<!--".repeat(250_000),
  "unclosed scripts": "<script></script".repeat(60_000),
  "a megabyte of ampersands": "&".repeat(1 << 20),
  "a megabyte of less-than signs": "<".repeat(1 << 20),
};
for (const [what, html] of Object.entries(bombs)) {
  Deno.test(`sanitizeShowNotes bounds its output for ${what}`, () => {
    assert.ok((notes(html) ?? "").length <= 2 * 1024 * 1024);
  });
}

Deno.test("sanitizeShowNotes keeps at most 64 levels of elements, and the text below them", () => {
  const safe = notes(`${"<div>".repeat(5000)}deep${"</div>".repeat(5000)}`)!;
  assert.ok(safe.includes("deep"), safe.slice(0, 100));
  assert.equal(safe.match(/<div>/g)!.length, 64);
});

const attributes = (count: number) => Array.from({ length: count }, (_, n) => `a${n}`).join(" ");

/** What the parser spends its time on, with the limit. */
const costs: Record<string, [max: number, some: (count: number) => string]> = {
  "tags": [MAX_TAGS, (count) => "<br>".repeat(count)],
  "end tags": [MAX_TAGS, (count) => "</i>".repeat(count)],
  "less-than signs": [MAX_TAGS, (count) => "< ".repeat(count)],
  "entities": [MAX_ENTITIES, (count) => "&amp;".repeat(count)],
  "ampersands": [MAX_ENTITIES, (count) => "&".repeat(count)],
  "attributes of one tag": [MAX_ATTRIBUTES, (count) => `<u ${attributes(count)}>`],
  "attributes of many tags": [MAX_ATTRIBUTES, (count) => `<br ${attributes(10)}>`.repeat(count / 10 + count % 10)],
  // attributes hidden in a script, a comment or a quote
  "attributes after a quote in a script": [
    MAX_ATTRIBUTES,
    (count) => `<script><a b="</script><u ${attributes(count)}>`,
  ],
  "attributes after a quote in a comment": [MAX_ATTRIBUTES, (count) => `<!-- <a b=" --><u ${attributes(count)}>`],
  "attributes after a quoted >": [MAX_ATTRIBUTES, (count) => `<u b=">" ${attributes(count - 1)}>`],
};
for (const [what, [max, some]] of Object.entries(costs)) {
  Deno.test(`sanitizeShowNotes converts notes of more than ${max} ${what} to plain text`, () => {
    const within = what.endsWith("tags") || what.startsWith("less") ? max - 3 : max;
    assert.match(notes(`<i>a</i> b ${some(within - within % 10)}`)!, /^<i>a<\/i> b/);
    assert.match(notes(`<i>a</i> b ${some(max + 1)}`)!, /^<p>a b/);
  });
}

/** Only tags, attributes and schemes of the allow-list. */
function assertSafe(html: string) {
  for (const [tag] of html.matchAll(/<[^>]*>?/g)) {
    assert.match(
      tag,
      /^<\/?(?:p|br|b|i|a|img|ul|li|div|table|td|tr|code|h1)(?: (?:href|src|title|alt|rel|dir|lang)="[^"<>]*")*(?: \/)?>$/,
    );
    for (const [, address] of tag.matchAll(/(?:href|src)="([^"]*)"/g)) {
      assert.match(address, /^(?:https?|mailto|tel):/i);
    }
  }
}

Deno.test("sanitizeShowNotes returns only allowed markup for random input", () => {
  const shards = [
    ..."<>\"'&;=/ \n`".split(""),
    ...[
      "<p>",
      "</p>",
      "<a href=",
      "<img src=",
      "<script>",
      "</script>",
      "<svg>",
      "<style>",
      "<!--",
      "-->",
      "<![CDATA[",
    ],
    ...["javascript:", "https://x.example/", "onerror=alert(1)", "&#106;", "&lt;script&gt;", "<iframe>", "<textarea>"],
    ...[
      "<b>",
      "</b>",
      "</table>",
      "<table><td>",
      'title="',
      "\u0000",
      "<x:y ",
      "<math>",
      "<title>",
      "<noscript>",
      "word",
    ],
  ];
  for (let seed = 1; seed <= byScale(400, 50_000); seed++) {
    const { below, one } = seededRandom(seed);
    const html = Array.from({ length: 1 + below(25) }, () => one(shards)).join("");
    const safe = notes(html);
    try {
      assertSafe(safe ?? "");
      assertSafe(notes(safe ?? "") ?? "");
    } catch (cause) {
      throw new Error(`with seed ${seed}: ${html}`, { cause });
    }
  }
});

Deno.test("SHOW_NOTES_VERSION equals private.show_notes_version()", async () => {
  const sql = await Deno.readTextFile(new URL("../../sql/30_episodes/rules/show_notes.sql", import.meta.url));
  assert.match(
    sql,
    new RegExp(`function private\\.show_notes_version\\(\\)[^;]*\nreturn ${SHOW_NOTES_VERSION};`),
  );
});
