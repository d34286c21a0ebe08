// What the mails say: the project's templates, else bare ones. Of Go's template language they may use `{{ .Name }}`.
import { resolve } from "node:path";

export type MailKind = "signup" | "magiclink" | "recovery" | "invite" | "email_change";

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
};

/** The one of a table [auth.email.template.*]. Its path is relative to the project's folder, not to supabase/. */
export function readTemplate(kind: MailKind, given: Record<string, unknown>, folder: string): Template {
  const subject = String(given.subject ?? SUBJECTS[kind]);
  if (!given.content_path) return { subject, html: `<p><a href="{{ .ConfirmationURL }}">${subject}</a></p>` };
  const path = resolve(folder, String(given.content_path));
  const html = Deno.readTextFileSync(path);
  const unknown = (subject + html).replace(PLACE, "").match(/\{\{.*?\}\}/)?.[0];
  if (unknown) throw new Error(`${path}: the local stack cannot do ${unknown}.`);
  return { subject, html };
}

const PLACE = /\{\{ *\.(\w+)(?:\.(\w+))? *\}\}/g;

/** Values for the places of a template; `Data` is the user's own. */
export type Values = Record<string, string | Record<string, unknown>>;

export function filled({ subject, html }: Template, values: Values): { subject: string; html: string; text: string } {
  const fill = (text: string, escape: (value: string) => string) =>
    text.replace(PLACE, (_, name, member) => {
      const value = values[name] ?? "";
      return escape(String(typeof value === "object" ? value[member] ?? "" : value));
    });
  const body = fill(html, escaped);
  return { subject: fill(subject, String), html: body, text: plain(body) };
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);

/** The mail for those who read no HTML: a link shows its address. */
function plain(html: string): string {
  const text = html.replace(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs, "$2: $1").replace(/<[^>]*>/g, "");
  return Object.entries(ENTITIES).reduceRight((text, [character, name]) => text.replaceAll(name, character), text)
    .trim();
}
