/**
 * The create-account form of the guest page. The account gets the invited address only: the form has no field for
 * another one, and a code that is emailed there confirms it. It keeps name, password and session in memory.
 */
import type { z } from "zod";
import type { GuestInvitationResponse } from "../../../types/guests.ts";
import { createCaptchaWidget } from "./captcha_widget.ts";
import { type AuthError, createSupabaseClient, type PageRequests } from "./supabase_client.ts";

type Invitation = z.infer<typeof GuestInvitationResponse>["data"];

/** What the form uses of its page. */
type GuestPage = PageRequests & {
  byId(id: string): HTMLElement;
  setText(id: string, text: string): void;
  readInvitation(): Promise<Invitation>;
  runAction(action: () => Promise<boolean>, errorId: string): Promise<void>;
};

export function createAccountForm(page: GuestPage) {
  const { byId, setText, RequestError } = page;
  const captcha = createCaptchaWidget(byId("captcha"), (text) => setText("captcha-error", text));
  const field = (id: "display-name" | "password" | "code") => byId(id) as HTMLInputElement;
  const ERROR_ID = "account-error";
  let guest: Invitation["guest"], step: "closed" | "password" | "code" | "done" = "closed";
  const supabase = createSupabaseClient(page, errorText), { callAuth } = supabase;

  /** Texts of the errors that guests can meet. Auth's own messages name the rules of passwords. */
  function errorText({ code, message }: AuthError): string {
    const seconds = /after (\d+) seconds/.exec(message)?.[1];
    if (code === "otp_expired") return "This code is wrong or has expired. Enter the code from the newest email.";
    if (code === "captcha_failed" && captcha.isRequired) return "The security check has failed. Please try again.";
    if (code === "captcha_failed") return "This page is out of date. Reload it, then try again.";
    if (code === "over_request_rate_limit") return "Too many tries. Please wait five minutes, then try again.";
    if (code !== "over_email_send_rate_limit") return message;
    if (seconds) return `Please wait ${seconds} seconds before you request another code.`;
    return "No more emails can be sent right now. Please try again later.";
  }

  /** Calls that send an email require a captcha token, each a new one. */
  async function requestCode(path: "/signup" | "/resend", fields: object) {
    const token = captcha.takeToken();
    if (captcha.isRequired && !token) {
      captcha.load();
      throw new RequestError("Please complete the security check, then try again.", 400);
    }
    const security = token && { gotrue_meta_security: { captcha_token: token } };
    await callAuth(path, { email: guest.email, ...fields, ...security }).finally(captcha.reset);
  }

  /** The response is the same if the address has an account; then no email is sent. */
  async function createAccount() {
    if (supabase.isSignedIn()) return await finish();
    await requestCode("/signup", { password: field("password").value });
    showStep("code", sentText("We emailed a code to"));
    return false;
  }

  async function resendCode() {
    await requestCode("/resend", { type: "signup" });
    field("code").value = "";
    showStep("code", sentText("We emailed a new code to"));
    return false;
  }

  const sentText = (start: string) =>
    `${start} ${guest.email}. If it doesn't arrive within a few minutes, check your spam folder. ` +
    "If this address already has an account, no code is sent. Sign in instead.";

  async function confirmAddress() {
    const token = field("code").value.replaceAll(/\s/g, "");
    // not the type "email": it would accept a sign-in code, and so change the password of an older account
    if (!supabase.isSignedIn()) await supabase.verify({ type: "signup", email: guest.email, token });
    return await finish();
  }

  /** Continues where an earlier attempt failed. */
  async function finish() {
    await supabase.setOwner({ password: field("password").value, displayName: field("display-name").value })
      .catch((error) => {
        if (error.code === "weak_password") showStep("password", "Your address is confirmed. Choose another password.");
        throw error;
      });
    const invitation = await page.readInvitation();
    await supabase.signOut();
    field("password").value = field("code").value = "";
    showStep("done", readyText(invitation));
    show(invitation);
    byId("account-status").focus();
    return false;
  }

  const readyText = ({ guest: { email, userId } }: Invitation) =>
    userId === null
      ? "Your account is ready. This invitation doesn't belong to it yet: reload the page in a minute."
      : `Your account is ready. All your invitations to ${email} belong to it now, this one included.`;

  /** Screen readers announce the text; the focus moves to the step's field. */
  function showStep(next: typeof step, text: string) {
    step = next;
    byId("account-form").dataset.step = step;
    byId("account-form").hidden = step === "done";
    byId("open-account").hidden = true;
    byId("sign-in").hidden = step === "password"; // a guest with an account gets no code
    setText("account-title", step === "done" ? "Your account" : "Create an account");
    setText("account-status", text);
    field("code").disabled = step !== "code"; // a hidden field must not be required
    if (step === "password" || step === "code") field(step).focus();
  }

  function openForm() {
    showStep(
      "password",
      "Choose your name and password. We'll email a code to confirm your address. If you already have a code, select Enter code.",
    );
    captcha.load();
  }

  /** After a reload, the code of an earlier email is still valid. */
  function enterCode() {
    if ((byId("account-form") as HTMLFormElement).reportValidity()) {
      showStep("code", `Enter the code that we emailed to ${guest.email}.`);
    }
  }

  /** Shows the section to guests who have accepted, and to guests whose address has an account. */
  function show(invitation: Invitation) {
    guest = invitation.guest;
    const { status } = invitation.episodeGuest, isLinked = guest.userId !== null;
    byId("account").hidden = status === "declined" || (status !== "active" && !isLinked);
    setText("account-email", guest.email);
    (byId("account-username") as HTMLInputElement).value = guest.email;
    field("display-name").value ||= guest.displayName;
    if (isLinked && step !== "done" && !supabase.isSignedIn()) {
      showStep(
        "done",
        `This invitation belongs to your account, ${guest.email}. If it has no password yet, reset it when you sign in.`,
      );
    }
  }

  byId("open-account").onclick = openForm;
  byId("account-form").onsubmit = (event) => {
    event.preventDefault();
    page.runAction(step === "password" ? createAccount : confirmAddress, ERROR_ID);
  };
  byId("enter-code").onclick = enterCode;
  byId("resend-code").onclick = () => page.runAction(resendCode, ERROR_ID);
  byId("show-password").onchange = ({ target }) => {
    field("password").type = (target as HTMLInputElement).checked ? "text" : "password";
  };
  // the guest may have followed the email's link instead of entering its code
  document.addEventListener("visibilitychange", () => {
    if (step === "code" && document.visibilityState === "visible") page.readInvitation().then(show, () => {});
  });

  return { show };
}
