/** Errors of pages: a page with a link for browsers, the envelope for other clients. */
import type { Context, MiddlewareHandler } from "hono";
import { html } from "hono/html";
import errorScript from "../../built/error.json" with { type: "json" };
import { prefersHtml } from "../../app/accept.ts";
import { type AppEnv, publicReadRouter } from "../../app/app.ts";
import { declare } from "../../app/describe_route.ts";
import { type ErrorResponse } from "../../app/errors.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { type FrameAncestors, inlineAsset, sendPage } from "../../app/html_page.ts";
import type { ErrorCode } from "../../../types/error_codes.ts";

/** A router of HTML pages. */
export function pageRouter(frameAncestors: FrameAncestors) {
  const renderErrors: MiddlewareHandler<AppEnv> = declare((c, next) => {
    if (prefersHtml(c.req.header("accept"))) c.set("errorPage", (error) => errorPage(c, error, frameAncestors));
    return next();
  }, { hasErrorPage: true });
  return publicReadRouter().use(renderErrors);
}

interface ErrorText {
  title: string;
  advice: string;
  /** The same address may work soon. */
  canReload?: true;
}

/** What the page of an error shows: its text, and a link to the podcast, or to the feed to which it moved. */
interface ErrorContent extends ErrorText {
  podcast?: { url: string; title: string; language: string };
  redirectUrl?: string;
}

/** An error with a page of its own. */
export class PageError extends ApiError {
  constructor(status: number, message: string, readonly content: ErrorContent, code?: ErrorCode) {
    super(status, message, { code });
  }
}

export const EPISODE_NOT_FOUND: ErrorText = {
  title: "Episode not found",
  advice: "It may have been unpublished, or its address may have changed.",
};

/** By SQLSTATE or status. */
const ERROR_TEXTS: Record<string, ErrorText> = {
  // The podcast's slug is unknown; a page reports an unknown episode as PageError
  PT404: {
    title: "Podcast not found",
    advice: "There's no podcast at this address. Check the address, or search for the show in your podcast app.",
  },
  404: { title: "Page not found", advice: "There's no page at this address. Check the address." },
  405: { title: "Page not found", advice: "This page can't accept this request. Open its address in your browser." },
  400: { title: "Page not found", advice: "This address isn't complete or has a typo. Check the address." },
  503: {
    title: "Back in a moment",
    advice: "This page isn't available right now. Reload it in a minute.",
    canReload: true,
  },
  500: {
    title: "Something went wrong",
    advice: "This page can't be shown right now. Reload it in a minute.",
    canReload: true,
  },
};

const script = inlineAsset(errorScript);

function errorPage(c: Context<AppEnv>, { status, headers }: ErrorResponse, frameAncestors: FrameAncestors) {
  const { content, code = "" }: Partial<PageError & { code: string }> = c.error ?? {};
  const { title, advice, canReload, podcast, redirectUrl }: ErrorContent = content ?? ERROR_TEXTS[code] ??
    ERROR_TEXTS[status] ??
    ERROR_TEXTS[500];
  const isDeadEnd = !podcast && !redirectUrl && !canReload;
  return sendPage({
    language: "en",
    title: podcast ? `${title} · ${podcast.title}` : title,
    body: html`<main>
    <h1>${title}</h1>
    <p>${advice}</p>
    ${
      podcast &&
      html`<p><a class="button primary" href="${podcast.url}" target="_top"><span>Go to <bdi lang="${podcast.language}">${podcast.title}</bdi></span></a></p>`
    }
    ${redirectUrl && html`<p><a href="${redirectUrl}" target="_top" rel="nofollow noopener">${redirectUrl}</a></p>`}
    ${canReload && html`<p><a class="button primary" href=""><span>Reload page</span></a></p>`}
    ${isDeadEnd && html`<p><button class="primary" id="go-back" type="button" hidden>Go back</button></p>`}
    </main>`,
    kind: "message",
    script: isDeadEnd ? script : undefined,
    frameAncestors,
    status,
    headers: { ...headers, vary: "accept", "x-robots-tag": "noindex" },
  });
}
