/** HTML pages without scripts. */
import { html, raw } from "hono/html";
import pages from "../built/pages.json" with { type: "json" };
import { readText } from "./built_assets.ts";

export type Html = ReturnType<typeof html>;

export const style = raw(readText(pages));

/** Origins of pages that may frame this one. */
export type FrameAncestors = "'self'" | "'none'" | "*";

interface Document {
  language: string;
  title: string;
  head?: Html;
  body: Html;
  frameAncestors: FrameAncestors;
  /** The page has a form that posts to its own URL. */
  hasForm?: true;
  status: number;
  headers?: Record<string, string>;
}

export async function sendPage(document: Document): Promise<Response> {
  const { language, title, head, body, frameAncestors, hasForm, status, headers } = document;
  const text = String(
    await html`<!doctype html>
<html lang="${language}" dir="auto">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>${head ?? ""}
  <link rel="icon" href="data:,">
  <style>${style}</style>
</head>
<body><main>${body}</main></body>
</html>
`,
  );
  return new Response(text, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "public, max-age=60",
      "content-security-policy":
        "default-src 'none'; img-src http: https: data:; media-src http: https:; style-src 'unsafe-inline'; " +
        `base-uri 'none'; form-action ${hasForm ? "'self'" : "'none'"}; frame-ancestors ${frameAncestors}`,
      "referrer-policy": "strict-origin-when-cross-origin",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}
