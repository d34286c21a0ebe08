// Images of other hosts in sanitized HTML become links.
import assert from "node:assert/strict";
import { linkForeignImages } from "../../functions/show_notes/link_foreign_images.ts";
import { sanitizeShowNotes } from "../../functions/show_notes/sanitize.ts";

const isOwn = (url: string) => url.startsWith("https://media.example/");
const link = (html: string) => linkForeignImages(sanitizeShowNotes(html)!, isOwn, "Image");

Deno.test("linkForeignImages keeps own images and loads them lazily", () => {
  assert.equal(
    link(`<img src="https://media.example/a.png?a=1&b=2" alt="A">`),
    `<img loading="lazy" src="https://media.example/a.png?a=1&amp;b=2" alt="A" />`,
  );
});

Deno.test("linkForeignImages replaces an image of another host by a link with its text", () => {
  assert.equal(
    link(
      `<p><img src="https://x.example/a?b=%22&c=1" alt="A &quot;map&quot; > B"> <img alt=" " src="http://y.example/"></p>`,
    ),
    `<p><a href="https://x.example/a?b=%22&amp;c=1" rel="noopener nofollow ugc">A &quot;map&quot; &gt; B</a> ` +
      `<a href="http://y.example/" rel="noopener nofollow ugc">Image</a></p>`,
  );
});

Deno.test("linkForeignImages keeps the text alone within a link, because links cannot be nested", () => {
  assert.equal(
    link(`<a href="https://y.example/">See <img src="https://x.example/" alt="it"></a> <img src="https://x.example/">`),
    `<a href="https://y.example/" rel="noopener nofollow ugc">See it</a> ` +
      `<a href="https://x.example/" rel="noopener nofollow ugc">Image</a>`,
  );
});

Deno.test("linkForeignImages takes little time for as many tags as sanitized notes can have", () => {
  const html = `<img src="https://x.example/" alt="${"x ".repeat(20)}" />`.repeat(10_000);
  assert.equal(linkForeignImages(html, isOwn, "Image").split("<a ").length, 10_001);
});
