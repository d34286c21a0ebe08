// The guest page's create-account form with captcha protection, with a provider of the test's own.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { type CaptchaProvider, startCaptchaProvider } from "../captcha_provider.ts";
import { connectTo } from "../database.ts";
import { type StackInfo, startTestStack } from "../stack.ts";
import { accountForm, codes, emailTexts, PASSWORD } from "./guest_account.ts";
import { waitFor } from "../wait_for.ts";
import { inBrowser } from "./guest_page.ts";

/** The token of a guest who has accepted. An admin's key and codes need no captcha. */
async function acceptedGuest(at: StackInfo, email: string): Promise<string> {
  const options = { auth: { persistSession: false, autoRefreshToken: false } };
  const { admin } = createClient(at.url, at.secretKey, options).auth;
  const owner = createClient(at.url, at.publishableKey, options);
  await admin.createUser({ email: "owner@people.test", password: PASSWORD, email_confirm: true }); // or exists already
  const { data: { properties } } = await admin.generateLink({ type: "magiclink", email: "owner@people.test" });
  await owner.auth.verifyOtp({ type: "email", token_hash: properties!.hashed_token });
  const call = async (name: string, args: object) => (await owner.rpc(name, args).throwOnError()).data;
  const { id: podcast_id } = await call("create_podcast", { title: "Guarded" });
  const { id: episode_id } = await call("create_episode", { podcast_id, title: "Pilot" });
  await call("invite_guest", { episode_id, email, display_name: "Gus" });
  const accessToken = await waitFor(
    "the email arrives",
    async () => /#token=(\S+)/.exec((await emailTexts(at, email))[0])?.[1],
  );
  await owner.rpc("accept_guest_invitation", { access_token: accessToken }).throwOnError();
  return accessToken;
}

/** The body of a call to Auth with another captcha token. */
const withToken = (body: string, captcha_token: string) =>
  JSON.stringify({ ...JSON.parse(body), gotrue_meta_security: { captcha_token } });

/** The scripts that the page loads, which the test serves itself. */
const SCRIPTS = {
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/api.js",
  hcaptcha: "https://js.hcaptcha.com/1/api.js",
};

const tokensOf = ({ calls }: CaptchaProvider) => calls.map((call) => call.get("response"));

