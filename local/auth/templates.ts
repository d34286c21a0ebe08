// The text of emails: the project's templates or default ones. Of Go's template language, only `{{ .Name }}`.
import { resolve } from "node:path";

export type MailKind = "signup" | "magiclink" | "recovery" | "invite" | "email_change" | "reauthentication";

export interface Template {
  subject: string;
  html: string;
}

const SUBJECTS: Record<MailKind, string> = {
  signup: "Confirm your email address",
  magiclink: "Your sign-in link",
  recovery: "Reset your password",
  invite: "You've been invited",
  email_change: "Confirm your new email address",
  reauthentication: "Confirm that it is you",
};

const LINK = (subject: string) => `<p><a href="{{ .ConfirmationURL }}">${subject}</a></p>`;
const NONCE = "<p>Your code: {{ .Token }}</p>";

/** Reads a table [auth.email.template.*]. Its path is relative to the project's folder, not to supabase/. */
export function readTemplate(kind: MailKind, table: Record<string, unknown>, folder: string): Template {
  const subject = String(table.subject ?? SUBJECTS[kind]);
  if (!table.content_path) return { subject, html: kind === "reauthentication" ? NONCE : LINK(subject) };
  const path = resolve(folder, String(table.content_path));
  const html = Deno.readTextFileSync(path);
  const unknown = (subject + html).replace(PLACEHOLDER, "").match(/\{\{.*?\}\}/)?.[0];
  if (unknown) throw new Error(`${path}: ${unknown} is not supported by the local stack.`);
  return { subject, html };
}

const PLACEHOLDER = /\{\{ *\.(\w+)(?:\.(\w+))? *\}\}/g;

/** Values of the placeholders; `Data` is the user's metadata. */
type Values = Record<string, string | Record<string, unknown>>;

/** The service sends HTML only. */
export function fillTemplate({ subject, html }: Template, values: Values): Template {
  const fill = (text: string, encode: (value: string) => string) =>
    text.replace(PLACEHOLDER, (_, name, member) => {
      const value = values[name] ?? "";
      return encode(String(typeof value === "object" ? value[member] ?? "" : value));
    });
  return { subject: fill(subject, String), html: fill(html, escape) };
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);
