/** /docs: the OpenAPI documents as pages. The viewer and all that it loads are ours; it can call our own routes only. */
import { html } from "hono/html";
import { z } from "zod";
import { describeRoute } from "../../app/describe_route.ts";
import { cacheableReply, toCacheableBody } from "../../app/reply.ts";
import { readSettings } from "../../app/settings.ts";
import { valid } from "../../app/validation.ts";
import { pageRouter } from "../pages/error_page.ts";

const DocsQuery = z.object({
  document: z.enum(["v1", "api"]).default("v1").meta({ default: "v1" }).describe("The public API, or the API"),
});

export const docs = pageRouter("'none'")
  .get(
    "/",
    describeRoute({
      operationId: "showApiDocs",
      summary: "Page that shows an OpenAPI document",
      responseType: "text/html",
      hasEtag: true,
    }),
    valid("query", DocsQuery),
    async (c) => {
      const settings = await readSettings(c.var.reads, "base_url", "public_api_url");
      const value = toCacheableBody(String(await renderPage(settings, c.req.valid("query").document)));
      return cacheableReply(
        c,
        { value },
        { "content-security-policy": contentSecurityPolicy(settings), "referrer-policy": "no-referrer" },
        "text/html; charset=utf-8",
      );
    },
  )
  .get(
    "/viewer.js",
    describeRoute({
      operationId: "getDocsScript",
      summary: "Script of the page that shows OpenAPI documents",
      responseType: "text/javascript",
      hasEtag: true,
    }),
    async (c) => (await import("./docs_viewer.ts")).sendScript(c),
  )
  .get(
    "/viewer.css",
    describeRoute({
      operationId: "getDocsStyle",
      summary: "Stylesheet of the page that shows OpenAPI documents",
      responseType: "text/css",
      hasEtag: true,
    }),
    async (c) => (await import("./docs_viewer.ts")).sendStyle(c),
  );

interface Settings {
  base_url: string;
  public_api_url: string;
}

const scriptUrl = ({ public_api_url }: Settings) => `${public_api_url}/docs/viewer.js`;
const styleUrl = ({ public_api_url }: Settings) => `${public_api_url}/docs/viewer.css`;

function contentSecurityPolicy(settings: Settings): string {
  const origins = new Set([settings.base_url, settings.public_api_url].map((url) => new URL(url).origin));
  return [
    "default-src 'none'",
    `script-src ${scriptUrl(settings)}`,
    `style-src ${styleUrl(settings)}`,
    "img-src data: blob:", // the viewer's icons, and images among the responses that it shows
    `connect-src ${[...origins].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function renderPage(settings: Settings, shown: "v1" | "api") {
  const { base_url, public_api_url } = settings;
  const documents = { v1: `${public_api_url}/v1/openapi.json`, api: `${base_url}/api/openapi.json` };
  const link = (name: "v1" | "api", title: string) =>
    html`<a href="${public_api_url}/docs?document=${name}" ${shown === name && html`aria-current="page"`}>${title}</a>`;
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${shown === "v1" ? "Public API" : "API"} · Castbase</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="${styleUrl(settings)}">
  <script src="${scriptUrl(settings)}" defer></script>
</head>
<body>
<nav class="frame" aria-label="Documents">
  ${link("v1", "Public API")} ${link("api", "API")} <a href="${documents[shown]}">openapi.json</a>
</nav>
<div id="viewer" data-document="${documents[shown]}" aria-busy="true">
  <noscript><p class="frame">This page needs JavaScript. The document itself is at the link openapi.json.</p></noscript>
</div>
<footer class="frame"><small>Shown by <a href="https://github.com/swagger-api/swagger-ui">Swagger UI</a>, copyright
  2020-2021 SmartBear Software Inc., Apache License 2.0.</small></footer>
</body>
</html>
`;
}
