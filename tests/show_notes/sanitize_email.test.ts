// Sanitizing of emails: the styles and attributes that the allow-list keeps, and what it removes.
import assert from "node:assert/strict";
import { sanitizeEmail } from "../../functions/show_notes/sanitize_email.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";

const kept: Record<string, string> = {
  "a link that looks like a button": '<p><a href="https://x.example/" style="display:inline-block;padding:12px 20px;' +
    'border-radius:8px;background-color:#9a3412;color:#ffffff;font-weight:600;text-decoration:none" ' +
    'rel="noopener nofollow ugc">Go</a></p>',
  "a table that places its cells": '<table role="presentation" align="center" width="100%" cellpadding="0" ' +
    'cellspacing="0" border="0" bgcolor="#eeeeee" style="border-collapse:collapse;width:100%"><tr valign="top"><td ' +
    'colspan="2" align="left" valign="middle" width="50%" style="padding:8px;text-align:center">a</td></tr></table>',
  "aligned paragraphs": '<p align="center">a</p><center>b</center><h1 align="right">c</h1>',
};
for (const [what, html] of Object.entries(kept)) {
  Deno.test(`sanitizeEmail keeps ${what}`, () => assert.equal(sanitizeEmail(html), html));
}

const styleOf = (style: string) =>
  / style="([^"]*)"/.exec(sanitizeEmail(`<p style="${style.replaceAll('"', "&quot;")}">a</p>`)!)?.[1] ?? null;

const styles = [
  ...["color:red", "color:#ABC", "color:rgba(1, 2, 3, 0.5)", "background:#fff", "background-color:transparent"],
  ...["font-weight:bold", "font-weight:700", "text-align:center", "text-decoration:none", "display:block"],
  ...["padding:0", "padding:1px 2.5px 3em 0", "padding-left:99px", "margin:0 auto", "margin-top:1.5rem"],
  ...["border:1px solid #ccc", "border:none", "border-left:4px dotted", "border-color:red blue", "border-width:0 1px"],
  ...["border-radius:50%", "width:100%", "width:33.33%", "width:600px", "width:auto"],
];
for (const style of styles) {
  Deno.test(`sanitizeEmail keeps the style ${style}`, () => assert.equal(styleOf(style), style));
}

const changed: Record<string, string | null> = {
  " Color : RED ; padding:1px!important ;;x": "padding:1px",
  "font-family:'Segoe UI', \"x\"; color:red": "color:red",
  "color:red} p{position:fixed": null,
  "color;color:red:blue;constructor:x": null,
  "color:r\\65 d": null,
  "/**/color:red": null,
  "background:url(https://x.example/)": null,
  "background-color:url(https://x.example/)": null,
  "color:expression(alert(1))": null,
  "color:var(--x)": null,
  "background-image:none": null,
  "position:fixed": null,
  "position:absolute;top:0": null,
  "float:left": null,
  "display:none": null,
  "transform:none": null,
  "opacity:0": null,
  "margin:-10px": null,
  "margin:0 -10px": null,
  "margin-top:-1em": null,
  "margin-bottom:calc(0px - 99px)": null,
  "padding:100px": null,
  "padding:1e3px": null,
  "padding:10vh": null,
  "padding:1px 2px 3px 4px 5px": null,
  "border:1px groove red": null,
  "border-image:none": null,
  "width:100.5%": null,
  "width:101%": null,
  "width:1000px": null,
  "max-width:none": null,
  "min-width:900px": null,
  "height:900px": null,
};
for (const [style, safe] of Object.entries(changed)) {
  Deno.test(`sanitizeEmail changes the style ${style} to ${safe}`, () => assert.equal(styleOf(style), safe));
}

Deno.test("sanitizeEmail keeps the first 1,000 characters of a style", () => {
  assert.equal(styleOf("color:red;" + "x:1;".repeat(247) + "width:1%;padding:0"), "color:red");
});

Deno.test("sanitizeEmail removes attributes with unknown values, classes and ids", () => {
  assert.equal(
    sanitizeEmail(
      `<table class="x" id="y" role="button" width="9999999" cellpadding="999" border="-1" align="a b" bgcolor="url(x)"` +
        ` background="https://x.example/"><tr height="9"><td nowrap valign="sub">a</td></tr></table>`,
    ),
    "<table><tr><td>a</td></tr></table>",
  );
});

Deno.test("sanitizeEmail removes scripts, handlers, frames, forms and style sheets, and the head of a document", () => {
  assert.equal(
    sanitizeEmail(
      `<!doctype html><html><head><title>T</title><style>p{}</style><meta charset="utf-8"></head><body onload="x()">` +
        `<p onclick="x()">a</p><script>x()</script><form><input value="b"></form><iframe src="//x"></iframe>` +
        `<a href="javascript:x()" style="color:red">c</a><img src="data:x" style="width:1px"></body></html>`,
    ),
    '<p>a</p><a style="color:red">c</a>',
  );
  assert.equal(sanitizeEmail('<p style="color:red"> </p>'), null);
});

Deno.test("sanitizeEmail returns only allowed styles and attributes for random input", () => {
  const shards = [
    ..."<>\"'&;:=/ \n()!-{}\\".split(""),
    ...[
      "<p style=",
      "<table role=",
      "<td width=",
      "</td>",
      "<a href=",
      "<style>",
      "</style>",
      "style=",
      "color",
      "red",
    ],
    ...[
      "margin",
      "-9px",
      "9px",
      "padding:",
      "url(",
      "/*",
      "*/",
      "position:fixed",
      "&quot;",
      "&#58;",
      "https://x/",
      "a",
    ],
  ];
  for (let seed = 1; seed <= byScale(400, 50_000); seed++) {
    const { below, one } = seededRandom(seed);
    const html = Array.from({ length: 1 + below(30) }, () => one(shards)).join("");
    const safe = sanitizeEmail(`${html}x`) ?? "";
    for (const [tag] of safe.matchAll(/<[^>]*>?/g)) {
      assert.match(
        tag,
        /^<\/?(?:p|table|td|a)(?: (?:style|role|width|href|rel)="[^"<>]*")*>$/,
        `seed ${seed}: ${html}`,
      );
      const style = / style="([^"]*)"/.exec(tag)?.[1] ?? "";
      assert.match(style, /^(?:(?:color:[a-z]+|(?:margin|padding):[ 9px]+);?)*$/, `seed ${seed}: ${html}`);
    }
  }
});

const bombs: Record<string, string> = {
  "styles that no parser reads": `<p style="color:'red;x:1">x`.repeat(10_000),
  "one long style": `<p style="${"color:red;".repeat(100_000)}">x</p>`,
  "nested tables": '<table role="presentation"><tr><td style="padding:1px">'.repeat(3000),
  "more tags than are parsed": '<b style="color:red">x'.repeat(10_001),
};
for (const [what, html] of Object.entries(bombs)) {
  Deno.test(`sanitizeEmail bounds its output for ${what}`, () => {
    assert.ok((sanitizeEmail(html) ?? "").length <= html.length + 100_000);
  });
}
