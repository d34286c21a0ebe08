// The layout of emails: escaping, plain text, languages, dark mode.
import assert from "node:assert/strict";
import {
  button,
  heading,
  note,
  paragraph,
  quote,
  renderEmail,
  richText,
  smallLink,
} from "../../functions/mail/layout.ts";

const hostile = `<script>alert(1)</script> "&' </title></style>`;

Deno.test("renderEmail escapes titles, texts, labels and URLs in its HTML", () => {
  const { html } = renderEmail({
    language: "en",
    subject: hostile,
    preheader: hostile,
    blocks: [heading(hostile), paragraph(hostile), quote(hostile), button(hostile, `https://casts.test/?a="><b>`)],
    footer: [note(hostile), smallLink(hostile, `https://casts.test/?a="><b>`)],
    pixelUrl: `https://casts.test/?a="><b>`,
  });
  assert.doesNotMatch(html, /<script|<b>|<\/style>[^]*<\/style>|<\/title>[^]*<\/title>/);
  assert.equal(html.split("&lt;script&gt;alert(1)&lt;/script&gt; &quot;&amp;&#39;").length, 9);
  assert.equal(html.split(`https://casts.test/?a=&quot;&gt;&lt;b&gt;`).length, 4);
});

Deno.test("renderEmail writes the blocks and the footer as plain text", () => {
  const { text } = renderEmail({
    language: "en",
    subject: "Hello",
    blocks: [heading("Title"), quote("One\n\nTwo"), button("View", "https://casts.test/v", "View it here:")],
    footer: [note("Why you get this."), smallLink("Unsubscribe", "https://casts.test/u")],
  });
  assert.equal(
    text,
    "Title\n\n> One\n> \n> Two\n\nView it here:\nhttps://casts.test/v\n\n---\n\nWhy you get this.\n\n" +
      "Unsubscribe: https://casts.test/u\n",
  );
});

Deno.test("renderEmail draws the line of a quote where its text begins", () => {
  const { html } = renderEmail({
    language: "en",
    subject: "Subject",
    blocks: [quote("Zoe: متى نبدأ التسجيل غدا؟"), quote("When do we begin?")],
  });
  const quotes = [...html.matchAll(/<blockquote dir="(\w+)"[^>]*border-(\w+):/g)].map(([, ...parts]) => parts);
  assert.deepEqual(quotes, [["rtl", "right"], ["ltr", "left"]]);
});

Deno.test("renderEmail keeps the line breaks of paragraphs and quotes in its HTML", () => {
  const blocks = [paragraph("One\nTwo"), quote("One\nTwo")];
  const { html } = renderEmail({ language: "en", subject: "Hello", preheader: "Hello", blocks });
  assert.equal(html.match(/<(p|blockquote) [^>]*white-space:pre-line">One\nTwo<\/\1>/g)?.length, 2);
});

Deno.test("paragraphs have the direction of most of their letters", () => {
  for (
    const [text, direction] of [
      ["ليلى حداد asks for November 25, 2026.", "ltr"],
      ["Zoe: متى نبدأ التسجيل غدا؟", "rtl"],
      ["25.", "ltr"],
    ]
  ) {
    for (const block of [heading(text), paragraph(text), note(text)]) {
      assert.match(String(block.html), new RegExp(`^<\\w+ dir="${direction}" `));
    }
  }
});

Deno.test("richText keeps the allowed HTML of a person, and falls back to the text", async () => {
  const { text, html } = await richText("Plain", `<p onclick="x()">Hi <b>Zoe</b>\u202e<script>alert(1)</script></p>`);
  assert.equal(text, "Plain");
  assert.match(String(html), /^<div dir="auto" [^>]*><p style="[^"]*">Hi <b>Zoe<\/b><\/p><\/div>$/);
  assert.match(String((await richText("Plain <b>", "<script></script>")).html), /^<p [^>]*>Plain &lt;b&gt;<\/p>$/);
});

Deno.test("richText puts a person's styles after the layout's", async () => {
  const { html } = await richText(
    null,
    `<p style="margin:0">a</p><p>b</p><table role="presentation" style="border:0"><tr><td style="width:600px">c</td></tr>` +
      `</table><div style="width:50%">d</div><img src="https://x.example/a.png" title='x style=">"'>`,
  );
  assert.equal(
    String(html),
    `<div dir="auto" class="written" style="margin:0 0 16px"><p style="margin:0 0 16px;margin:0">a</p>` +
      `<p style="margin:0 0 16px">b</p><table role="presentation" style="margin:0 0 16px;max-width:100%;border:0"><tr>` +
      `<td style="max-width:100%;box-sizing:border-box;width:600px">c</td></tr></table>` +
      `<div style="max-width:100%;box-sizing:border-box;width:50%">d</div>` +
      `<img style="max-width:100%;height:auto" src="https://x.example/a.png" title="x style=&quot;&gt;&quot;" /></div>`,
  );
});

Deno.test("richText keeps a light page for the colors of a person, also in dark mode", async () => {
  const isLight = async (written: string) =>
    String((await richText(null, written)).html).includes('class="written light"');
  assert.equal(await isLight('<p style="color:#333">a</p>'), true);
  assert.equal(await isLight('<p style="padding:0;background:#fff">a</p>'), true);
  assert.equal(await isLight('<table><tr><td bgcolor="#eee">a</td></tr></table>'), true);
  assert.equal(await isLight('<p style="padding:0">a color: red bgcolor=x</p>'), false);
  assert.equal(await isLight('<p title=" style=color">a</p>'), false);
});

Deno.test("renderEmail names language and direction, and supports dark mode and phones", () => {
  const page = (language: string) => renderEmail({ language, subject: "Hello", blocks: [paragraph("Hello")] }).html;
  assert.match(page("de"), /<html lang="de" dir="ltr">/);
  assert.match(page("ar-EG"), /<html lang="ar-EG" dir="rtl">/);
  for (const part of ['name="color-scheme" content="light dark"', "prefers-color-scheme: dark", "max-width: 600px"]) {
    assert.ok(page("en").includes(part), part);
  }
  assert.doesNotMatch(page("en"), /<img/, "an email without a pixel has no image");
});

Deno.test("renderEmail shows the preheader, or the first block, after the subject", () => {
  const hidden = (preheader?: string) =>
    /display:none[^>]*>([^<]*)</.exec(
      renderEmail({ language: "en", subject: "S", preheader, blocks: [paragraph("First"), paragraph("Second")] }).html,
    )?.[1];
  assert.equal(hidden("Before"), "Before");
  assert.equal(hidden(), "First");
});

Deno.test("text in emails cannot reorder the text around it", () => {
  const { text, html } = renderEmail({
    language: "en",
    subject: "\u202eS",
    blocks: [paragraph("\u202eevil\u202c \u2067x")],
  });
  for (const part of [text, html]) assert.doesNotMatch(part, /[\u202a-\u202e\u2066-\u2069]/);
});
