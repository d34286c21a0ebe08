// Entities that a feed's own document type declares.
import assert from "node:assert/strict";
import { parseEntities } from "../../functions/feed_reader/entities.ts";
import { COMPLETE_ITEM, item, readFeedText, rss, warningCodes } from "./reading.ts";

/** A feed with these declarations and one item with this content. */
function declared(declarations: string, inside: string, more: { piece?: number } = {}) {
  const feed = rss(`<item><guid>1</guid>${COMPLETE_ITEM}${inside}</item>`).replace(
    "?>",
    `?>\n<!DOCTYPE rss [${declarations}]>\n`,
  );
  return readFeedText(feed, more);
}
const titleOf = async (declarations: string, title: string) =>
  (await declared(declarations, `<title>${title}</title>`)).read[0].title;

Deno.test("parseFeed expands declared entities in texts, attributes and the channel", async () => {
  const { read: [one], codes, channel } = await readFeedText(
    rss(
      `<author/><copyright>&show;</copyright><item><guid>&show;/1</guid>${COMPLETE_ITEM}<title>&show; &amp; one</title>
      <description>&show; <b class="&show;">bold</b></description>
      <itunes:image href="https://a.example/&path;.jpg"/></item>`,
    ).replace("?>", `?><!DOCTYPE rss [ <!ENTITY show "Night Trains"> <!ENTITY path 'a"b'> ]>`),
  );
  assert.deepEqual([one.guid, one.title], ["Night Trains/1", "Night Trains & one"]);
  assert.equal(one.description, 'Night Trains <b class="Night Trains">bold</b>');
  assert.equal(one.image, 'https://a.example/a"b.jpg');
  assert.equal(channel.copyright, "Night Trains");
  assert.ok(!codes.includes("ENTITY_UNKNOWN") && !codes.includes("ENTITY_UNDECLARED"), String(codes));
});

Deno.test("parseFeed leaves references in a CDATA section unchanged", async () => {
  assert.equal(await titleOf('<!ENTITY a "b">', "<![CDATA[&a; ]]>&a;"), "&a; b");
});

const values: Record<string, [declarations: string, written: string, expected: string]> = {
  "refers to characters by number": ['<!ENTITY a "&#8364;&#x20AC;&#150;">', "&a;", "€€–"],
  "refers to entities that are declared before and after it": [
    '<!ENTITY a "&b;-&c;"><!ENTITY b "B"><!ENTITY c "&b;C">',
    "&a;",
    "B-BC",
  ],
  "refers to XML's own entities": ['<!ENTITY a "Q&amp;A">', "&a;", "Q&A"],
  "is declared twice and keeps its first value": ['<!ENTITY a "one"><!ENTITY a "two">', "&a;", "one"],
  "contains double quotes in single ones": [`<!ENTITY a 'say "hi"'>`, "&a;", 'say "hi"'],
  "contains the end of a document type": ['<!ENTITY a "x]> <rss>">', "&a;", "x]> <rss>"],
  "is named like one of HTML's": ['<!ENTITY nbsp "-">', "a&nbsp;b", "a-b"],
  "follows other declarations, comments and instructions": [
    `<!ELEMENT rss (a|b)*><!-- it's ]> a comment --><?php "?><!ATTLIST rss a CDATA "]>"><!ENTITY % p "q">%p;<!ENTITY a "x">`,
    "&a;",
    "x",
  ],
  "cannot redefine XML's own": ['<!ENTITY lt "x"><!ENTITY amp "y">', "&lt;&amp;", "<&"],
  "is external and is never fetched": [
    '<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b PUBLIC "x" "http://127.0.0.1/"><!ENTITY c "C">',
    "&a;&b;&c;",
    "&a;&b;C",
  ],
  "is commented out": ['<!-- <!ENTITY a "x"> --><!ENTITY b "y">', "&a;&b;", "&a;y"],
  "contains characters that XML forbids": ['<!ENTITY a "x&#0;&#xD800;y">', "&a;", "xy"],
};
for (const [what, [declarations, written, expected]] of Object.entries(values)) {
  Deno.test(`an entity of a feed ${what}`, async () => {
    assert.equal(await titleOf(declarations, written), expected);
  });
}

Deno.test("parseFeed reads a document type in chunks of any size", async () => {
  for (const piece of [1, 7, 64]) {
    const { read } = await declared('<!ENTITY a "x]>y"><!-- ]> -->', "<title>&a;</title>", { piece });
    assert.equal(read[0].title, "x]>y", `pieces of ${piece}`);
  }
});

