/**
 * The create-account form of the guest page. The account gets the invited address only: the form has no field for
 * another one, and a code that is emailed there confirms it. It keeps name, password and session in memory.
 */
import type { z } from "zod";
import type { GuestInvitationResponse } from "../../../types/guests.ts";
import { createCaptchaWidget } from "./captcha_widget.ts";
import { fillIn, language, texts } from "./guest_texts.ts";
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
    if (code === "otp_expired") return texts.wrongCode;
    if (code === "captcha_failed") return captcha.isRequired ? texts.captchaFailed : texts.outdated;
    if (code !== "over_email_send_rate_limit") return message;
    if (!seconds) return texts.noMoreEmails;
    return fillIn(
      texts.waitForCode,
      Number(seconds).toLocaleString(language, { style: "unit", unit: "second", unitDisplay: "long" }),
    );
  }

  /** Calls that send an email require a captcha token, each a new one. */
  async function requestCode(path: "/signup" | "/resend", fields: object) {
    const token = captcha.takeToken();
    if (captcha.isRequired && !token) {
      captcha.load();
      throw new RequestError(texts.captchaNeeded, 400);
    }
    const security = token && { gotrue_meta_security: { captcha_token: token } };
    await callAuth(path, { email: guest.email, ...fields, ...security }).finally(captcha.reset);
  }

  /** The response is the same if the address has an account; then no email is sent. */
  async function createAccount() {
    if (supabase.isSignedIn()) return await finish();
    await requestCode("/signup", { password: field("password").value });
    showStep("code", fillIn(texts.codeSent, guest.email));
    return false;
  }

  async function resendCode() {
    await requestCode("/resend", { type: "signup" });
    field("code").value = "";
    showStep("code", fillIn(texts.newCodeSent, guest.email));
    return false;
  }

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
        if (error.code === "weak_password") showStep("password", texts.choosePassword);
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
    userId === null ? texts.accountReadyWithout : fillIn(texts.accountReady, email);

  /** Screen readers announce the text; the focus moves to the step's field. */
  function showStep(next: typeof step, text: string) {
    step = next;
    byId("account-form").dataset.step = step;
    byId("account-form").hidden = step === "done";
    byId("open-account").hidden = true;
    byId("sign-in").hidden = step === "password"; // a guest with an account gets no code
    setText("account-title", step === "done" ? texts.yourAccount : texts.createAccount);
    setText("account-status", text);
    field("code").disabled = step !== "code"; // a hidden field must not be required
    if (step === "password" || step === "code") field(step).focus();
  }

  function openForm() {
    showStep("password", texts.accountForm);
    captcha.load();
  }

  /** After a reload, the code of an earlier email is still valid. */
  function enterCode() {
    if ((byId("account-form") as HTMLFormElement).reportValidity()) {
      showStep("code", fillIn(texts.enterSentCode, guest.email));
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
      showStep("done", fillIn(texts.linked, guest.email));
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