inBrowser("a guest creates an account with captcha protection: each call takes a new token", async (page) => {
  await using provider = startCaptchaProvider();
  await using at = await startTestStack({ auth: { captcha: provider.captcha, maxFrequencySeconds: 60 } });
  const sql = connectTo(at.dbUrl, 1);
  const set = async (settings: Record<string, string>) => {
    for (const [key, value] of Object.entries(settings)) await sql`select private.set_setting(${key}, ${value})`;
  };
  const solved = () => page.locator(".test-captcha :checked").waitFor();
  const serve = (script: string) =>
    page.route(`${script}*`, (route) => route.fulfill({ contentType: "text/javascript", body: provider.script }));
  await page.exposeFunction("issueCaptchaToken", (siteKey: string) => {
    assert.equal(siteKey, provider.siteKey);
    return provider.issueToken();
  });
  const open = (token: string) => page.goto(`${at.functionsUrl}/public/guest#token=${token}`);
  try {
    await withTurnstile();
    await withHcaptcha();
    await assertPolicies();
  } finally {
    await sql.end();
  }

  async function withTurnstile() {
    const email = "turnstile@guests.test";
    await open(await acceptedGuest(at, email));
    const form = accountForm(page);
    await form.button("Create account").click();
    await form.password.fill(PASSWORD);
    await form.button("Create account").click();
    await form.error("This page is out of date. Reload it, then try again."); // it is older than the site key
    await set({ captcha_site_key: provider.siteKey });
    await serve(SCRIPTS.turnstile);
    await page.reload();
    await form.button("Create account").waitFor();
    assert.equal(await page.locator("script[src]").count(), 0); // only guests who open the form load it
    await form.button("Create account").click();
    await form.password.fill("short");
    await solved();
    await form.button("Create account").click();
    await form.error("Password should be at least 6 characters.");
    await form.password.fill(PASSWORD);
    await solved();
    await form.button("Create account").click();
    await form.status.getByText(`We emailed a code to ${email}.`).waitFor();

    await solved();
    await form.button("Send new code").click();
    await form.error("You can request another code in");
    await sql`update auth.users set confirmation_sent_at = now() - interval '1 hour' where email = ${email}`;
    const [used] = tokensOf(provider);
    await solved();
    await page.route(
      "**/resend",
      (route) => route.continue({ postData: withToken(route.request().postData()!, used!) }),
    );
    await form.button("Send new code").click();
    await form.error("The security check has failed. Please try again.");
    await page.unroute("**/resend");
    await solved();
    await form.button("Send new code").click();
    await form.status.getByText(`We emailed a new code to ${email}.`).waitFor();
    const [first, second] = await codes(at, email);
    await form.confirm(first);
    await form.error("This code is wrong or has expired.");
    await form.confirm(second);
    await form.status.getByText("Your account is ready.").waitFor();
    assert.deepEqual([provider.calls.length, new Set(tokensOf(provider)).size], [5, 4]);
  }

  async function withHcaptcha() {
    const email = "hcaptcha@guests.test", script = SCRIPTS.hcaptcha, before = provider.calls.length;
    await set({ captcha_provider: "hcaptcha" });
    await page.route(`${script}*`, (route) => route.abort());
    await open(await acceptedGuest(at, email));
    const form = accountForm(page), box = form.section.getByLabel("I am human");
    await form.button("Create account").click();
    await form.error("The security check can't be loaded. Check your connection and your content blocker");
    await page.unroute(`${script}*`);
    await serve(script);
    await form.password.fill(PASSWORD);
    await form.button("Create account").click();
    await form.error("Please complete the security check, then try again.");
    await box.click();
    await solved();
    await page.evaluate("hcaptcha.expire()");
    await form.button("Create account").click();
    await form.error("Please complete the security check, then try again.");
    assert.equal(provider.calls.length, before);
    await box.click();
    await solved();
    await form.button("Create account").click();
    await form.code.waitFor();
    assert.equal(await box.isChecked(), false);
  }

  async function assertPolicies() {
    const policy = async () => {
      const response = await fetch(`${at.functionsUrl}/public/guest`);
      await response.body?.cancel();
      const directives = response.headers.get("content-security-policy")!.split("; ");
      const sources = directives.filter((directive) => /^(script|frame|style|connect)-src/.test(directive));
      return [
        ...sources.map((text) => text.replace(/'sha256-\S+'/, "'sha256'")),
        response.headers.get("referrer-policy"),
      ];
    };
    const hcaptcha = "https://hcaptcha.com https://*.hcaptcha.com", turnstile = "https://challenges.cloudflare.com";
    assert.deepEqual(await policy(), [
      `style-src 'sha256' ${hcaptcha}`,
      `script-src 'sha256' ${hcaptcha}`,
      `connect-src ${at.url} ${hcaptcha}`,
      `frame-src ${hcaptcha}`,
      "strict-origin",
    ]);
    await set({ captcha_provider: "turnstile" });
    assert.deepEqual(await policy(), [
      "style-src 'sha256'",
      `script-src 'sha256' ${turnstile}`,
      `connect-src ${at.url}`,
      `frame-src ${turnstile}`,
      "strict-origin",
    ]);
    await set({ base_url: "https://api.example/functions/v1" });
    assert.ok((await policy()).includes(`connect-src https://api.example ${at.url}`));
    await set({ base_url: `${at.url}/functions/v1` });
    await set({ captcha_site_key: "" });
    assert.deepEqual(await policy(), [
      "style-src 'sha256'",
      "script-src 'sha256'",
      `connect-src ${at.url}`,
      "no-referrer",
    ]);
  }
});
