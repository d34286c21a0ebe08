// An email with HTML that a person wrote, on a phone.
import assert from "node:assert/strict";
import { note, renderEmail, richText } from "../../functions/mail/layout.ts";
import { withPage } from "./chromium.ts";

const written = `<p>Hello Zoe, thank you for the recording.</p>
<p><img src="https://casts.test/wide.svg" alt="Cover"></p>
<p><img src="https://casts.test/wide.svg" width="1200" height="300" alt="Cover with a size"></p>
<pre>${"a line of code ".repeat(12)}\n${"x".repeat(200)}</pre>
<table><tr>${"<td>A cell of a table</td>".repeat(6)}</tr></table>
<table role="presentation" width="600"><tr><td width="300" style="width:600px;padding:8px;background-color:#eee">
<a href="https://casts.test/" style="display:inline-block;padding:12px 20px;color:#fff;background-color:#9a3412">Go</a>
</td><td style="width:300px">Beside it</td></tr></table>
<div style="width:900px;border:1px solid #ccc;padding:0 20px">Wide</div>
<p>https://casts.test/${"long".repeat(40)}</p>`;

withPage("an email's wide images, code, tables and URLs fit a phone of 320 pixels", async (page) => {
  const { html } = renderEmail({
    language: "en",
    subject: "Thank you",
    blocks: [await richText("Thank you", written)],
    footer: [note("You get this email because of a test.")],
  });
  const body =
    `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="300"><rect width="1200" height="300"/></svg>`;
  await page.route("**/wide.svg", (route) => route.fulfill({ contentType: "image/svg+xml", body }));
  await page.setContent(html, { waitUntil: "load" });
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320, "nothing is cut off");
  const sizes = await page.evaluate("[...document.images].map((each) => [each.width, each.height])");
  assert.deepEqual(sizes, [[280, 70], [280, 70]], "images keep their proportions");
}, { viewport: { width: 320, height: 600 } });
