// Malformed documents: each is read and reported with a warning.
import assert from "node:assert/strict";
import { assertFeedError, COMPLETE_ITEM, item, readFeedText, readItem, rss, warningCodes } from "./reading.ts";

const HTML = "<description><![CDATA[<p>One</p>]]></description>";

/** Documents with their titles and warnings. */
const documents: Record<string, [document: string, titles: string[], codes: string[]]> = {
  "a well-formed feed gives no warning": [rss(item("One") + item("Two")), ["One", "Two"], []],
  "leading white space and a byte order mark give no warning": [`\ufeff \n\t${rss(item("One"))}`, ["One"], []],
  "a server's error message before the feed is skipped": [
    `Notice: undefined index in feed.php\n<br />\n${rss(item("One"))}`,
    ["One"],
    ["LEADING_CONTENT"],
  ],
  "a malformed declaration is skipped": [
    `<?xml version="1.0">${rss(item("One")).slice(22)}`,
    ["One"],
    [],
  ],
  "a document that ends in an item keeps those before it": [
    rss(item("One") + item("Two") + item("Three")).split("<title>Three")[0],
    ["One", "Two"],
    ["DOCUMENT_TRUNCATED"],
  ],
  "a document that ends inside a tag keeps the complete items": [
    rss(item("One")).split("</channel>")[0] + '<item><title>Two</title><enclosure url="https://a.exam',
    ["One"],
    ["DOCUMENT_TRUNCATED"],
  ],
  "a document that ends in a CDATA section keeps the complete items": [
    rss(item("One")).split("</channel>")[0] + "<item><guid>2</guid><description><![CDATA[Long ago",
    ["One"],
    ["DOCUMENT_TRUNCATED"],
  ],
  "a document that ends in a comment keeps the complete items": [
    rss(item("One")).split("</channel>")[0] + "<!-- <item><title>Two</title></item>",
    ["One"],
    ["DOCUMENT_TRUNCATED"],
  ],
  "an unclosed CDATA section ends with its element when another section follows": [
    rss(
      item("One", "<description><![CDATA[Lost</description>") +
        item("Two", "<description><![CDATA[Kept]]></description>"),
    ),
    ["One", "Two"],
    ["CDATA_UNCLOSED"],
  ],
  "an unclosed CDATA section ends with its element when no section follows": [
    rss(item("One", "<description><![CDATA[Lost</description>") + item("Two")),
    ["One", "Two"],
    ["CDATA_UNCLOSED"],
  ],
  "an unclosed item ends where the next one begins": [
    rss(item("One").replace("</item>", "") + item("Two")),
    ["One", "Two"],
    ["TAG_UNCLOSED"],
  ],
  "an unclosed text ends where the next element begins": [
    rss(item("One").replace("</title>", "") + item("Two")),
    ["One", "Two"],
    ["TAG_UNCLOSED"],
  ],
  "an unclosed title ends where a link begins": [
    rss("<link>https://a.example/</link>" + item("One").replace("</title>", "<link>https://a.example/1</link>")),
    ["One"],
    ["TAG_UNCLOSED"],
  ],
  "an unclosed element ends with its item": [
    rss(item("One", "<itunes:duration>61") + item("Two")),
    ["One", "Two"],
    ["TAG_UNCLOSED"],
  ],
  "closing tags match in any letter case": [
    rss(item("One").replace("</title>", "</TITLE>").replace("</item>", "</Item>") + item("Two")),
    ["One", "Two"],
    ["TAG_CASE_MISMATCH"],
  ],
  "a closing tag without an open element is ignored": [rss(`</p>${item("One", "</b>")}`), ["One"], []],
  "an unclosed CDATA section ends with a closing tag in any letter case": [
    rss(
      "<item><title><![CDATA[One</TITLE\n><guid>1</guid></item>" +
        item("Two", "<description><![CDATA[Kept]]></description>"),
    ),
    ["One", "Two"],
    ["CDATA_UNCLOSED", "TAG_CASE_MISMATCH", "ENCLOSURE_MISSING", "DATE_MISSING", "DATE_ESTIMATED"],
  ],
  "a document type with declarations may have space before its end": [
    rss(item("One", HTML) + item("Two", HTML))
      .replace("?>", '?><!DOCTYPE rss [<!ENTITY nbsp "&#160;">\n] \n>'),
    ["One", "Two"],
    [],
  ],
  "a document type with brackets in its URL has no declarations": [
    rss(item("One", HTML) + item("Two", HTML)).replace("?>", '?><!DOCTYPE rss SYSTEM "a[b].dtd">'),
    ["One", "Two"],
    [],
  ],
  "a tag that is too long gives a warning": [
    rss(item("One", `<itunes:image href="data:image/png;base64,${"A".repeat(150_000)}"/>`) + item("Two")),
    ["One", "Two"],
    ["TAG_TOO_LONG"],
  ],
  "a missing end of the document gives a warning": [rss(item("One")).replace("</rss>", ""), ["One"], [
    "DOCUMENT_TRUNCATED",
  ]],
  "items outside of the channel, as in RSS 1.0, are read": [
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">` +
    `<channel><title>Show</title></channel>${item("One")}</rdf:RDF>`,
    ["One"],
    [],
  ],
  "a comment with its content is ignored": [rss(`<!-- ${item("No")} -->${item("One")}`), ["One"], []],
  "an item inside another element is ignored": [
    rss(
      `<podcast:liveItem>${item("Live").replaceAll("item>", "thing>")}<title>No</title></podcast:liveItem>${
        item("One")
      }`,
    ),
    ["One"],
    [],
  ],
};

