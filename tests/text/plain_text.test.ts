// Plain text of HTML: the visible text, truncated.
import assert from "node:assert/strict";
import { toPlainText } from "../../functions/text/plain_text.ts";

const cases: Record<string, [html: string, text: string]> = {
  "tags are stripped": ['<p>Read <a href="https://x.example/?a>b">more</a></p>', "Read more"],
  "each block starts one line": [
    "<ul>\n <li>One</li>\n <li>Two</li></ul><p></p><p>Three<br/>Four",
    "One\nTwo\nThree\nFour",
  ],
  "white space collapses": ["  a \n\t <b> b </b>  c&nbsp; d ", "a b c d"],
  "entities are decoded, once": [
    "R&amp;D &lt;b&gt; &eacute;&#233;&#xe9; &hellip; &amp;lt; &#128649;",
    "R&D <b> ééé … &lt; 🚉",
  ],
  "unknown entities and lone ampersands are kept": [
    "AT&T &nope; &constructor; a&copy=1 &#x110000;",
    "AT&T &nope; &constructor; a&copy=1 &#x110000;",
  ],
  "windows-1252 references are decoded as in browsers, and invalid references are kept": [
    "&#147;a&#x94;&#133; &#0; &#xd800; &#8;",
    "“a”… &#0; &#xd800; &#8;",
  ],
  "scripts, styles and comments are dropped": [
    "a<script>if (x < 1) b()</script><style>p{}</style><!-- <p>no</p> -->c<!-- d",
    "ac",
  ],
  "text that is not a tag is kept": ["1 < 2 and <3, a<", "1 < 2 and <3, a<"],
  "an unclosed quote drops nothing": ['<a href="x>one</a> two', '<a href="x>one two'],
  "markup without text is empty": ["<p>&nbsp;</p><img src=x>", ""],
};

for (const [what, [html, text]] of Object.entries(cases)) {
  Deno.test(`toPlainText: ${what}`, () => assert.equal(toPlainText(html, 4000), text));
}

Deno.test("truncate counts characters and splits none", () => {
  assert.equal(toPlainText("😀".repeat(10), 10), "😀".repeat(10));
  assert.equal(toPlainText("😀".repeat(11), 10), `${"😀".repeat(9)}…`);
  assert.equal(toPlainText("one two three", 8), "one two…");
});

Deno.test("toPlainText reads text that resembles a long tag in linear time", () => {
  const name = "a".repeat(1_000_000); // backtracking through it would take hours
  assert.equal(toPlainText(`before <${name}`, 10), "before <a…");
});