const skipped: Record<string, string> = {
  "that expand to billions": `<!ENTITY l0 "lol">${
    Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join("")
  }`,
  "that have more than 10,000 characters in all": `<!ENTITY l0 "${"x".repeat(5000)}"><!ENTITY l1 "${
    "y".repeat(5001)
  }">`,
  "that refer to themselves": '<!ENTITY l0 "&l1;"><!ENTITY l1 "&l0;">',
  "that refer to each other in a long chain": `<!ENTITY l0 "&l1;">${
    Array.from({ length: 40 }, (_, n) => `<!ENTITY l${n + 1} "&l${n + 2};">`).join("")
  }<!ENTITY l41 "x">`,
};
for (const [what, declarations] of Object.entries(skipped)) {
  Deno.test(`parseFeed skips a document type with entities ${what} and reads the feed`, async () => {
    const { read, codes } = await declared(declarations, "<title>&l0; and more</title>");
    assert.equal(read[0].title, "&l0; and more");
    assert.deepEqual(codes, ["DTD_SKIPPED", "ENTITY_UNKNOWN"]);
  });
}

Deno.test("parseFeed uses a document type whose entities expand to exactly 10,000 characters", async () => {
  assert.equal((await titleOf(`<!ENTITY a "${"x".repeat(9998)}"><!ENTITY b "yz">`, "&b;"))!, "yz");
});

Deno.test("parseFeed skips a document type longer than a tag may be, in chunks of any size", async () => {
  const long = `<!ENTITY ab "x">${"<!ELEMENT a (b|c)>\n".repeat(5000)}`;
  for (const piece of [1000, 1_000_000]) {
    const { read, codes } = await declared(long, "<title>&ab;</title>", { piece });
    assert.equal(read[0].title, "&ab;");
    assert.deepEqual(codes, ["DTD_SKIPPED", "ENTITY_UNKNOWN"], `pieces of ${piece}`);
  }
});

Deno.test("parseFeed expands entities to at most 10,000 characters per episode", async () => {
  const title = "<title>&a;&b;</title>";
  const items = `<item><guid>1</guid>${COMPLETE_ITEM}<description>${"&a;".repeat(20)}</description>${title}</item>` +
    `<item><guid>2</guid>${COMPLETE_ITEM}${title}</item>`;
  const declarations = `<!ENTITY a "${"x".repeat(1000)}"><!ENTITY b "B">`;
  const { read } = await readFeedText(rss(items).replace("?>", `?><!DOCTYPE rss [${declarations}]>`));
  assert.equal(read[0].description, "x".repeat(10_000) + "&a;".repeat(10));
  assert.ok(warningCodes(read[0]).includes("ENTITIES_NOT_EXPANDED"));
  assert.equal(read[0].title, "&a;&b;");
  assert.equal(read[1].title, `${"x".repeat(1000)}B`);
  assert.ok(!warningCodes(read[1]).includes("ENTITIES_NOT_EXPANDED"));
});

Deno.test("parseFeed lengthens a feed by at most 1,000,000 characters of entities", async () => {
  const items = Array.from(
    { length: 102 },
    (_, n) => `<item><guid>${n}</guid>${COMPLETE_ITEM}<title>&a;</title></item>`,
  );
  const declarations = `<!ENTITY a "${"x".repeat(9995)}"><!ENTITY b "B">`;
  const { read } = await readFeedText(rss(items.join("")).replace("?>", `?><!DOCTYPE rss [${declarations}]>`));
  const whole = read.filter(({ title }) => title !== "&a;");
  assert.equal(whole.length, 100);
  assert.ok(warningCodes(read[100]).includes("ENTITIES_NOT_EXPANDED"));
});

Deno.test("parseEntities does not count a reference that is at least as long as its text as growth", () => {
  const entities = parseEntities('<!ENTITY nbsp "\u00a0">', () => {})!;
  for (let n = 0; n < 150; n++) {
    entities.startItem();
    assert.equal(entities.expand("&nbsp;".repeat(10_000)), "\u00a0".repeat(10_000));
  }
});

Deno.test("parseFeed knows only XML's and HTML's entities without a document type", async () => {
  const { read } = await readFeedText(rss(item("&show;")));
  assert.equal(read[0].title, "&show;");
});

Deno.test("parseFeed ignores a document type with an unclosed comment and reads the feed after it", async () => {
  const { read } = await declared(`<!ENTITY a "b">${"<!--x>".repeat(9000)}`, "<title>&a;</title>");
  assert.equal(read[0].title, "&a;");
});

Deno.test("parseEntities searches once for the end of unclosed comments inside literals", () => {
  const literal = "<!--".repeat(1_000_000); // a search from each of them would take hours
  const entities = parseEntities(`<!ENTITY a "b"><!ELEMENT x "${literal}">`, () => {});
  assert.equal(entities!.expand("&a;"), "b");
});