for (const [what, [document, titles, codes]] of Object.entries(documents)) {
  Deno.test(`parseFeed: ${what}`, async () => {
    for (const piece of [1, 7, 1000, 100_000]) {
      const found = await readFeedText(document, { piece });
      assert.deepEqual(found.read.map(({ title }) => title), titles);
      assert.deepEqual(found.codes, codes);
      assert.equal(found.channel.title, "Show");
    }
  });
}

Deno.test("parseFeed keeps the text of an unclosed CDATA section and reads the elements after it", async () => {
  const { read } = await readFeedText(rss(
    `<item><guid>a</guid><description><![CDATA[Half a text</description><title>A</title></item>` +
      item("B", "<description><![CDATA[Whole]]></description>"),
  ));
  assert.deepEqual(read.map(({ title, description }) => [title, description]), [["A", "Half a text"], ["B", "Whole"]]);
  assert.ok(warningCodes(read[0]).includes("CDATA_UNCLOSED"));
  assert.ok(!warningCodes(read[1]).includes("CDATA_UNCLOSED"));
});

Deno.test("parseFeed treats a link inside HTML text as markup", async () => {
  const text = 'One <link href="https://a.example/"/> two';
  assert.equal((await readItem(`<description>${text}</description>`)).description, text);
});

Deno.test("parseFeed reads a CDATA section that mentions CDATA as one text", async () => {
  const text = "Write &lt;b&gt; or <![CDATA[ … and </p> as you like";
  assert.equal((await readItem(`<description><![CDATA[${text}]]></description>`)).description, text);
});

const NAMESPACED = "<p:title>Inner</p:title><p:duration>90</p:duration><p:episodetype>Bonus</p:episodetype>";

/** The document's attributes, its prefix, and the warnings. */
const declarations: Record<string, [attributes: string, prefix: string, codes: string[]]> = {
  "another prefix": ['xmlns:p="http://www.itunes.com/dtds/podcast-1.0.dtd"', "p", []],
  "another case of the URL": ['xmlns:p="http://www.itunes.com/DTDs/Podcast-1.0.dtd"', "p", []],
  "https, without www and with a slash": ["xmlns:p='https://itunes.com/dtds/podcast-1.0.dtd/'", "p", []],
  "another case of the prefix": ['xmlns:iTunes="http://www.itunes.com/dtds/podcast-1.0.dtd"', "iTunes", []],
  "no declaration at all": ["", "itunes", ["NAMESPACE_UNDECLARED"]],
  "an unknown URL": ['xmlns:itunes="http://example.com/itunes"', "itunes", ["NAMESPACE_UNKNOWN"]],
};

