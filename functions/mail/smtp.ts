/** Sends email through the SMTP server of SMTP_URL. Only the worker sends email. */
import { createHash } from "node:crypto";
import { env } from "../runtime/env.ts";
import { excerpt } from "../runtime/api_error.ts";
import { PermanentError } from "../runtime/job_run.ts";
import { AddressRejectedError, type Attachment, type Email } from "./email.ts";
import { hideAddresses } from "./hide_addresses.ts";
import { addressOf, domainOf, feedbackIdOf } from "./topic_headers.ts";

/** Thrown by nodemailer, with the server's response if there was one. */
type SmtpError = Error & { response?: string; responseCode?: number; command?: string };

/**
 * Each email has its own connection, because an isolate may end before the next. SMTP has no idempotency keys: a
 * repeated email has the same Message-ID, by which mail clients and many servers recognize it.
 */
export async function sendBySmtp(email: Email, from: string, idempotencyKey: string): Promise<string> {
  const { to, subject, text, html, replyTo, fromName, topic, headers, attachments } = email;
  const invitation = attachments?.find(methodOf);
  const digest = createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 40);
  const messageId = `<${digest}@${domainOf(from)}>`;
  const transport = await createTransport();
  try {
    await transport.sendMail({
      messageId,
      baseBoundary: digest,
      from: fromName ? { name: fromName, address: addressOf(from) } : from,
      to,
      subject,
      text,
      html,
      replyTo,
      headers: { ...headers, "Feedback-ID": feedbackIdOf(topic) }, // Resend's own servers set it
      attachments: attachments?.filter((attachment) => attachment !== invitation),
      icalEvent: invitation && { ...invitation, method: methodOf(invitation) },
    });
    return messageId;
  } catch (error) {
    throw toSendError(error as SmtpError);
  } finally {
    transport.close();
  }
}

/** Connects to the server and signs in. Throws an error that says what failed. */
export async function checkSmtp(): Promise<void> {
  const transport = await createTransport();
  try {
    await transport.verify();
  } catch (error) {
    throw toSendError(error as SmtpError);
  } finally {
    transport.close();
  }
}

async function createTransport() {
  if (env.SMTP_URL === undefined) throw new Error("Neither RESEND_API_KEY nor SMTP_URL is set; email cannot be sent");
  const { default: nodemailer } = await import("nodemailer"); // most isolates send no email
  return nodemailer.createTransport({
    url: env.SMTP_URL,
    disableFileAccess: true, // content is literal, never a path or a URL to read
    disableUrlAccess: true,
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
  });
}

/**
 * The method of a calendar file. nodemailer sends one also as an alternative of the text, without which Outlook shows an
 * invitation as a file.
 */
const methodOf = ({ contentType }: Attachment) => contentType.match(/^text\/calendar;.*method=([A-Z]+)/)?.[1];

/**
 * The enhanced codes of RFC 3463 and RFC 7505 by which a server says that it does not have the recipient. Others speak of
 * the sender (5.1.7, 5.1.8), of policy (5.7.x) or of a full mailbox (5.2.2).
 */
const ADDRESS_REJECTED = /^(550|551|553)[ -]5\.1\.(1|2|3|4|6|10)(?!\d)/;

/** Errors of login and sender can be fixed in the configuration, so only those of recipient and content are permanent. */
function toSendError({ message, response = "", responseCode = 0, command = "" }: SmtpError): Error {
  const cause = new Error(excerpt(hideAddresses(message), 300));
  if (responseCode < 500 || !["RCPT TO", "DATA"].includes(command)) return cause;
  return ADDRESS_REJECTED.test(response)
    ? new AddressRejectedError("The mail server rejected the address", { cause })
    : new PermanentError("The mail server permanently rejected the email", { cause });
}

/** For each step; all steps together are shorter than a job's visibility timeout. */
const SMTP_TIMEOUT_MS = 10_000;
