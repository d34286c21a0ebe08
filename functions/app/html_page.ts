/** HTML pages without scripts. */
import { html, raw } from "hono/html";

export type Html = ReturnType<typeof html>;

export const style = raw(`
  :root { color-scheme: light dark; font: 1.06rem/1.55 system-ui, sans-serif; }
  body { max-width: 38rem; margin: 2.5rem auto; padding: 0 1.25rem; overflow-wrap: anywhere; }
  h1 { line-height: 1.2; margin: .3rem 0; }
  img { border-radius: .75rem; max-width: 100%; height: auto; }
  audio { width: 100%; margin: 1rem 0; }
  li { margin: .5rem 0; }
  .people { padding: 0; list-style: none; }
  .people li { display: flex; align-items: center; gap: .75rem; min-height: 40px; }
  .people img { flex: none; border-radius: 50%; object-fit: cover; }
  .quiet, li time { color: color-mix(in srgb, CanvasText 62%, Canvas); }
  .text { white-space: pre-line; }
  .episodes { padding: 0; list-style: none; }
  .episodes li { margin: 1rem 0; }
  .episodes p { margin: 0; }
  a { color: light-dark(#9a3412, #ffa07a); }
  button { font: inherit; padding: .5rem 1rem; border: 1px solid; border-radius: .5rem; background: none; color: inherit; cursor: pointer; }
`);

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