for (const [what, [attributes, prefix, codes]] of Object.entries(declarations)) {
  Deno.test(`parseFeed reads elements of a known namespace with ${what}`, async () => {
    const inside = `<item><guid>1</guid>${COMPLETE_ITEM}${NAMESPACED.replaceAll("p:", `${prefix}:`)}</item>`;
    const found = await readFeedText(rss(inside, attributes));
    const [{ title, durationSeconds, episodeType }] = found.read;
    assert.deepEqual({ title, durationSeconds, episodeType }, {
      title: "Inner",
      durationSeconds: 90,
      episodeType: "bonus",
    });
    assert.deepEqual(found.codes, codes);
  });
}

Deno.test("parseFeed ignores elements whose prefix is bound to another known namespace", async () => {
  const { title } = await readItem("<x:title>No</x:title><title>Yes</title>", {
    attributes: 'xmlns:x="https://x.example/"',
  });
  assert.equal(title, "Yes");
});

for (
  const namespace of [
    "http://www.w3.org/2005/Atom",
    "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "http://purl.org/rss/1.0/modules/content/",
    "http://www.w3.org/1999/xhtml",
    "https://x.example/",
  ]
) {
  Deno.test(`parseFeed reads a feed whose default namespace is ${namespace}`, async () => {
    const attributes = `xmlns="${namespace}" xmlns:p="http://www.itunes.com/dtds/podcast-1.0.dtd" ${" ".repeat(5000)}`;
    const { channel, read, codes } = await readFeedText(rss(item("One", "<p:duration>90</p:duration>"), attributes));
    assert.deepEqual([channel.title, read[0].title, read[0].durationSeconds], ["Show", "One", 90]);
    assert.deepEqual(codes, []);
  });
}

Deno.test("parseFeed applies a namespace declared on an element inside it only", async () => {
  const link = '<link xmlns="http://www.w3.org/2005/Atom" rel="next" href="https://show.example/2"/>';
  assert.equal((await readFeedText(rss(link + item("One")))).nextPage, "https://show.example/2");
});

/** Content that is not a feed, with its error code. */
const others: Record<string, [code: string, body: string]> = {
  "an empty response": ["EMPTY_FEED", ""],
  "white space": ["EMPTY_FEED", " \n\n"],
  "a feed without an item": ["EMPTY_FEED", rss("")],
  "a feed truncated in its first item": ["EMPTY_FEED", rss(item("One")).slice(0, -40)],
  "a feed whose items have no identifier": ["EMPTY_FEED", rss("<item><description>?</description></item><item/>")],
  "a web page": ["NOT_XML", "<!DOCTYPE html>\n<html><head><title>404</title></head><body><item></item></body></html>"],
  "a web page in XHTML": ["NOT_XML", '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'],
  "a piece of a web page": ["NOT_XML", "<div>Please wait</div>"],
  "a PDF": ["NOT_XML", "%PDF-1.7\n%\u00e2\u00e3\n1 0 obj\n<</Type/Catalog>>\nendobj <x:xmpmeta><rdf:li/></x:xmpmeta>"],
  "JSON": ["NOT_XML", '{"error":"<no feed>"}'],
  "a long text": ["NOT_XML", "no feed ".repeat(2000) + rss(item("One"))],
  "an Atom feed without an entry": [
    "EMPTY_FEED",
    '<feed xmlns="http://www.w3.org/2005/Atom"><title>Show</title></feed>',
  ],
  "a feed of another namespace": [
    "NOT_RSS",
    '<feed xmlns="https://x.example/"><entry><title>One</title></entry></feed>',
  ],
  "an element whose name is cut in a message": ["NOT_RSS", `<${"x".repeat(39)}\u{1f600}></${"x".repeat(39)}\u{1f600}>`],
  "a sitemap": ["NOT_RSS", '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url/></urlset>'],
};

for (const [what, [code, body]] of Object.entries(others)) {
  Deno.test(`parseFeed rejects ${what} with ${code}`, async () => {
    for (const piece of [1, 5000]) await assertFeedError(code, readFeedText(body, { piece }));
  });
}

Deno.test("parseFeed reads an element whose name begins with the one that stood there in the item before", async () => {
  const type = "<itunes:episodeType>bonus</itunes:episodeType>", number = "<itunes:episode>7</itunes:episode>";
  const { read } = await readFeedText(rss(item("One", number) + item("Two", type) + item("Three", number)));
  assert.deepEqual(read.map(({ episode, episodeType }) => [episode, episodeType]), [
    [7, null],
    [null, "bonus"],
    [7, null],
  ]);
});
