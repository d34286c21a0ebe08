/**
 * The layout that all emails of the product share, as plain text and as HTML. Mail clients know tables and inline styles
 * best; a style sheet adds dark mode and phones where they are supported.
 */
import { html, raw } from "hono/html";
import type { Email } from "./email.ts";

type Html = ReturnType<typeof html>;

/** One part of an email, as plain text and as HTML. */
export interface Block {
  text: string;
  html: Html;
}

/** Text of titles, names and messages without characters that reorder the text around them. */
const keepOrder = (text: string) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");

const RIGHT_TO_LEFT_LETTERS = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Nko}\p{Script=Syriac}\p{Script=Thaana}]/gu;

/** That of most letters. By `dir="auto"`, a name at the start of a sentence would turn all of it around. */
const directionOf = (text: string) =>
  2 * (text.match(RIGHT_TO_LEFT_LETTERS) ?? []).length > (text.match(/\p{L}/gu) ?? []).length ? "rtl" : "ltr";

export function paragraph(content: string): Block {
  const text = keepOrder(content);
  return { text, html: html`<p dir="${directionOf(text)}" style="margin:0 0 16px;white-space:pre-line">${text}</p>` };
}

/**
 * HTML that a person wrote, reduced to the allow-list of emails and to the width of a phone. Its text derives from the
 * HTML, unless the person wrote one.
 */
export async function richText(text: string | null, written: string): Promise<Block> {
  const { sanitizeEmail } = await import("../show_notes/sanitize_email.ts"); // takes 5 MB; most isolates need none
  const safe = sanitizeEmail(written);
  if (safe === null) return paragraph(text ?? "");
  const { toFormattedText } = await import("../text/formatted_text.ts");
  const content = raw(addStyles(keepOrder(safe)));
  return {
    text: keepOrder(text ?? toFormattedText(safe)),
    html: HAS_COLOR.test(safe)
      ? html`<div dir="auto" class="written light" style="margin:0 0 16px;background:#ffffff;color:#1c1917">${content}</div>`
      : html`<div dir="auto" class="written" style="margin:0 0 16px">${content}</div>`,
  };
}

/** Colors that a person chose for a light page, in sanitized HTML. */
const HAS_COLOR = /<[^>]* (?:style="[^"]*(?:color|background)|bgcolor=)/;

const STYLES_OF_TAGS: Record<string, string> = {
  p: "margin:0 0 16px",
  pre: "margin:0 0 16px;white-space:pre-wrap",
  table: "margin:0 0 16px;max-width:100%",
  img: "max-width:100%;height:auto",
};

/** Takes sanitized HTML: each `<` begins a tag, and no attribute contains quotes or `>`. The person's styles follow ours. */
const addStyles = (safe: string) =>
  safe.replace(/<([a-z][a-z0-9]*)( [^>]*)?>/g, (whole, tag, attributes = "") => {
    const own = / style="([^"]*)"/.exec(attributes);
    const ours = STYLES_OF_TAGS[tag] ?? (own && /(?:^|;)width:/.test(own[1]) && "max-width:100%;box-sizing:border-box");
    if (!ours) return whole;
    return own
      ? `<${tag}${attributes.replace(own[0], ` style="${ours};${own[1]}"`)}>`
      : `<${tag} style="${ours}"${attributes}>`;
  });

export function heading(content: string): Block {
  const text = keepOrder(content);
  return {
    text,
    html: html`<h1 dir="${directionOf(text)}" style="margin:0 0 16px;font-size:20px;line-height:1.3">${text}</h1>`,
  };
}

/** Of a section, such as a podcast in a digest. */
export function subheading(content: string): Block {
  const text = keepOrder(content);
  return {
    text: `# ${text}`,
    html: html`<h2 dir="${directionOf(text)}" style="margin:24px 0 12px;font-size:16px;line-height:1.3">${text}</h2>`,
  };
}

