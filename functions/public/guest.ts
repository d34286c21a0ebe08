/**
 * /guest: where a guest's invitation leads. The access token stands behind the #, so it reaches no server but by the
 * calls of this page, and no log. The page is the same for everyone; what it shows it asks of /api/guests.
 */
import { html, raw } from "hono/html";
import { createHash } from "node:crypto";
import { describeRoute } from "../app/describe_route.ts";
import { onlyRow, type PublicReads } from "../database/db.ts";
import { toErrorResponse } from "../app/errors.ts";
import { pageRouter } from "./error_page.ts";
import { guestScript } from "./guest_script.ts";
import { style } from "./page.ts";

// By its digest rather than a nonce: a page that is the same for everyone can be kept
const scriptDigest = createHash("sha256").update(guestScript).digest("base64");

export const guest = pageRouter("'none'").get(
  "/",
  describeRoute({
    operationId: "showGuestPage",
    summary: "Guest invitation page (token in the #token= fragment)",
    responseType: "text/html",
    errors: [500, 503],
  }),
  async (c) => {
    const base = await baseUrl(c.var.reads);
    return c.body(String(await page(`${base}/api/guests`)), 200, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "public, max-age=60",
      "content-security-policy": `default-src 'none'; script-src 'sha256-${scriptDigest}'; ` +
        `connect-src ${
          new URL(base).origin
        }; img-src http: https: data:; media-src http: https:; style-src 'unsafe-inline'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex",
    });
  },
);

let lastBase: string | undefined;

/** Where the API is. It is configuration, the same for every guest: the last one known serves while the database is down. */
async function baseUrl(reads: PublicReads): Promise<string> {
  try {
    return lastBase =
      onlyRow(await reads.serviceSql<{ value: string }[]>`select private.setting('base_url') as value`).value;
  } catch (error) {
    if (lastBase === undefined || toErrorResponse(error, { requestId: "", isSignedIn: false }).status !== 503) {
      throw error;
    }
    return lastBase;
  }
}

const ownStyle = raw(`
  [hidden] { display: none !important; }
  button { font: inherit; padding: .5rem 1rem; border: 1px solid; border-radius: .5rem; background: none; color: inherit; cursor: pointer; }
  [data-busy] button { opacity: .6; cursor: progress; }
  #accept, #send, #again { background: #9a3412; border-color: #9a3412; color: #fff; }
  textarea { font: inherit; box-sizing: border-box; width: 100%; min-height: 5rem; padding: .5rem; border-radius: .5rem; }
  #messages { list-style: none; padding: 0; margin: 0; }
  #messages p { margin: 0; }
  .problem { color: light-dark(#b91c1c, #fca5a5); font-weight: 600; }
  .problem:empty { margin: 0; }
`);

const page = (api: string) =>
  html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Invitation</title>
  <link rel="icon" href="data:,">
  <style>${style}${ownStyle}</style>
</head>
<body data-api="${api}">
<main>
  <noscript><p>This page needs JavaScript to show your invitation.</p></noscript>
  <div id="opening" hidden>
    <p id="opening-problem" class="problem" role="alert"></p>
    <p id="opening-state" class="quiet" role="status"></p>
    <p><button id="again" type="button" hidden>Try again</button></p>
  </div>
  <div role="alert">
    <div id="incomplete" hidden>
      <h1>This link is incomplete</h1>
      <p>Open the link in your invitation email again. If you copied it, copy all of it, up to its end.</p>
    </div>
    <div id="dead" tabindex="-1" hidden>
      <h1>This link no longer works</h1>
      <p>It may have expired, or the team may have replaced or withdrawn the invitation.</p>
      <p>If you have more than one invitation email, open the link in the newest one. Otherwise ask the person who
        invited you to send you a new invitation.</p>
    </div>
  </div>
  <div id="invitation" hidden>
    <img id="cover" alt="" width="240" height="240" hidden>
    <p id="podcast" class="quiet" dir="auto"></p>
    <h1 id="episode" dir="auto"></h1>
    <p id="when" class="quiet"></p>
    <p id="status" role="status" tabindex="-1" dir="auto"></p>
    <p><button id="accept" type="button">Accept</button> <button id="decline" type="button">Decline</button></p>
    <p id="answer-problem" class="problem" role="alert"></p>
    <audio id="player" controls preload="metadata" hidden></audio>
    <p id="description" class="text" dir="auto"></p>
    <section id="chat" aria-labelledby="chat-title">
      <h2 id="chat-title">Chat with the team</h2>
      <p><button id="earlier" type="button" hidden>Earlier messages</button></p>
      <p id="chat-problem" class="problem" role="alert"></p>
      <p id="silence" class="quiet">Nobody has written anything yet.</p>
      <div id="log" role="log" tabindex="-1" aria-label="Messages"><ol id="messages" role="list"></ol></div>
      <form id="writing">
        <p><label for="body">Your message</label><textarea id="body" maxlength="4000" required dir="auto" aria-describedby="send-problem"></textarea></p>
        <p><button id="send">Send</button></p>
        <p id="send-problem" class="problem" role="alert"></p>
      </form>
    </section>
  </div>
</main>
<script>${raw(guestScript)}</script>
</body>
</html>
`;
