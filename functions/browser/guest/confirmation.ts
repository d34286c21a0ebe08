/**
 * The page that a link in Auth's emails opens, if an operator links to the guest page: #token_hash=…&type=…. Mail scanners
 * open links, so it sends nothing before its button is pressed. It asks for name and password first: another person may
 * have signed up with the address, and nothing of theirs may stay.
 */
import { type AuthError, createSupabaseClient, type PageRequests } from "./supabase_client.ts";

type Page = PageRequests & {
  byId(id: string): HTMLElement;
  setText(id: string, text: string): void;
  runAction(action: () => Promise<boolean>, errorId: string): Promise<void>;
};

type Kind = { title: string; text: string; button: string; asksName?: true; asksPassword?: true; done: string };
const READY = "Your account is ready. All invitations to this address belong to it.";
const KINDS: Record<string, Kind> = {
  signup: {
    title: "Confirm your email address",
    text: "Choose your name and password.",
    button: "Confirm address",
    asksName: true,
    asksPassword: true,
    done: READY,
  },
  invite: {
    title: "Accept your invitation",
    text: "Choose your name and password.",
    button: "Accept invitation",
    asksName: true,
    asksPassword: true,
    done: READY,
  },
  recovery: {
    title: "Choose a new password",
    text: "It replaces the password of your account.",
    button: "Save password",
    asksPassword: true,
    done: "Your new password is saved.",
  },
  email_change: {
    title: "Change your email address",
    text: "Confirm only if you want to use this address for the account that the email names.",
    button: "Confirm address",
    done: "Your email address is changed.",
  },
};

export function openConfirmation(page: Page, { type, tokenHash }: { type: string; tokenHash: string }) {
  const { byId, setText } = page, kind = KINDS[type];
  const field = (id: "owner-name" | "owner-password") => byId(id) as HTMLInputElement;
  const supabase = createSupabaseClient(page, errorText);

  function errorText({ code, message }: AuthError): string {
    if (code === "over_request_rate_limit") return "Too many tries. Please wait five minutes, then try again.";
    if (code !== "otp_expired") return message;
    const text = "This link was used before or has expired. Please request a new email.";
    return kind.asksPassword
      ? `${text} If you have confirmed your address before, reset your password when you sign in.`
      : text;
  }

  /** Continues where an earlier attempt failed. */
  async function confirm() {
    if (!supabase.isSignedIn() && !await supabase.verify({ type, token_hash: tokenHash })) {
      return finish("This address is confirmed. Please confirm the other one too: we emailed both.");
    }
    await supabase.setOwner({
      password: kind.asksPassword && field("owner-password").value,
      displayName: kind.asksName && field("owner-name").value,
    });
    await supabase.signOut();
    return finish(kind.done);
  }

  function finish(text: string) {
    history.replaceState(null, "", location.pathname);
    field("owner-password").value = "";
    byId("confirmation-form").hidden = true;
    byId("confirmation-sign-in").hidden = false;
    setText("confirmation-text", text);
    byId("confirmation-text").focus();
    return false;
  }

  document.title = kind?.title ?? "Sign in";
  setText("confirmation-title", document.title);
  setText("confirmation-text", kind?.text ?? "Enter the code from the email on the page where you want to sign in.");
  setText("confirm", kind?.button ?? "");
  byId("confirmation-form").hidden = !kind;
  for (const [id, isAsked] of [["owner-name", kind?.asksName], ["owner-password", kind?.asksPassword]] as const) {
    byId(id).closest("p")!.hidden = !isAsked;
    field(id).disabled = !isAsked; // a hidden field must not be required
  }
  byId("confirmation-form").onsubmit = (event) => {
    event.preventDefault();
    page.runAction(confirm, "confirmation-error");
  };
  byId("confirmation").hidden = false;
}
