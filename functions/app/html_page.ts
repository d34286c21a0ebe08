/** HTML pages: one document, one stylesheet, and a content security policy that names each script by its digest. */
import { html, raw } from "hono/html";
import type { Context } from "hono";
import { createHash } from "node:crypto";
import pages from "../built/pages.json" with { type: "json" };
import { UNCACHEABLE } from "../runtime/api_error.ts";
import type { AppEnv } from "./app.ts";
import { type BuiltAsset, readText } from "./built_assets.ts";
import { cacheableReply, toCacheableBody } from "./reply.ts";

export type Html = ReturnType<typeof html>;

/** Code that a page contains, and the source expression that allows it. */
interface InlineAsset {
  text: ReturnType<typeof raw>;
  source: string;
}

/** A digest instead of a nonce, so that a page is the same for everyone and can be cached. */
export function inlineAsset(asset: BuiltAsset): InlineAsset {
  const text = readText(asset);
  return { text: raw(text), source: `'sha256-${createHash("sha256").update(text).digest("base64")}'` };
}

const style = inlineAsset(pages);

/** Origins of pages that may frame this one. */
export type FrameAncestors = "'self'" | "'none'" | "*";

/** Sources by directive of the content security policy. */
export type Policy = Record<string, string[]>;

interface Document {
  language: string;
  title: string;
  head?: Html;
  body: Html;
  /** URL of its icon; without one the browser would ask the host's root for it. */
  icon?: string;
  /** Class of the body: the kind of page, for the stylesheet. The guest page is a message until its script knows more. */
  kind: "message" | "listen" | "embed";
  /** Attributes `data-…` of the body, for the page's script. */
  data?: Record<string, string>;
  script?: InlineAsset;
  /** What the page may load beside its stylesheet and script. */
  policies?: Policy[];
  frameAncestors: FrameAncestors;
  /** The page has a form that is sent to its own URL. */
  hasForm?: true;
  headers?: Record<string, string>;
}

const NO_ICON = "data:,";

const CONTENT_TYPE = "text/html; charset=utf-8";

/** Sends a page that caches keep for a minute, with an ETag. A page that shows a copy is sent as one. */
export async function sendPublicPage(c: Context<AppEnv>, document: Document): Promise<Response> {
  const value = toCacheableBody(await renderPage(document));
  return cacheableReply(c, { value, ...c.get("staleness") }, headersOf(document), CONTENT_TYPE);
}

/** Sends a page that no cache keeps. */
export async function sendPage({ status, ...document }: Document & { status: number }): Promise<Response> {
  return new Response(await renderPage(document), {
    status,
    headers: { "content-type": CONTENT_TYPE, "cache-control": UNCACHEABLE, ...headersOf(document) },
  });
}

async function renderPage({ language, title, head, body, icon, kind, data = {}, script }: Document): Promise<string> {
  return String(
    await html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${title}</title>${head ?? ""}
  <link rel="icon" href="${icon ?? NO_ICON}"${icon && html` sizes="32x32"`}>
  <style>${style.text}</style>
</head>
<body class="${kind}"${Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)}>
${body}
${script && html`<script>${script.text}</script>`}
</body>
</html>
`,
  );
}

const headersOf = (document: Document): Record<string, string> => ({
  "content-security-policy": contentSecurityPolicy(document),
  "referrer-policy": "strict-origin-when-cross-origin",
  ...document.headers,
});

function contentSecurityPolicy({ icon, script, policies = [], hasForm, frameAncestors }: Document): string {
  const directives: Policy = {
    "default-src": ["'none'"],
    "style-src": [style.source],
    "img-src": [icon ? toSource(icon) : "data:"],
    ...script && { "script-src": [script.source] },
  };
  for (const [name, sources] of policies.flatMap(Object.entries<string[]>)) {
    directives[name] = [...new Set([...directives[name] ?? [], ...sources])];
  }
  directives["base-uri"] = ["'none'"];
  directives["form-action"] = [hasForm ? "'self'" : "'none'"];
  directives["frame-ancestors"] = [frameAncestors];
  return Object.entries(directives).map(([name, sources]) => [name, ...sources].join(" ")).join("; ");
}

const RIGHT_TO_LEFT = /^(?:ar|ckb|dv|fa|he|iw|ps|sd|ug|ur|yi)\b/i;

/** A URL as a source expression: these characters would end it. */
export const toSource = (url: string) => url.replaceAll(";", "%3B").replaceAll(",", "%2C");

export const directionOf = (language: string) => RIGHT_TO_LEFT.test(language) ? "rtl" : "ltr";
