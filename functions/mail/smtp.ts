/** Mail: handed to the SMTP server of SMTP_URL, one after another. Only the worker sends any (DESIGN.md, 1). */
import nodemailer from "nodemailer";
import { env } from "../app/env.ts";

export interface Mail {
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
}

/** What sendMail throws, with the server's answer where it gave one. */
export type MailError = Error & { responseCode?: number; command?: string };

/** Resolves when the server has taken the mail. A connection for each: an isolate may end before the next one comes. */
export async function sendMail({ to, subject, text, html }: Mail): Promise<void> {
  const [url, from] = [required("SMTP_URL", env.smtpUrl), required("MAIL_FROM", env.mailFrom)];
  const transport = nodemailer.createTransport({
    url,
    disableFileAccess: true, // a mail's parts are what they say, never a path or an address to read them from
    disableUrlAccess: true,
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
  });
  try {
    await transport.sendMail({
      from,
      to: { name: onOneLine(to.name), address: to.address },
      subject: onOneLine(subject),
      text,
      html,
    });
  } catch (error) {
    // what it says names the recipient, and is kept in logs and dead letters
    const { message, responseCode, command } = error as MailError;
    throw Object.assign(new Error(message.replace(ADDRESS, "<address>")), { responseCode, command });
  } finally {
    transport.close();
  }
}

const ADDRESS = /<?[^\s<>"']+@[^\s<>"']+>?/g;

/** Whether the server will never take this mail. Login and sender are ours to put right, so what it says of them may change. */
export function isRefusedForGood(error: MailError): boolean {
  return error.responseCode! >= 500 && ["RCPT TO", "DATA"].includes(error.command!);
}

/** For each step with the server; all of them together fit into a job's lease. */
const PATIENCE_MS = 10_000;

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new Error(`${name} is not set: no mail can be sent`);
  return value;
}

/** A header is one line; people's titles and names need not be. */
const onOneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
