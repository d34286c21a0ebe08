// docs/examples/sign-in.html with a captcha provider of the test, on a stack with captcha protection and on one without.
import assert from "node:assert/strict";
import type { Route } from "playwright-core";
import { startCaptchaProvider } from "../captcha_provider.ts";
import { adminOf, clientOf, lastEmail, newAddress, PASSWORD } from "../parity/auth/setup.ts";
import { type StackInfo, startTestStack } from "../stack.ts";
import { sql, stackInfo as unprotected } from "../http/harness.ts";
import { executable } from "./chromium.ts";
import { assertNamesLocalStack } from "./example_page.ts";
import { inBrowser, type Page } from "./guest_page.ts";
import {
  assertOwned,
  type Captcha,
  choose,
  click,
  field,
  fill,
  heading,
  NEW,
  open,
  signedUpByAnother,
  source,
  without,
} from "./sign_in_page.ts";

Deno.test("the example page names the local stack and the version of supabase-js that this project uses", async () => {
  await assertNamesLocalStack(source);
});

const provider = startCaptchaProvider();
const stack = executable
  ? await startTestStack({ auth: { captcha: provider.captcha, maxFrequencySeconds: 0 } })
  : undefined as never;

const turnstile: Captcha = {
  provider: "turnstile",
  siteKey: provider.siteKey,
  scriptUrl: provider.scriptUrl("turnstile"),
};
const hcaptcha: Captcha = { ...turnstile, provider: "hcaptcha", scriptUrl: provider.scriptUrl("hcaptcha") };

async function confirmed(at: StackInfo) {
  const email = newAddress().toLowerCase();
  const user_metadata = { display_name: "Ola" };
  await adminOf(at).createUser({ email, password: PASSWORD, email_confirm: true, user_metadata });
  return email;
}

const captchaOf = (page: Page) => field(page, "I am human");
/** Solves the challenge of hCaptcha's widget; returns the token once the page has it. */
async function solve(page: Page): Promise<string> {
  const [response] = await Promise.all([page.waitForResponse(/\/tokens\?/), captchaOf(page).click()]);
  await page.locator(".test-captcha :checked").waitFor();
  return await response.text();
}

inBrowser("without a site key and captcha protection, the example page signs up without a widget", async (page) => {
  const email = await signedUpByAnother();
  await using _server = await open(page, unprotected, without);
  await click(page, "Create account");
  await heading(page, "Create your account");
  await fill(page, email);
  assert.equal(await page.locator(".captcha > *:visible").count(), 0);
  await click(page, "Create account");
  await page.getByText(`We sent a code to ${email}.`).waitFor();
  await field(page, "Code from the email").fill(` ${(await lastEmail(unprotected, email)).code} `);
  await choose(page);
  await page.keyboard.press("Enter");
  await heading(page, "Welcome");
  await click(page, "Sign out");
  await heading(page, "Sign in");
  await assertOwned(email);
  await fill(page, email, NEW);
  await click(page, "Sign in");
  await page.getByText("You are signed in.").waitFor();
  await page.reload();
  await heading(page, "Welcome");
});

inBrowser("each form of the example page works twice in a row, with a new captcha token each time", async (page) => {
  const first = provider.calls.length, email = newAddress().toLowerCase();
  await using _server = await open(page, stack, turnstile);
  await click(page, "Create account");
  for (const _ of [1, 2]) {
    await fill(page, email);
    await click(page, "Create account");
    await heading(page, "Check your email");
    await click(page, "Back to sign in");
    await click(page, "Create account");
  }
  await click(page, "Sign in instead");
  for (const _ of [1, 2]) {
    await fill(page, email, PASSWORD);
    await click(page, "Sign in");
    await page.getByRole("alert").getByText("If you have just signed up, choose “Resend code”").waitFor();
  }
  await click(page, "Resend code");
  for (const _ of [1, 2]) {
    await click(page, "Resend code");
    await page.getByText(`If ${email} still needs to be confirmed, we sent a new code to it.`).waitFor();
    await click(page, "Resend code"); // on the form for the code
    await heading(page, "Get a new code");
    assert.equal(await field(page, "Email address").inputValue(), email);
  }
  await click(page, "Back to sign in");
  await click(page, "Reset password");
  for (const _ of [1, 2]) {
    await click(page, "Send code");
    await page.getByText(`If ${email} has an account, we sent a code to it.`).waitFor();
    await click(page, "Resend code");
    await heading(page, "Reset your password");
  }
  const tokens = provider.calls.slice(first).map((call) => call.get("response"));
  assert.equal(tokens.length, 8);
  assert.equal(new Set(tokens).size, 8);
});

inBrowser("the example page resets a password by code", async (page) => {
  const email = await confirmed(stack);
  await using _server = await open(page, stack, turnstile);
  await click(page, "Reset password");
  await fill(page, email);
  await click(page, "Send code");
  await field(page, "Code from the email").fill("000000");
  await field(page, "New password").fill(NEW);
  await click(page, "Save password");
  await page.getByRole("alert").getByText("This code or link is wrong, was used before, or has expired.").waitFor();
  await field(page, "Code from the email").fill((await lastEmail(stack, email)).code);
  await click(page, "Save password");
  await page.getByText("Your password is saved.").waitFor();
  const captchaToken = provider.issueToken();
  const { error } = await clientOf(stack).auth.signInWithPassword({ email, password: NEW, options: { captchaToken } });
  assert.equal(error, null);
});

