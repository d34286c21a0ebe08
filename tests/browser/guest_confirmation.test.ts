// The guest page as the page that the links of Auth's emails open: an email scanner opens it before the person.
import assert from "node:assert/strict";
import { stackInfo } from "../http/harness.ts";
import { adminOf, clientOf, type Email, lastEmail, newAddress } from "../parity/auth/setup.ts";
import { inBrowser, type Page } from "./guest_page.ts";
import { assertOwned, click, failToSetPassword, heading, NEW, signedUpByAnother, THEIRS } from "./sign_in_page.ts";

const field = (page: Page, label: string) => page.getByRole("region").getByLabel(label, { exact: true });

async function openLink(page: Page, { hash, type }: Email) {
  await page.goto("about:blank"); // a new tab
  await page.goto(`${stackInfo.functionsUrl}/public/guest#token_hash=${hash}&type=${type}`);
}

async function choose(page: Page, password: string) {
  await field(page, "Your name").fill("Ola");
  await field(page, "New password").fill(password);
}

inBrowser(
  "the guest page confirms a sign-up of another person by its button only, with the owner's choice",
  async (page) => {
    const email = await signedUpByAnother(), message = await lastEmail(stackInfo, email), sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    for (const _ of ["scanner", "scanner", "person"]) {
      await openLink(page, message);
      await heading(page, "Confirm your email address");
    }
    assert.deepEqual(
      new Set(sent.map((url) => url.split("#")[0])),
      new Set([`${stackInfo.functionsUrl}/public/guest`]),
    );
    await click(page, "Confirm address");
    assert.equal(await page.locator("#owner-name:focus:invalid").count(), 1, "name and password come first");
    await choose(page, "short");
    await click(page, "Confirm address");
    await page.getByRole("alert").getByText("Password should be at least 6 characters.").waitFor(); // confirmed, but no password
    const other = await clientOf(stackInfo).auth.signInWithPassword({ email, password: THEIRS });
    assert.equal(other.error?.code, "invalid_credentials");
    await choose(page, NEW);
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Your account is ready.").waitFor();
    assert.equal(await page.getByRole("link", { name: "Sign in to your account" }).getAttribute("href"), stackInfo.url);
    assert.equal(
      await page.evaluate("location.hash + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])"),
      "[{},{}]",
    );
    await assertOwned(email);
  },
);

inBrowser(
  "the guest page, closed before it has set the password, leaves no password of another person",
  async (page) => {
    const email = await signedUpByAnother(), message = await lastEmail(stackInfo, email);
    await openLink(page, message);
    await failToSetPassword(page);
    await choose(page, NEW);
    await click(page, "Confirm address");
    await page.getByRole("alert").getByText("Can't reach the server. Please try again.").waitFor();
    await page.unroute("**/auth/v1/user");
    await openLink(page, message);
    await choose(page, NEW);
    await click(page, "Confirm address");
    await page.getByRole("alert").getByText("reset your password when you sign in").waitFor();
    for (const password of [THEIRS, NEW]) {
      const { error } = await clientOf(stackInfo).auth.signInWithPassword({ email, password });
      assert.equal(error?.code, "invalid_credentials");
    }
    await clientOf(stackInfo).auth.resetPasswordForEmail(email);
    await openLink(page, await lastEmail(stackInfo, email));
    await heading(page, "Choose a new password");
    assert.equal(await field(page, "Your name").isVisible(), false);
    await field(page, "New password").fill(NEW);
    await click(page, "Save password");
    await page.getByRole("status").getByText("Your new password is saved.").waitFor();
    assert.equal((await clientOf(stackInfo).auth.signInWithPassword({ email, password: NEW })).error, null);
  },
);

inBrowser("the guest page confirms invitations and both addresses of a change, and keeps no session", async (page) => {
  const invited = newAddress().toLowerCase(), next = newAddress().toLowerCase();
  await adminOf(stackInfo).inviteUserByEmail(invited);
  await openLink(page, await lastEmail(stackInfo, invited));
  await heading(page, "Accept your invitation");
  await choose(page, NEW);
  await click(page, "Accept invitation");
  await page.getByRole("status").getByText("Your account is ready.").waitFor();

  const { auth } = clientOf(stackInfo);
  await auth.signInWithOtp({ email: invited });
  await openLink(page, await lastEmail(stackInfo, invited));
  await page.getByText("Enter the code from the email on the page where you want to sign in.").waitFor();
  assert.equal(await page.getByRole("region").getByRole("button").count(), 0);

  await auth.signInWithPassword({ email: invited, password: NEW });
  await auth.updateUser({ email: next });
  for (const address of [invited, next]) {
    await openLink(page, await lastEmail(stackInfo, address));
    await heading(page, "Change your email address");
    assert.equal((await auth.getUser()).data.user!.email, invited);
    await click(page, "Confirm address");
    await page.getByRole("status").getByText(address === invited ? "confirm the other one" : "is changed").waitFor();
  }
  assert.equal((await auth.getUser()).data.user!.email, next);
});
