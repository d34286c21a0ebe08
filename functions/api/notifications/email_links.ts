/**
 * /api/notifications/email: where the pixel, the button and the unsubscribe link of an email lead. The token in the path
 * authorizes; there is no login. The rules are in sql/70_notifications.
 */
import type { Context, MiddlewareHandler } from "hono";
import { html } from "hono/html";
import { Buffer } from "node:buffer";
import type { z } from "zod";
import { EmailTokenPathParams, UnsubscribeForm, UnsubscribeResponse } from "../../../types/notification_emails.ts";
import { preferredLanguage } from "../../app/accept.ts";
import { type AppEnv, publicRouter } from "../../app/app.ts";
import { declare, describeRoute } from "../../app/describe_route.ts";
import { type ErrorResponse } from "../../app/errors.ts";
import { ApiError, UNCACHEABLE } from "../../runtime/api_error.ts";
import { sendPage } from "../../app/html_page.ts";
import { reply } from "../../app/reply.ts";
import { readBody } from "../../app/request_body.ts";
import { TEXTS } from "../../text/languages/all.ts";
import { fill, languageOf, type Texts } from "../../text/languages/texts.ts";

/** Transparent, 1 x 1. */
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Of a form with one short field. */
const MAX_FORM_BYTES = 4096;

/** The path's token. Text of another form is unknown, and some of it Postgres cannot store. */
const tokenOf = (c: Context<AppEnv>) => /^[\w-]{1,200}$/.exec(c.req.param("token") ?? "")?.[0] ?? "";
const withToken: MiddlewareHandler<AppEnv> = declare((_, next) => next(), { param: EmailTokenPathParams });

export const emailLinks = publicRouter()
  .get(
    "/open/:token",
    describeRoute({
      operationId: "recordEmailOpen",
      summary: "Get an email's pixel, which records that the email was opened",
      responseType: "image/gif",
    }),
    withToken,
    async (c) => {
      const token = tokenOf(c);
      try {
        // a HEAD request shows nothing
        if (token && c.req.method === "GET") await c.var.db.call("record_email_open", { token });
      } catch (cause) {
        c.env.cause = cause; // the reader gets the pixel all the same
      }
      return c.body(GIF, 200, { ...PRIVATE, "content-type": "image/gif", "content-length": String(GIF.length) });
    },
  )
  .get(
    "/click/:token",
    describeRoute({
      operationId: "recordEmailClick",
      summary: "Follow an email's button: redirects to its destination, or to the app",
      status: 302,
      errors: [503],
    }),
    withToken,
    async (c) => {
      if (c.req.method === "HEAD") return c.body(null, 200, PRIVATE); // programs that check links click nothing
      const { text } = await c.var.db.call("record_email_click", { token: tokenOf(c) });
      return c.body(null, 302, { ...PRIVATE, location: new URL(JSON.parse(text)).href });
    },
  )
  .get(
    "/unsubscribe/:token",
    describeRoute({
      operationId: "showUnsubscribePage",
      summary: "Turn an email's type off and show a page with a button to turn it on again",
      responseType: "text/html",
      hasErrorPage: true,
      errors: [404, 503],
    }),
    withToken,
    (c) => {
      // programs that check links send HEAD; they unsubscribe no one
      if (c.req.method === "HEAD") return c.body(null, 200, { ...PRIVATE, "content-type": "text/html; charset=utf-8" });
      c.set("errorPage", showErrorPage(c));
      return showPage(c, {});
    },
  )
  .post(
    "/unsubscribe/:token",
    describeRoute({
      operationId: "unsubscribeEmail",
      summary: "Turn an email's type off (RFC 8058)",
      description:
        "The body is `List-Unsubscribe=One-Click`. The page's form sends `emails` instead and gets the page: `on`, " +
        "`off`, or `all-on` and `all-off` for the automatic emails of all podcasts.",
      response: UnsubscribeResponse,
      responseType: ["application/json", "text/html"],
      hasErrorPage: true,
      bodyTypes: ["application/x-www-form-urlencoded", "multipart/form-data"],
      body: UnsubscribeForm,
      errors: [404, 413, 503],
    }),
    withToken,
    async (c) => {
      const form = await readForm(c.req.raw);
      if (form.has("emails")) {
        c.set("errorPage", showErrorPage(c));
        const [, all, on] = /^(all-)?(?:(on)|off)$/.exec(String(form.get("emails"))) ?? [];
        return await showPage(c, { undo: on !== undefined, allPodcasts: all !== undefined });
      }
      return reply({ status: 200, text: JSON.stringify(await unsubscribe(c, {})) });
    },
  );

/** Pages and pixels of one person; their URLs are secrets. */
const PRIVATE = {
  "cache-control": UNCACHEABLE,
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex",
};