export function quote(content: string): Block {
  const text = keepOrder(content), direction = directionOf(text);
  const side = direction === "rtl" ? "right" : "left"; // few mail clients know border-inline-start
  return {
    text: text.replace(/^/gm, "> "),
    html:
      html`<blockquote dir="${direction}" class="quote" style="margin:0 0 16px;padding:0 16px;border-${side}:4px solid #d6d3d1;white-space:pre-line">${text}</blockquote>`,
  };
}

/** `lead` introduces the link in plain text, where there is no button. */
export const button = (label: string, url: string, lead = `${label}:`): Block => ({
  text: `${lead}\n${url}`,
  html:
    html`<p style="margin:24px 0 16px"><a class="button" href="${url}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#9a3412;color:#ffffff;font-weight:600;text-decoration:none">${label}</a></p>`,
});

export function note(content: string): Block {
  const text = keepOrder(content);
  return {
    text,
    html: html`<p dir="${
      directionOf(text)
    }" class="muted" style="margin:0 0 12px;font-size:14px;color:#57534e">${text}</p>`,
  };
}

/** A link in the footer. */
export const smallLink = (label: string, url: string): Block => ({
  text: `${label}: ${url}`,
  html:
    html`<p class="muted" style="margin:0 0 8px;font-size:14px"><a class="muted" href="${url}" style="color:#57534e">${label}</a></p>`,
});

export const monospaced = (text: string): Block => ({
  text,
  html: html`<p dir="ltr" style="margin:0 0 16px;overflow-wrap:anywhere"><code>${text}</code></p>`,
});

export const code = (text: string): Block => ({
  text,
  html:
    html`<p dir="ltr" style="margin:24px 0 16px;font-size:32px;letter-spacing:6px;font-variant-numeric:tabular-nums"><strong>${text}</strong></p>`,
});

interface EmailParts {
  /** BCP 47. */
  language: string;
  subject: string;
  /** What inboxes show after the subject; the first block without it. */
  preheader?: string;
  blocks: Block[];
  footer?: Block[];
  /** The pixel that reports that the email was opened. */
  pixelUrl?: string;
}

export function renderEmail(parts: EmailParts): Pick<Email, "subject" | "text" | "html"> {
  const { subject, blocks, footer = [] } = parts;
  const texts = [...blocks, ...footer.length ? [{ text: "---" }, ...footer] : []].map(({ text }) => text);
  return { subject, text: `${texts.join("\n\n")}\n`, html: String(renderPage(parts)) };
}

const RIGHT_TO_LEFT = ["ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"];

const STYLES = raw(`
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #1c1917 !important; color: #f5f5f4 !important; }
  .card { background: #292524 !important; color: #f5f5f4 !important; }
  .muted { color: #d6d3d1 !important; }
  .quote { border-color: #78716c !important; }
  .button { background: #fdba74 !important; color: #1c1917 !important; }
  .light { padding: 16px; border-radius: 8px; color-scheme: light; }
}
@media (max-width: 600px) {
  .frame { padding: 0 !important; }
  .card { padding: 24px 20px 8px !important; border-radius: 0 !important; }
  .foot { padding: 16px 20px 24px !important; }
  .written td, .written th { width: auto !important; }
}
`);

function renderPage({ language, subject, preheader = "", blocks, footer = [], pixelUrl }: EmailParts): Html {
  const direction = RIGHT_TO_LEFT.includes(language.split("-")[0]) ? "rtl" : "ltr";
  return html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${keepOrder(subject)}</title>
<style>${STYLES}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f5f5f4;color:#1c1917">
<div style="display:none;max-height:0;overflow:hidden">${keepOrder(preheader || blocks[0].text)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f5f5f4;color:#1c1917">
<tr><td class="frame" align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;table-layout:fixed;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;text-align:start;overflow-wrap:anywhere">
<tr><td class="card" style="padding:32px 32px 16px;background:#ffffff;border-radius:12px">
${blocks.map((block) => html`${block.html}\n`)}</td></tr>
<tr><td class="foot" style="padding:20px 32px">
${footer.map((block) => html`${block.html}\n`)}${
    pixelUrl ? html`<img src="${pixelUrl}" width="1" height="1" alt="" style="display:block">` : ""
  }</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}
