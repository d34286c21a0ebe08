/** What the emails of the product have in common, and how a transport sends one. */
import { PermanentError } from "../runtime/job_run.ts";
import type { EmailTopic } from "./topic_headers.ts";

export interface Attachment {
  filename: string;
  /** With parameters, such as `text/calendar; method=REQUEST`. */
  contentType: string;
  content: string;
}

export interface Email {
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  topic: EmailTopic;
  replyTo?: string;
  /** Names the sender instead of MAIL_FROM, whose address stays. */
  fromName?: string;
  /** Further headers, such as List-Unsubscribe. */
  headers?: Record<string, string>;
  attachments?: Attachment[];
}

/**
 * Resolves with the provider's id of the email, null if unknown, when the provider has accepted it. Another call with
 * the same key repeats the email: the provider or the recipient's mail client recognizes it. Throws PermanentError or
 * RetryAfterError where the provider asks for it; errors contain neither addresses nor content.
 */
export type EmailTransport = (email: Email, sender: string, idempotencyKey: string) => Promise<string | null>;

/** Thrown when the server says that the recipient's address does not exist. */
export class AddressRejectedError extends PermanentError {}
