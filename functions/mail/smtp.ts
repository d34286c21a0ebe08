/** Sends email through the SMTP server of SMTP_URL. Only the worker sends email. */
import nodemailer from "nodemailer";
import { env } from "../app/env.ts";

export interface Email {
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
}

/** Thrown by sendEmail, with the server's response if there was one. */
export type SmtpError = Error & { responseCode?: number; command?: string };

/**
 * Resolves when the server has accepted the email. Each has its own connection, because an isolate may end before the
 * next.
 */
export async function sendEmail({ to, subject, text, html }: Email): Promise<void> {
  const [url, from] = [requireEnv("SMTP_URL", env.smtpUrl), requireEnv("MAIL_FROM", env.mailFrom)];
  const transport = nodemailer.createTransport({
    url,
    disableFileAccess: true, // content is literal, never a path or a URL to read
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
    // the message names the recipient, and logs and dead letters keep it
    const { message, responseCode, command } = error as SmtpError;
    throw Object.assign(new Error(message.replace(EMAIL_ADDRESS, "<address>")), { responseCode, command });
  } finally {
    transport.close();
  }
}

const EMAIL_ADDRESS = /<?[^\s<>"']+@[^\s<>"']+>?/g;

/** Whether the server will never accept this email. Errors of login and sender can be fixed in the configuration. */
export function isPermanentRejection(error: SmtpError): boolean {
  return error.responseCode! >= 500 && ["RCPT TO", "DATA"].includes(error.command!);
}

/** For each step; all steps together are shorter than a job's visibility timeout. */
const SMTP_TIMEOUT_MS = 10_000;

function requireEnv(name: string, value: string | undefined): string {
  if (value === undefined) throw new Error(`${name} is not set; email cannot be sent`);
  return value;
}

/** Headers are single lines; titles and names may have several. */
const toSingleLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