inBrowser("the example page rejects a used captcha token, and the next attempt succeeds", async (page) => {
  const email = await confirmed(stack);
  await using _server = await open(page, stack, hcaptcha);
  await fill(page, email, PASSWORD);
  const used = new URLSearchParams({ secret: provider.captcha.secret, response: await solve(page) });
  await (await fetch(provider.captcha.verifyUrl, { method: "POST", body: used })).body?.cancel();
  await click(page, "Sign in");
  await page.getByRole("alert").getByText("The security check has failed. Please try again.").waitFor();
  assert.equal(await captchaOf(page).isChecked(), false);

  await solve(page);
  await field(page, "Password").fill("wrong");
  await click(page, "Sign in");
  await page.getByRole("alert").getByText("The email address or the password is wrong.").waitFor();

  await field(page, "Password").fill(PASSWORD);
  await click(page, "Sign in"); // before the check, which the form waits for
  await page.getByText("One moment. Please complete the security check above the button.").waitFor();
  await captchaOf(page).click();
  await heading(page, "Welcome");
});

inBrowser("the example page asks for another captcha token when one has expired", async (page) => {
  const email = await confirmed(stack);
  await using _server = await open(page, stack, hcaptcha);
  await fill(page, email, PASSWORD);
  const expired = await solve(page);
  await page.evaluate("hcaptcha.expire()");
  await field(page, "Password").press("Enter");
  await page.getByText("One moment.").waitFor();
  await captchaOf(page).click();
  await heading(page, "Welcome");
  assert.ok(!provider.calls.some((call) => call.get("response") === expired));
});

inBrowser("the example page explains a missing or wrong site key and a blocked script", async (page) => {
  const email = await confirmed(stack);
  const error = async (captcha: Captcha) => {
    await using _server = await open(page, stack, captcha);
    await fill(page, email, PASSWORD);
    await click(page, "Sign in");
    const alert = page.getByRole("alert").filter({ hasText: /./ });
    await alert.waitFor();
    return await alert.textContent();
  };
  assert.equal(
    await error(without),
    "This page is missing the security check. Please tell the people who run it.",
  );
  const notLoaded =
    "The security check can't be loaded. Check your connection and your content blocker, then try again.";
  assert.equal(await error({ ...turnstile, siteKey: crypto.randomUUID() }), notLoaded);
  await page.route(turnstile.scriptUrl + "*", (route) => route.abort());
  assert.equal(await error(turnstile), notLoaded);

  await page.unroute(turnstile.scriptUrl + "*");
  await click(page, "Sign in"); // which has loaded the script again
  await heading(page, "Welcome");
});

inBrowser(
  "the example page works with the keyboard and on a phone, and uses the browser's color scheme",
  async (page) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.emulateMedia({ colorScheme: "dark" });
    await using _server = await open(page, stack, turnstile);
    await page.locator(".test-captcha").waitFor();
    const focused = () => page.evaluate("(document.activeElement.name || document.activeElement.textContent).trim()");
    const order: unknown[] = [await focused()];
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press("Tab");
      order.push(await focused());
    }
    assert.deepEqual(order, ["email", "password", "", "Sign in", "Create account", "Reset password", "Resend code"]);
    await page.keyboard.press("Enter");
    await heading(page, "Get a new code");
    assert.equal(await focused(), "email");
    assert.equal(await page.title(), "Get a new code");
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
    const shade =
      "getComputedStyle(document.documentElement).colorScheme + ' ' + matchMedia('(prefers-color-scheme: dark)').matches";
    assert.equal(await page.evaluate(shade), "light dark true");
  },
);

inBrowser("the example page stays signed out when an earlier read of the profile ends late", async (page) => {
  await using _server = await open(page, unprotected, without);
  await fill(page, await confirmed(unprotected), PASSWORD);
  await click(page, "Sign in");
  await heading(page, "Welcome");

  const reads: Route[] = [], both = Promise.withResolvers<void>(), profiles = `${unprotected.url}/rest/v1/profiles?*`;
  await page.route(profiles, (route) => {
    if (reads.push(route) === 2) both.resolve(); // Auth reports the session of a new page twice
  });
  await page.reload();
  await both.promise;
  await reads[0].continue();
  await heading(page, "Welcome");
  await click(page, "Sign out");
  await heading(page, "Sign in");
  const response = page.waitForResponse(profiles);
  await reads[1].continue();
  await (await response).finished();
  await page.evaluate("new Promise((done) => setTimeout(done, 100))"); // long enough to show the account again
  await heading(page, "Sign in");
});

inBrowser("the example page sets the time zone of a user who has none, and keeps one that was chosen", async (page) => {
  const email = await confirmed(unprotected);
  const zone = async () =>
    (await sql`select f.timezone from public.profiles f join auth.users u using (id) where u.email = ${email}`)[0]
      .timezone;
  await using _server = await open(page, unprotected, without);
  for (const expected of ["Asia/Tokyo", "Europe/Oslo"]) {
    await fill(page, email, PASSWORD);
    await click(page, "Sign in");
    await heading(page, "Welcome");
    assert.equal(await zone(), expected);
    await sql`update public.profiles set timezone = 'Europe/Oslo' where id in (select id from auth.users where email = ${email})`;
    await click(page, "Sign out");
    await heading(page, "Sign in");
  }
}, { timezoneId: "Asia/Tokyo" });
