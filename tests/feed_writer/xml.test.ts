// Any text leaves the feed well-formed and is read back unchanged.
import assert from "node:assert/strict";
import { renderHead, renderItem, TAIL } from "../../functions/feed_writer/render.ts";
import { renderElement } from "../../functions/feed_writer/xml.ts";
import { toUri } from "../../functions/text/uri.ts";
import { stripForbidden } from "../../functions/text/xml_text.ts";
import { childrenNamed, episode, parseXml, podcast } from "./fixture.ts";

const hostile: Record<string, string> = {
  "the end of a CDATA section": "a ]]> b ]]]]>> <![CDATA[ c",
  "markup": `<script>alert("x")</script> </item></channel></rss> <!-- -- > <?xml?> &amp; &bogus; &#0;`,
  "quotes": `"double" 'single' ="> /><x y='`,
  "control characters": Array.from({ length: 32 }, (_, code) => `${code}:${String.fromCharCode(code)}`).join(" "),
  "delete and the C1 controls": "a\u007f\u0080\u0085\u009f",
  "lone surrogates": "\ud800 \udc00 \udbff\ud83d\ude00 \ud83d",
  "noncharacters": "\ufffe\uffff\ufdd0\u{1fffe}\u{10ffff}",
  "emoji with joiners and flags": "👩‍👩‍👧‍👦 🏳️‍🌈 🇵🇱 1️⃣",
  "right-to-left text and its overrides": "עברית ‮ العربية ‏ \u2067x\u2069",
  "line ends of every kind": "a\r\nb\rc\nd\u2028e\u2029f",
  "a byte order mark": "\ufeffstart",
  "combining marks": "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢",
  "leading and trailing space": "  \t padded \t ",
  "an entity bomb": '<!DOCTYPE x [<!ENTITY a "aaaa">]>&a;',
  "one megabyte of notes": "<p>night & train</p>\n".repeat(50_000),
};

for (const [what, text] of Object.entries(hostile)) {
  Deno.test(`${what} in every field of a feed is read back unchanged`, () => {
    const show = podcast({
      title: text,
      description: text,
      author: text,
      copyright: text,
      owner_name: text,
      ai_disclosure: text,
      funding: [{ url: text, text }],
      cover_image_url: text,
      categories: [{ category: text, subcategory: text }],
    });
    const one = episode({ title: text, summary: text, show_notes_safe_html: text, guid: text, audio_url: text });
    const channel = parseXml(renderHead(show) + renderItem(one, show) + TAIL).children[0];
    const typed = stripForbidden(text);
    // in an attribute, a parser turns line ends and tabs into spaces (XML 1.0, 3.3.3)
    const attribute = typed.replace(/[\n\t]/g, " ");
    assert.equal(toUri(text), text, "it is not a URL");
    for (const tag of ["title", "itunes:author", "copyright"]) {
      assert.equal(childrenNamed(channel, tag)[0].text, typed, tag);
    }
    assert.equal(childrenNamed(channel, "itunes:owner")[0].children[0].text, typed);
    assert.equal(childrenNamed(channel, "podcast:funding")[0].attributes.url, attribute);
    assert.equal(childrenNamed(channel, "itunes:image")[0].attributes.href, attribute);
    assert.equal(childrenNamed(channel, "itunes:category")[0].children[0].attributes.text, attribute);
    const [read] = childrenNamed(channel, "item");
    for (const tag of ["title", "content:encoded", "guid"]) {
      assert.equal(childrenNamed(read, tag)[0].text, typed, tag);
    }
    assert.equal(childrenNamed(read, "enclosure")[0].attributes.url, attribute);
  });
}

Deno.test("stripForbidden removes characters that XML forbids, and no others", () => {
  assert.equal(stripForbidden("a\u0000b\u0008\u000b\u001fc\ufffe\uffff\ud800d\udfff"), "abcd");
  const kept = "\t\n \u007f\u0085\u2028\ufeff\ufffd😀é";
  assert.equal(stripForbidden(kept), kept);
});

Deno.test("blank text omits its tag", () => {
  for (
    const nothing of [undefined, null, "", " \n", "\u0000\u200b", { text: "\ufeff" }, {
      attributes: { href: "\u0001" },
    }, { children: { a: null } }]
  ) {
    assert.equal(renderElement("x", nothing), "");
  }
  for (const something of [0, false]) assert.equal(renderElement("x", something), `<x>${something}</x>`);
});
