/**
 * /guest: the guest invitation page. The access token is in the URL's fragment, so that only the page's own API calls
 * send it and no log contains it. The page is the same for every guest of a language and reads its data from /api/guests.
 * It begins in the reader's language; once it knows the podcast, it continues in that of the podcast (?lang=). With
 * #token_hash=…&type=… it is the page that the links of Auth's emails open.
 */
import { html } from "hono/html";
import { z } from "zod";
import guestScript from "../../built/guest.json" with { type: "json" };
import { publishableKey } from "../../runtime/env.ts";
import { preferredLanguage } from "../../app/accept.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { inlineAsset, sendPublicPage } from "../../app/html_page.ts";
import { valid } from "../../app/validation.ts";
import { TEXTS } from "../../text/languages/all.ts";
import { languageOf, type Texts } from "../../text/languages/texts.ts";
import { type Captcha, readCaptcha } from "./captcha.ts";
import { pageRouter } from "./error_page.ts";
import { scriptJson } from "./page.ts";
import { iconOf, imageOrigins, originsOf, type PageSettings, readPageSettings } from "./page_settings.ts";

const script = inlineAsset(guestScript);

const GuestPageQuery = z.object({
  lang: z.string().optional().describe("Language of the page (BCP 47); without it the reader's"),
});

export const guest = pageRouter("'none'").get(
  "/",
  describeRoute({
    operationId: "showGuestPage",
    summary: "Guest invitation page (token in the #token= fragment)",
    responseType: "text/html",
    hasEtag: true,
    errors: [500],
  }),
  valid("query", GuestPageQuery),
  async (c) => {
    const { lang } = c.req.valid("query");
    const language = lang ? languageOf(lang) : preferredLanguage(c.req.header("accept-language"));
    const settings = await readPageSettings(c.var.reads), captcha = readCaptcha(settings);
    const { base_url, public_url } = settings, imageSources = imageOrigins(settings);
    return await sendPublicPage(c, {
      language,
      title: TEXTS[language].guest.title,
      body: renderBody(settings, TEXTS[language]),
      icon: iconOf(settings),
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
        vary: "accept-language",
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
const signInLink = (url: string, texts: Texts["guest"]) =>
  html`<p>${texts.signInAdvice}</p>
      <p><a class="button primary" href="${url}">${texts.signIn}</a></p>`;

const renderBody = ({ app_url }: PageSettings, { guest: texts, guestScript }: Texts) =>
  html`<main>
  <noscript><p>${texts.needsScript}</p></noscript>
  <div id="loading" hidden>
    <p id="loading-error" class="error" role="alert"></p>
    <p id="loading-status" class="quiet" role="status"></p>
    <p><button id="try-again" type="button" hidden>${texts.retry}</button></p>
  </div>
  <div role="alert">
    <div id="incomplete-link" hidden>
      <h1>${texts.incomplete}</h1>
      <p>${texts.incompleteAdvice}</p>
      ${signInLink(app_url, texts)}
    </div>
    <div id="invalid-link" tabindex="-1" hidden>
      <h1>${texts.invalid}</h1>
      <p>${texts.invalidReason}</p>
      <p>${texts.invalidAdvice}</p>
      ${signInLink(app_url, texts)}
    </div>
  </div>
  <section id="confirmation" class="account" aria-labelledby="confirmation-title" hidden>
    <h1 id="confirmation-title"></h1>
    <p id="confirmation-text" role="status" tabindex="-1"></p>
    <form id="confirmation-form">
      <p><label for="owner-name">${texts.yourName}</label><input id="owner-name" autocomplete="name" maxlength="200" pattern=".*\\S.*" required aria-describedby="confirmation-error"></p>
      <p><label for="owner-password">${texts.newPassword}</label><input id="owner-password" type="password" autocomplete="new-password" required aria-describedby="confirmation-error"></p>
      <p class="buttons"><button id="confirm" type="submit"></button></p>
      <p id="confirmation-error" class="error" role="alert"></p>
    </form>
    <p><a id="confirmation-sign-in" class="button primary" href="${app_url}" hidden>${texts.signIn}</a></p>
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
    <section class="card answer" aria-label="${texts.answer}">
      <p id="status" class="lead" role="status" tabindex="-1"></p>
      <p class="buttons"><button id="accept" type="button">${texts.accept}</button> <button id="decline" type="button">${texts.decline}</button></p>
      <p id="answer-error" class="error" role="alert"></p>
    </section>
    <audio id="player" controls preload="none" aria-labelledby="episode" hidden></audio>
    <p id="description" class="text" dir="auto"></p>
    <section id="account" class="card account" aria-labelledby="account-title" hidden>
      <h2 id="account-title">${texts.account}</h2>
      <p id="account-status" role="status" tabindex="-1">${texts.accountReason}</p>
      <p><button id="open-account" type="button">${texts.createAccount}</button> <a id="sign-in" href="${app_url}" hidden>${texts.signIn}</a></p>
      <form id="account-form" hidden>
        <p class="password-step">${texts.email}<br><strong id="account-email" dir="ltr"></strong></p>
        <input id="account-username" type="email" autocomplete="username" readonly hidden>
        <p class="password-step"><label for="display-name">${texts.yourName}</label><input id="display-name" autocomplete="name" maxlength="200" pattern=".*\\S.*" required aria-describedby="account-error"></p>
        <p class="password-step"><label for="password">${texts.password}</label><input id="password" type="password" autocomplete="new-password" required aria-describedby="account-error"></p>
        <p class="password-step"><label><input id="show-password" type="checkbox"> ${texts.showPassword}</label></p>
        <p class="code-step"><label for="code">${texts.code}</label><input id="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required disabled aria-describedby="account-error"></p>
        <div id="captcha" role="group" aria-label="${texts.securityCheck}" hidden></div>
        <p id="captcha-error" class="error" role="alert"></p>
        <p class="buttons password-step"><button type="submit">${texts.createAccount}</button> <button id="enter-code" type="button">${texts.enterCode}</button></p>
        <p class="buttons code-step"><button type="submit">${texts.confirmAddress}</button> <button id="resend-code" type="button">${texts.sendNewCode}</button></p>
        <p id="account-error" class="error" role="alert"></p>
      </form>
    </section>
    <section id="chat" aria-labelledby="chat-title">
      <h2 id="chat-title">${texts.chat}</h2>
      <p><button id="load-earlier" type="button" hidden>${texts.loadEarlier}</button></p>
      <p id="chat-error" class="error" role="alert"></p>
      <p id="no-messages" class="quiet">${texts.noMessages}</p>
      <div id="message-log" role="log" tabindex="-1" aria-label="${texts.messages}"><ol id="messages" role="list"></ol></div>
      <form id="message-form">
        <p><label for="body">${texts.yourMessage}</label><textarea id="body" maxlength="4000" required dir="auto" aria-describedby="send-error"></textarea></p>
        <p><button id="send">${texts.sendMessage}</button></p>
        <p id="send-error" class="error" role="alert"></p>
      </form>
    </section>
  </div>
</main>
<script type="application/json" id="texts">${scriptJson(guestScript)}</script>
`;
