// SQL and TypeScript produce the same plain text, so that /v1, pages and feeds show the same words.
import assert from "node:assert/strict";
import { toPlainText } from "../../functions/text/plain_text.ts";
import { HTML_ENTITIES } from "../../functions/text/html_entities.ts";
import { sql } from "../http/harness.ts";

async function assertSame(texts: string[]) {
  const rows = await sql<{ text: string }[]>`
    select private.plain_text(words) as text from unnest(${texts}::text[]) with ordinality t (words, n) order by n`;
  for (const [n, { text }] of rows.entries()) {
    // remaining tags are escaped by both
    assert.equal(text, toPlainText(texts[n], 1_000_000).replaceAll(/<(?=[a-z/!?])/gi, "&lt;"), texts[n].slice(0, 200));
  }
}

Deno.test("the database decodes every HTML entity as toPlainText does", async () => {
  const names = [...HTML_ENTITIES.keys()];
  await assertSame(names.flatMap((name) => [`<p>a&${name};b`, `<p>&${name.toUpperCase()};`, `<p>&${name} b`]));
  const [{ count }] = await sql`select count(*) from jsonb_object_keys(private.html_entities())`;
  assert.equal(Number(count), names.length);
});

Deno.test("the database decodes every numeric reference as toPlainText does and keeps invalid ones", async () => {
  const edges = [0xd7ff, 0xd800, 0xdfff, 0xe000, 0xfffd, 0xfffe, 0xffff, 0x10000, 0x1f600, 0x10ffff, 0x110000];
  const codes = [...Array.from({ length: 0x180 }, (_, code) => code), ...edges, 0xffffff, 9_999_999];
  await assertSame(codes.flatMap((code) => {
    const hex = code.toString(16);
    return [
      `<p>a&#${code};b`,
      `<p>a&#x${hex};b`,
      `<p>a&#X${hex.toUpperCase()};b`,
      `<p>a&#00${code};b`,
      `<p>a&#${code} b`,
    ];
  }));
  await assertSame(["<p>&#;", "<p>&#x;", "<p>&#xg;", "<p>&#12345678;", "<p>&#x1234567;", "<p>&#-1;", "<p>&;", "<p>&"]);
});

Deno.test("the database converts whole descriptions as toPlainText does", async () => {
  await assertSame([
    "<p>It&#8217;s caf&eacute; &mdash; enjoy</p>",
    "<p>Smart &#147;quotes&#148;&#133;</p><p>R&amp;D&nbsp;&nbsp;x &amp;lt; AT&T; a&copy=1</p>",
    "<div>One\r\n two&#10;three</div>\n\n<ul>\n <li>four</li>\n\t<li><b> five </b> six</li></ul><p>&nbsp;</p>Seven<br/>eight",
    '<h2>Links</h2><a href="https://x.example/?a=1&amp;b=2">more</a>&emsp;&zwj;x<hr>&lt;script&gt;alert(1)&lt;/script&gt;',
    "a<script>if (1 < 2) x('&amp;')</script>b<style>p{}</style>c<!-- &eacute; <p> -->d<!-- e",
    "<p>1 &lt; 2 &#60;b&#62; &#x3c;i</p><P>夜行列車 &hearts; 😀 שלום</P>",
    "<p></p><p><br></p>&nbsp;<img src=x>",
    "No tag: It&#8217;s <3".replace("<3", "<br>3"),
    `<p>${"&amp;".repeat(100_000)}`,
    `<p>${"&".repeat(300_000)}`,
    `<p>${"&a".repeat(200_000)};`,
    `${"<p>&eacute;".repeat(50_000)}`,
  ]);
});
