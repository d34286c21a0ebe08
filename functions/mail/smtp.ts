/** Mail: handed to the SMTP server of SMTP_URL, one after another. Only the worker sends any (DESIGN.md, 1). */
import nodemailer from "nodemailer";
import { env } from "../app/env.ts";

export interface Email {
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
}

/** What sendMail throws, with the server's answer where it gave one. */
export type SmtpError = Error & { responseCode?: number; command?: string };

/** Resolves when the server has taken the mail. A connection for each: an isolate may end before the next one comes. */
export async function sendEmail({ to, subject, text, html }: Email): Promise<void> {
  const [url, from] = [requireEnv("SMTP_URL", env.smtpUrl), requireEnv("MAIL_FROM", env.mailFrom)];
  const transport = nodemailer.createTransport({
    url,
    disableFileAccess: true, // a mail's parts are what they say, never a path or an address to read them from
    disableUrlAccess: true,
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
  });
  try {
    await transport.sendMail({
      from,
      to: { name: toSingleLine(to.name), address: to.address },
      subject: toSingleLine(subject),
      text,
      html,
    });
  } catch (error) {
    // what it says names the recipient, and is kept in logs and dead letters
    const { message, responseCode, command } = error as SmtpError;
    throw Object.assign(new Error(message.replace(EMAIL_ADDRESS, "<address>")), { responseCode, command });
  } finally {
    transport.close();
  }
}

const EMAIL_ADDRESS = /<?[^\s<>"']+@[^\s<>"']+>?/g;

/** Whether the server will never take this mail. Login and sender are ours to put right, so what it says of them may change. */
export function isPermanentRejection(error: SmtpError): boolean {
  return error.responseCode! >= 500 && ["RCPT TO", "DATA"].includes(error.command!);
}

/** For each step with the server; all of them together fit into a job's lease. */
const SMTP_TIMEOUT_MS = 10_000;

function requireEnv(name: string, value: string | undefined): string {
  if (value === undefined) throw new Error(`${name} is not set: no mail can be sent`);
  return value;
}

/** A header is one line; people's titles and names need not be. */
const toSingleLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
