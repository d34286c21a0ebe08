// docs/examples/sign-in.html as the page that the links of Auth's emails open: an email scanner opens it before the person.
import assert from "node:assert/strict";
import { stackInfo } from "../http/harness.ts";
import { adminOf, clientOf, lastEmail, newAddress, SITE } from "../parity/auth/setup.ts";
import { inBrowser } from "./guest_page.ts";
import {
  assertOwned,
  choose,
  click,
  failToSetPassword,
  field,
  fill,
  heading,
  NEW,
  open,
  openLink,
  signedUpByAnother,
  THEIRS,
  without,
} from "./sign_in_page.ts";

inBrowser(
  "the page of a confirmation link sends nothing when a scanner opens it, and its button confirms",
  async (page) => {
    const email = await signedUpByAnother(), message = await lastEmail(stackInfo, email), sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await using server = await open(page, stackInfo, without);
    for (const _ of ["scanner", "scanner", "person"]) {
      await openLink(page, server, message);
      await heading(page, "Confirm your email address");
    }
    assert.deepEqual(sent.filter((url) => url.startsWith(stackInfo.url) || url.includes(message.hash)), []);
    await choose(page);
    await click(page, "Confirm address");
    await page.getByText("Your password is saved.").waitFor();
    await assertOwned(email);
    assert.equal(await page.evaluate("location.hash"), "");
    await openLink(page, server, message);
    await choose(page);
    await click(page, "Confirm address");
    await page.getByRole("alert").getByText("This code or link is wrong, was used before, or has expired.").waitFor();
  },
);

inBrowser("the example page, closed before it has set the password, asks for it before anything else", async (page) => {
  for (const way of ["code", "link"]) {
    const email = await signedUpByAnother();
    await using server = await open(page, stackInfo, without);
    if (way === "link") await openLink(page, server, await lastEmail(stackInfo, email));
    else {
      await click(page, "Create account");
      await fill(page, email);
      await click(page, "Create account");
      await heading(page, "Check your email");
      await field(page, "Code from the email").fill((await lastEmail(stackInfo, email)).code);
    }
    await failToSetPassword(page);
    await choose(page);
    await click(page, "Confirm address");
    await page.getByRole("alert").getByText("We can't reach the server.").waitFor();
    await page.unroute("**/auth/v1/user");
    const other = await clientOf(stackInfo).auth.signInWithPassword({ email, password: THEIRS });
    assert.equal(other.error?.code, "invalid_credentials");

    await page.goto("about:blank");
    await page.goto(server.url);
    await heading(page, "Confirm your email address");
    await choose(page, "password"); // which is too short for the page
    await choose(page);
    await click(page, "Confirm address");
    await heading(page, "Welcome");
    await assertOwned(email);
    await page.reload();
    await heading(page, "Welcome");
    await click(page, "Sign out");
    await heading(page, "Sign in");
  }
});

inBrowser(
  "the example page resets the password of an unconfirmed sign-up by link, and asks for the name",
  async (page) => {
    const email = await signedUpByAnother();
    await using server = await open(page, stackInfo, without);
    await click(page, "Reset password");
    await fill(page, email);
    await click(page, "Send code");
    await heading(page, "Check your email");
    await openLink(page, server, await lastEmail(stackInfo, email));
    await heading(page, "Choose a new password");
    await field(page, "New password").fill(NEW);
    await click(page, "Save password");
    await heading(page, "What is your name?");
    await page.reload();
    await field(page, "Your name").fill("Ola");
    await click(page, "Save name");
    await heading(page, "Welcome");
    const { data } = await clientOf(stackInfo).auth.signInWithPassword({ email, password: NEW });
    assert.ok(data.session);
  },
);

inBrowser(
  "the example page confirms invitations, sign-ins, and both addresses of a change, by button only",
  async (page) => {
    await using server = await open(page, stackInfo, without);
    const invited = newAddress().toLowerCase();
    await adminOf(stackInfo).inviteUserByEmail(invited);
    await openLink(page, server, await lastEmail(stackInfo, invited));
    await heading(page, "Accept your invitation");
    await choose(page);
    await click(page, "Accept invitation");
    await heading(page, "Welcome");
    await click(page, "Sign out");
    await heading(page, "Sign in");

    const { auth } = clientOf(stackInfo);
    await auth.signInWithOtp({ email: invited });
    await openLink(page, server, await lastEmail(stackInfo, invited));
    await click(page, "Sign in");
    await heading(page, "Welcome");

    const { data: { session } } = await auth.signInWithPassword({ email: invited, password: NEW });
    const next = newAddress().toLowerCase();
    await auth.updateUser({ email: next });
    for (const address of [invited, next]) {
      await openLink(page, server, await lastEmail(stackInfo, address));
      await heading(page, "Change your email address");
      await page.getByText("Confirm only if you want to use this address").waitFor();
      const { data } = await auth.getUser(session!.access_token);
      assert.equal(data.user!.email, invited);
      await click(page, "Confirm address");
      await page.getByRole("status").getByText(address === invited ? "confirm the other one" : "is changed").waitFor();
    }
    assert.equal((await auth.getUser(session!.access_token)).data.user!.email, next);
  },
);

inBrowser("the example page reports an incomplete link and an error of the service", async (page) => {
  await using server = await open(page, stackInfo, without);
  for (const page_ of ["#token_hash=abc", "#token_hash=abc&type=unknown"]) {
    await openLink(page, server, { page: `${SITE}/auth/confirm${page_}` });
    await page.getByRole("alert").getByText("This link is incomplete.").waitFor();
  }
  await openLink(page, server, {
    page: `${SITE}/auth/confirm#error=access_denied&error_code=otp_expired&error_description=expired`,
  });
  await page.getByRole("alert").getByText("This code or link is wrong").waitFor();
});
