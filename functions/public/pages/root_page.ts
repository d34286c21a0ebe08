/** The root of the pages' domain: where the setting pages_root_url leads, or what this address is. */
import { html } from "hono/html";
import { describeRoute } from "../../app/describe_route.ts";
import { sendPublicPage } from "../../app/html_page.ts";
import { freshnessHeaders } from "../../app/reply.ts";
import { readSettings } from "../../app/settings.ts";
import { toRedirect } from "../../text/uri.ts";
import { pageRouter } from "./error_page.ts";
import { iconOf } from "./page_settings.ts";

const TITLE = "Podcasts on Castbase";

/**
 * Mounted last: its error pages are those of all addresses without a route. It is in English only: caches keep it, and one
 * copy per Accept-Language would have no end.
 */
export const rootPage = pageRouter("'self'").get(
  "/",
  describeRoute({
    operationId: "showRootPage",
    summary: "Page of the installation, or a redirect to the operator's own",
    responseType: "text/html",
    hasEtag: true,
    status: [200, 302],
  }),
  async (c) => {
    const settings = await readSettings(c.var.reads, "pages_root_url", "public_api_url", "embed_url");
    const location = settings.pages_root_url && toRedirect(settings.pages_root_url);
    if (location) return new Response(null, { status: 302, headers: { ...freshnessHeaders(c, {}), location } });
    return sendPublicPage(c, {
      language: "en",
      title: TITLE,
      head: html`<meta name="description" content="Podcasts are published and played at this address.">`,
      body: html`<main>
    <h1>${TITLE}</h1>
    <p>Podcasts are published and played at this address. Open the link of a show to listen.</p>
    <p><a href="${settings.public_api_url}/docs">API for developers</a></p>
    </main>`,
      icon: iconOf(settings),
      kind: "message",
      frameAncestors: "'self'",
    });
  },
);
