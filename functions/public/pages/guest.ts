/**
 * /guest: the guest invitation page. The access token is in the URL's fragment, so that only the page's own API calls
 * send it and no log contains it. The page is the same for every guest and reads its data from /api/guests. With
 * #token_hash=…&type=… it is the page that the links of Auth's emails open.
 */
import { html } from "hono/html";
import guestScript from "../../built/guest.json" with { type: "json" };
import { publishableKey } from "../../runtime/env.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { inlineAsset, sendPublicPage } from "../../app/html_page.ts";
import { type Captcha, readCaptcha } from "./captcha.ts";
import { pageRouter } from "./error_page.ts";
import { imageOrigins, originsOf, type PageSettings, readPageSettings } from "./page_settings.ts";

const script = inlineAsset(guestScript);

export const guest = pageRouter("'none'").get(
  "/",
  describeRoute({
    operationId: "showGuestPage",
    summary: "Guest invitation page (token in the #token= fragment)",
    responseType: "text/html",
    hasEtag: true,
    errors: [500],
  }),
  async (c) => {
    const settings = await readPageSettings(c.var.reads), captcha = readCaptcha(settings);
    const { base_url, public_url } = settings, imageSources = imageOrigins(settings);
    return await sendPublicPage(c, {
      language: "en",
      title: "Invitation",
      body: renderBody(settings),
      kind: "message",
      data: dataOf(settings, captcha, imageSources),
      script,
      policies: [
        {
          "connect-src": originsOf([base_url, public_url]),
          "img-src": imageSources,
          "media-src": ["http:", "https:"],
        },
        captcha?.policy ?? {},
      ],
      frameAncestors: "'none'",
      headers: {
        // Captcha providers check which site embeds the widget, and no-referrer would hide it
        "referrer-policy": captcha ? "strict-origin" : "no-referrer",
        "x-robots-tag": "noindex",
      },
    });
  },
);

const dataOf = ({ base_url, public_url }: PageSettings, captcha: Captcha | undefined, imageSources: string[]) => ({
  "api": `${base_url}/api/guests`,
  "notifications-api": `${base_url}/api/notifications`,
  "supabase-url": public_url,
  "publishable-key": publishableKey(),
  "captcha-api": captcha?.api ?? "",
  "captcha-site-key": captcha?.siteKey ?? "",
  "captcha-script-url": captcha?.scriptUrl ?? "",
  "image-origins": imageSources.join(" "),
});

/** What guests can do without the link in their email. */
const signInLink = (url: string) =>
  html`<p>If you have an account, you can also sign in to find your invitations.</p>
      <p><a class="button primary" href="${url}">Sign in to your account</a></p>`;

const renderBody = ({ app_url }: PageSettings) =>
  html`<main>
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
      ${signInLink(app_url)}
    </div>
    <div id="invalid-link" tabindex="-1" hidden>
      <h1>This link no longer works</h1>
      <p>It may have expired, or the team may have replaced or withdrawn the invitation.</p>
      <p>If you have more than one invitation email, open the link in the newest one. If you have only one, ask the
        person who invited you to send you a new invitation.</p>
      ${signInLink(app_url)}
    </div>
  </div>
  <section id="confirmation" class="account" aria-labelledby="confirmation-title" hidden>
    <h1 id="confirmation-title"></h1>
    <p id="confirmation-text" role="status" tabindex="-1"></p>
    <form id="confirmation-form">
      <p><label for="owner-name">Your name</label><input id="owner-name" autocomplete="name" maxlength="200" pattern=".*\\S.*" required aria-describedby="confirmation-error"></p>
      <p><label for="owner-password">New password</label><input id="owner-password" type="password" autocomplete="new-password" required aria-describedby="confirmation-error"></p>
      <p class="buttons"><button id="confirm" type="submit"></button></p>
      <p id="confirmation-error" class="error" role="alert"></p>
    </form>
    <p><a id="confirmation-sign-in" class="button primary" href="${app_url}" hidden>Sign in to your account</a></p>
  </section>
  <div id="invitation" hidden>
    <header class="hero">
      <div id="cover" class="cover"></div>
      <div class="hero-text">
        <p id="podcast" class="show-link" dir="auto"></p>
        <h1 id="episode" dir="auto"></h1>
        <p id="date" class="facts"></p>
      </div>
    </header>
    <section class="card answer" aria-label="Your answer">
      <p id="status" class="lead" role="status" tabindex="-1" dir="auto"></p>
      <p class="buttons"><button id="accept" type="button">Accept invitation</button> <button id="decline" type="button">Decline invitation</button></p>
      <p id="answer-error" class="error" role="alert"></p>
    </section>
    <audio id="player" controls preload="none" aria-labelledby="episode" hidden></audio>
    <p id="description" class="text" dir="auto"></p>
    <section id="account" class="card account" aria-labelledby="account-title" hidden>
      <h2 id="account-title">Create an account</h2>
      <p id="account-status" role="status" tabindex="-1">An account keeps your invitations together and shows the team your picture.</p>
      <p><button id="open-account" type="button">Create account</button> <a id="sign-in" href="${app_url}" hidden>Sign in to your account</a></p>
      <form id="account-form" hidden>
        <p class="password-step">Email address<br><strong id="account-email"></strong></p>
        <input id="account-username" type="email" autocomplete="username" readonly hidden>
        <p class="password-step"><label for="display-name">Your name</label><input id="display-name" autocomplete="name" maxlength="200" pattern=".*\\S.*" required aria-describedby="account-error"></p>
        <p class="password-step"><label for="password">Password</label><input id="password" type="password" autocomplete="new-password" required aria-describedby="account-error"></p>
        <p class="password-step"><label><input id="show-password" type="checkbox"> Show password</label></p>
        <p class="code-step"><label for="code">6-digit code</label><input id="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required disabled aria-describedby="account-error"></p>
        <div id="captcha" role="group" aria-label="Security check" hidden></div>
        <p id="captcha-error" class="error" role="alert"></p>
        <p class="buttons password-step"><button type="submit">Create account</button> <button id="enter-code" type="button">Enter code</button></p>
        <p class="buttons code-step"><button type="submit">Confirm address</button> <button id="resend-code" type="button">Send new code</button></p>
        <p id="account-error" class="error" role="alert"></p>
      </form>
    </section>
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
`;
