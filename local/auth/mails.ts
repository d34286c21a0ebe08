// The mails with a code and a link.
import { orFailure } from "./errors.ts";
import type { Service } from "./service.ts";

export type MailKind = "signup" | "magiclink" | "recovery" | "invite" | "email_change";

const TEXTS: Record<MailKind, { subject: string; lead: string; action: string; called: string }> = {
  signup: {
    subject: "Confirm your email address",
    lead: "Follow the link below to confirm this email address and finish signing up.",
    action: "Confirm email address",
    called: "confirmation",
  },
  magiclink: {
    subject: "Your sign-in link",
    lead: "Follow the link below to sign in. This link expires shortly and can only be used once.",
    action: "Sign in",
    called: "magic link",
  },
  recovery: {
    subject: "Reset your password",
    lead: "We received a request to reset your password. Follow the link below to choose a new one.",
    action: "Reset password",
    called: "recovery",
  },
  invite: {
    subject: "You've been invited",
    lead: "You've been invited to create an account. Follow the link below to accept.",
    action: "Accept invitation",
    called: "invite",
  },
  email_change: {
    subject: "Confirm your new email address",
    lead: "Follow the link below to confirm the new email address of your account.",
    action: "Confirm new email address",
    called: "email change",
  },
};

/** The link of a mail: it leads to the service, and from there to `redirectTo`. */
export function verificationLink(service: Service, kind: MailKind, hash: string, redirectTo: string): string {
  return `${service.url}/verify?${new URLSearchParams({ token: hash, type: kind, redirect_to: redirectTo })}`;
}

export async function sendCode(
  service: Service,
  kind: MailKind,
  { to, code, link }: { to: string; code: string; link: string },
): Promise<void> {
  const { subject, lead, action, called } = TEXTS[kind];
  const href = link.replaceAll("&", "&amp;");
  const mail = {
    to,
    subject,
    text: `${lead}\n\n${link}\n\nOr enter this code: ${code}\n`,
    html:
      `<h2>${subject}</h2>\n<p>${lead}</p>\n<p><a href="${href}">${action}</a></p>\n<p>Or enter this code: ${code}</p>\n`,
  };
  await orFailure(`Error sending ${called} email`, service.send(mail));
}
