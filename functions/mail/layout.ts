/** The layout that all emails of the product share. */
import { html } from "hono/html";
import type { Email } from "./smtp.ts";

type Html = ReturnType<typeof html>;

/** One part of an email, as plain text and as HTML. */
export interface Block {
  text: string;
  html: Html;
}

/** `dir="auto"` lets a paragraph follow the script of the names and titles in it. */
export const paragraph = (text: string): Block => ({ text, html: html`<p dir="auto">${text}</p>` });

export const quote = (text: string): Block => ({
  text: text.replace(/^/gm, "> "),
  html:
    html`<blockquote dir="auto" style="margin:16px 0;padding:0 16px;border-left:4px solid #d6d3d1;white-space:pre-line">${text}</blockquote>`,
});

/** `lead` introduces the link in plain text, where there is no button. */
export const button = (label: string, url: string, lead = `${label}:`): Block => ({
  text: `${lead}\n${url}`,
  html:
    html`<p><a href="${url}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:#9a3412;color:#fff;text-decoration:none">${label}</a></p>`,
});

export const note = (text: string): Block => ({
  text,
  html: html`<p style="color:#57534e;font-size:14px">${text}</p>`,
});

export function renderEmail(to: Email["to"], subject: string, blocks: Block[]): Email {
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;color:#1c1917;background:#fff">
<div style="max-width:560px;margin:0 auto">
${blocks.map((block) => html`${block.html}\n`)}</div>
</body>
</html>
`;
  return { to, subject, text: `${blocks.map(({ text }) => text).join("\n\n")}\n`, html: String(page) };
}
