// Emails with a code and a link.
import { orUnexpectedFailure } from "./errors.ts";
import type { Call, Service } from "./service.ts";
import { fillTemplate, type MailKind } from "./templates.ts";
import type { User } from "./users.ts";

const NAMES: Record<MailKind, string> = {
  signup: "confirmation",
  magiclink: "magic link",
  recovery: "recovery",
  invite: "invite",
  email_change: "email change",
  reauthentication: "reauthentication",
};

/** The link in an email: to the service, which redirects to `redirectTo`. */
export function verificationLink(service: Service, kind: MailKind, hash: string, redirectTo: string): string {
  const target = /[&=#]/.test(redirectTo) ? encodeURIComponent(redirectTo) : redirectTo;
  return `${service.url}/verify?token=${hash}&type=${kind}&redirect_to=${target}`;
}

interface OutgoingEmail {
  kind: MailKind;
  to: string;
  code: string;
  hash: string;
}

export async function sendCode(service: Service, call: Call, user: User, email: OutgoingEmail): Promise<void> {
  const { kind, to, code, hash } = email;
  const { siteUrl, templates } = service.settings;
  const mail = fillTemplate(templates[kind], {
    ConfirmationURL: verificationLink(service, kind, hash, call.redirectTo),
    Token: code,
    TokenHash: hash,
    SiteURL: siteUrl,
    RedirectTo: call.redirectTo,
    Email: user.email ?? "",
    NewEmail: user.email_change,
    SendingTo: to,
    Data: user.raw_user_meta_data ?? {},
  });
  await orUnexpectedFailure(`Error sending ${NAMES[kind]} email`, service.send({ to, ...mail }));
}