/** Any other body is an empty form: a request to this URL asks to unsubscribe. */
async function readForm(request: Request): Promise<FormData> {
  const { size, bytes } = await readBody(request, MAX_FORM_BYTES, "json");
  if (size > MAX_FORM_BYTES) {
    throw new ApiError(413, "Request body too large", { details: `At most ${MAX_FORM_BYTES} bytes are allowed` });
  }
  const type = request.headers.get("content-type") ?? "";
  return await new Response(bytes, { headers: { "content-type": type } }).formData().catch(() => new FormData());
}

/** What unsubscribe_email returns. */
interface Subscription {
  type: string;
  scope: "type" | "podcast" | "all_podcasts";
  isSubscribed: boolean;
  state: "off" | "podcast_off" | "all_off" | "on" | "podcast_on" | "all_on" | "rest_on" | "blocked";
  podcastTitle: string | null;
  emails: string;
  locale: string | null;
}

/** The recipient's language decides, because the browser may be that of a program that opens links. */
async function unsubscribe(
  c: Context<AppEnv>,
  change: { undo?: boolean; allPodcasts?: boolean },
): Promise<z.infer<typeof UnsubscribeResponse>["data"]> {
  const { text } = await c.var.db.call("unsubscribe_email", { token: tokenOf(c), ...change });
  const { locale, state, podcastTitle, emails, ...data }: Subscription = JSON.parse(text);
  const language = languageOf(locale?.replace("_", "-") ?? ""), { unsubscribe: texts, emails: kinds } = TEXTS[language];
  const { title, message } = STATES[state], { isSubscribed, scope } = data;
  return {
    ...data,
    language,
    title: texts[title],
    message: fill(texts[message], kinds[emails as keyof typeof kinds], podcastTitle ?? ""),
    action: state === "blocked" ? null : isSubscribed ? texts.turnOff : texts.turnOn,
    allAction: scope === "podcast" && !isSubscribed && state !== "blocked" ? texts.turnAllOff : null,
  };
}

type UnsubscribeText = keyof Texts["unsubscribe"];

const STATES: Record<Subscription["state"], { title: UnsubscribeText; message: UnsubscribeText }> = {
  off: { title: "off", message: "offText" },
  podcast_off: { title: "off", message: "podcastOffText" },
  all_off: { title: "off", message: "allOffText" },
  on: { title: "on", message: "onText" },
  podcast_on: { title: "on", message: "podcastOnText" },
  all_on: { title: "on", message: "allOnText" },
  rest_on: { title: "restOn", message: "restOnText" },
  blocked: { title: "blocked", message: "blockedText" },
};

async function showPage(
  c: Context<AppEnv>,
  change: { undo?: boolean; allPodcasts?: boolean },
): Promise<Response> {
  try {
    return await renderPage(await unsubscribe(c, change), 200);
  } catch (error) {
    if ((error as { code?: string }).code !== "PT404") throw error;
    // the recipient of an unknown token is unknown, so the reader decides
    const language = readerLanguage(c), { unknown: title, unknownText: message } = TEXTS[language].unsubscribe;
    return await renderPage({ language, title, message }, 404);
  }
}

type PageContent =
  & Pick<z.infer<typeof UnsubscribeResponse>["data"], "language" | "title" | "message">
  & Partial<z.infer<typeof UnsubscribeResponse>["data"]>;

const renderPage = (
  { language, title, message, scope, action, allAction, isSubscribed }: PageContent,
  status: number,
  headers: Record<string, string> = {},
) =>
  sendPage({
    language,
    title,
    body: html`<main>
<h1>${title}</h1>
<p>${message}</p>
${
      action &&
      html`<form method="post" class="buttons"><button class="button primary" name="emails" value="${
        isSubscribed ? "off" : scope === "all_podcasts" ? "all-on" : "on"
      }">${action}</button>${
        allAction && html` <button class="button" name="emails" value="all-off">${allAction}</button>`
      }</form>`
    }
</main>`,
    kind: "message",
    frameAncestors: "'none'",
    hasForm: true,
    status,
    headers: { ...headers, ...PRIVATE },
  });

/** Without the database, and for other failures. */
const showErrorPage = (c: Context<AppEnv>) => ({ status, headers }: ErrorResponse) => {
  const language = readerLanguage(c), { unavailable, unavailableAdvice, failed, failedAdvice } = TEXTS[language].errors;
  const [title, message] = status === 503 ? [unavailable, unavailableAdvice] : [failed, failedAdvice];
  return renderPage({ language, title, message }, status, headers);
};

const readerLanguage = (c: Context<AppEnv>) => preferredLanguage(c.req.header("accept-language"));
