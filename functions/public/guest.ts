/**
 * /guest: the guest invitation page. The access token is in the URL's fragment, so that only the page's own API calls
 * send it and no log contains it. The page is the same for every guest and reads its data from /api/guests.
 */
import { html, raw } from "hono/html";
import { createHash } from "node:crypto";
import { describeRoute } from "../app/describe_route.ts";
import { onlyRow, type PublicReads } from "../database/db.ts";
import { toErrorResponse } from "../app/errors.ts";
import { pageRouter } from "./error_page.ts";
// @ts-types="./browser/script.d.ts"
import guestPage from "./browser/guest_page.ts";
import { style } from "./page.ts";

// Deno removed the types when it loaded the module; the function's source is what remains
const script = `"use strict";(${guestPage})();`;
// A digest instead of a nonce, so that the page is the same for everyone and can be cached
const scriptDigest = createHash("sha256").update(script).digest("base64");

export const guest = pageRouter("'none'").get(
  "/",
  describeRoute({
    operationId: "showGuestPage",
    summary: "Guest invitation page (token in the #token= fragment)",
    responseType: "text/html",
    errors: [500, 503],
  }),
  async (c) => {
    const baseUrl = await readBaseUrl(c.var.reads);
    return c.body(String(await renderPage(`${baseUrl}/api/guests`)), 200, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "public, max-age=60",
      "content-security-policy": contentSecurityPolicy(new URL(baseUrl).origin),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex",
    });
  },
);

const contentSecurityPolicy = (apiOrigin: string) =>
  [
    "default-src 'none'",
    `script-src 'sha256-${scriptDigest}'`,
    `connect-src ${apiOrigin}`,
    "img-src http: https: data:",
    "media-src http: https:",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

let lastBaseUrl: string | undefined;

/** The API's base URL. While the database is unavailable, the last known value is used: it is configuration. */
async function readBaseUrl(reads: PublicReads): Promise<string> {
  try {
    return lastBaseUrl =
      onlyRow(await reads.serviceSql<{ value: string }[]>`select private.get_setting('base_url') as value`).value;
  } catch (error) {
    if (lastBaseUrl === undefined || toErrorResponse(error, { requestId: "", isSignedIn: false }).status !== 503) {
      throw error;
    }
    return lastBaseUrl;
  }
}

const ownStyle = raw(`
  [hidden] { display: none !important; }
  button { font: inherit; padding: .5rem 1rem; border: 1px solid; border-radius: .5rem; background: none; color: inherit; cursor: pointer; }
  [data-busy] button { opacity: .6; cursor: progress; }
  #accept, #send, #try-again { background: #9a3412; border-color: #9a3412; color: #fff; }
  textarea { font: inherit; box-sizing: border-box; width: 100%; min-height: 5rem; padding: .5rem; border-radius: .5rem; }
  #messages { list-style: none; padding: 0; margin: 0; }
  #messages li { margin: 1rem 0; }
  #messages p { margin: 0; }
  .error { color: light-dark(#b91c1c, #fca5a5); font-weight: 600; }
  .error:empty { margin: 0; }
`);

const renderPage = (apiUrl: string) =>
  html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Invitation</title>
  <link rel="icon" href="data:,">
  <style>${style}${ownStyle}</style>
</head>
<body data-api="${apiUrl}">
<main>
  <noscript><p>This page needs JavaScript to show your invitation.</p></noscript>
  <div id="loading" hidden>
    <p id="loading-error" class="error" role="alert"></p>
    <p id="loading-status" class="quiet" role="status"></p>
    <p><button id="try-again" type="button" hidden>Try again</button></p>
  </div>
  <div role="alert">
    <div id="incomplete-link" hidden>
      <h1>This link is incomplete</h1>
      <p>Please open this page with the link in your invitation email. If you copied the link, copy all of it.</p>
    </div>
    <div id="invalid-link" tabindex="-1" hidden>
      <h1>This link no longer works</h1>
      <p>It may have expired, or the team may have replaced or withdrawn the invitation.</p>
      <p>If you have more than one invitation email, open the link in the newest one. If you have only one, ask the
        person who invited you to send you a new invitation.</p>
    </div>
  </div>
  <div id="invitation" hidden>
    <img id="cover" alt="" width="240" height="240" hidden>
    <p id="podcast" class="quiet" dir="auto"></p>
    <h1 id="episode" dir="auto"></h1>
    <p id="date" class="quiet"></p>
    <p id="status" role="status" tabindex="-1" dir="auto"></p>
    <p><button id="accept" type="button">Accept invitation</button> <button id="decline" type="button">Decline invitation</button></p>
    <p id="answer-error" class="error" role="alert"></p>
    <audio id="player" controls preload="metadata" hidden></audio>
    <p id="description" class="text" dir="auto"></p>
    <section id="chat" aria-labelledby="chat-title">
      <h2 id="chat-title">Chat with the team</h2>
      <p><button id="load-earlier" type="button" hidden>Load earlier messages</button></p>
      <p id="chat-error" class="error" role="alert"></p>
      <p id="no-messages" class="quiet">No messages yet.</p>
      <div id="message-log" role="log" tabindex="-1" aria-label="Messages"><ol id="messages" role="list"></ol></div>
      <form id="message-form">
        <p><label for="body">Your message</label><textarea id="body" maxlength="4000" required dir="auto" aria-describedby="send-error"></textarea></p>
        <p><button id="send">Send message</button></p>
        <p id="send-error" class="error" role="alert"></p>
      </form>
    </section>
  </div>
</main>
<script>${raw(script)}</script>
</body>
</html>
`;
