/**
 * The page that a link in Auth's emails opens, if an operator links to the guest page: #token_hash=…&type=…. Mail scanners
 * open links, so it sends nothing before its button is pressed. It asks for name and password first: another person may
 * have signed up with the address, and nothing of theirs may stay.
 */
import { texts } from "./guest_texts.ts";
import { type AuthError, createSupabaseClient, type PageRequests } from "./supabase_client.ts";

type Page = PageRequests & {
  byId(id: string): HTMLElement;
  setText(id: string, text: string): void;
  runAction(action: () => Promise<boolean>, errorId: string): Promise<void>;
};

type Kind = { title: string; text: string; button: string; asksName?: true; asksPassword?: true; done: string };
const KINDS: Record<string, Kind> = {
  signup: {
    title: texts.signUp,
    text: texts.signUpText,
    button: texts.confirmAddress,
    asksName: true,
    asksPassword: true,
    done: texts.signUpDone,
  },
  invite: {
    title: texts.acceptInvite,
    text: texts.signUpText,
    button: texts.acceptInvitation,
    asksName: true,
    asksPassword: true,
    done: texts.signUpDone,
  },
  recovery: {
    title: texts.recovery,
    text: texts.recoveryText,
    button: texts.savePassword,
    asksPassword: true,
    done: texts.recoveryDone,
  },
  email_change: {
    title: texts.emailChange,
    text: texts.emailChangeText,
    button: texts.confirmAddress,
    done: texts.emailChangeDone,
  },
};

export function openConfirmation(page: Page, { type, tokenHash }: { type: string; tokenHash: string }) {
  const { byId, setText } = page, kind = KINDS[type];
  const field = (id: "owner-name" | "owner-password") => byId(id) as HTMLInputElement;
  const supabase = createSupabaseClient(page, errorText);

  function errorText({ code, message }: AuthError): string {
    if (code !== "otp_expired") return message;
    return kind.asksPassword ? texts.linkUsedReset : texts.linkUsed;
  }

  /** Continues where an earlier attempt failed. */
  async function confirm() {
    if (!supabase.isSignedIn() && !await supabase.verify({ type, token_hash: tokenHash })) {
      return finish(texts.emailChangeHalf);
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

  document.title = kind?.title ?? texts.signInTitle;
  setText("confirmation-title", document.title);
  setText("confirmation-text", kind?.text ?? texts.enterCodeThere);
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
