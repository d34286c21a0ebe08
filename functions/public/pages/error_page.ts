/** Errors of pages: a page with a link for browsers, the envelope for other clients. */
import type { Context, MiddlewareHandler } from "hono";
import { html } from "hono/html";
import errorScript from "../../built/error.json" with { type: "json" };
import { preferredLanguage, prefersHtml } from "../../app/accept.ts";
import { type AppEnv, publicReadRouter } from "../../app/app.ts";
import { declare } from "../../app/describe_route.ts";
import { type ErrorResponse } from "../../app/errors.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { type FrameAncestors, inlineAsset, sendPage } from "../../app/html_page.ts";
import { TEXTS } from "../../text/languages/all.ts";
import { languageOf, type Texts } from "../../text/languages/texts.ts";
import type { ErrorCode } from "../../../types/error_codes.ts";

/** A router of HTML pages. */
export function pageRouter(frameAncestors: FrameAncestors) {
  const renderErrors: MiddlewareHandler<AppEnv> = declare((c, next) => {
    if (prefersHtml(c.req.header("accept"))) c.set("errorPage", (error) => errorPage(c, error, frameAncestors));
    return next();
  }, { hasErrorPage: true });
  return publicReadRouter().use(renderErrors);
}

type ErrorText = keyof Texts["errors"];

/** What the page of an error shows: its text, and a link to the podcast, or to the feed to which it moved. */
interface ErrorContent {
  title: ErrorText;
  advice: ErrorText;
  /** The same address may work soon. */
  canReload?: true;
  podcast?: { url: string; title: string; language: string };
  redirectUrl?: string;
  /** Of the podcast, if it is known (BCP 47). */
  language?: string;
}

/** An error with a page of its own. */
export class PageError extends ApiError {
  constructor(status: number, message: string, readonly content: ErrorContent, code?: ErrorCode) {
    super(status, message, { code });
  }
}

export const EPISODE_NOT_FOUND: ErrorContent = { title: "noEpisode", advice: "noEpisodeAdvice" };

export const PAGE_NOT_FOUND: ErrorContent = { title: "noPage", advice: "noPageAdvice" };

/** By SQLSTATE or status. */
const ERRORS: Record<string, ErrorContent> = {
  // The podcast's slug is unknown; a page reports an unknown episode as PageError
  PT404: { title: "noPodcast", advice: "noPodcastAdvice" },
  404: PAGE_NOT_FOUND,
  405: { title: "noPage", advice: "wrongMethodAdvice" },
  400: { title: "noPage", advice: "wrongAddressAdvice" },
  503: { title: "unavailable", advice: "unavailableAdvice", canReload: true },
  500: { title: "failed", advice: "failedAdvice", canReload: true },
};

const script = inlineAsset(errorScript);

/** In the podcast's language; without a podcast in the reader's, which costs no cache anything: none keeps errors. */
function errorPage(c: Context<AppEnv>, { status, headers }: ErrorResponse, frameAncestors: FrameAncestors) {
  const { content, code = "" }: Partial<PageError & { code: string }> = c.error ?? {};
  const { title, advice, canReload, podcast, redirectUrl, ...known }: ErrorContent = content ?? ERRORS[code] ??
    ERRORS[status] ?? ERRORS[500];
  const tag = podcast?.language ?? known.language;
  const language = tag ? languageOf(tag) : preferredLanguage(c.req.header("accept-language"));
  const texts = TEXTS[language].errors, [goTo, there] = texts.goTo.split("{0}");
  const isDeadEnd = !podcast && !redirectUrl && !canReload;
  return sendPage({
    language,
    title: podcast ? `${texts[title]} · ${podcast.title}` : texts[title],
    body: html`<main>
    <h1>${texts[title]}</h1>
    <p>${texts[advice]}</p>
    ${
      podcast &&
      html`<p><a class="button primary" href="${podcast.url}" target="_top"><span>${goTo}<bdi lang="${podcast.language}">${podcast.title}</bdi>${there}</span></a></p>`
    }
    ${
      redirectUrl &&
      html`<p><a href="${redirectUrl}" target="_top" rel="nofollow noopener" dir="ltr">${redirectUrl}</a></p>`
    }
    ${canReload && html`<p><a class="button primary" href=""><span>${texts.reload}</span></a></p>`}
    ${isDeadEnd && html`<p><button class="primary" id="go-back" type="button" hidden>${texts.goBack}</button></p>`}
    </main>`,
    kind: "message",
    script: isDeadEnd ? script : undefined,
    frameAncestors,
    status,
    headers: { ...headers, vary: "accept, accept-language", "x-robots-tag": "noindex" },
  });
}
