/** Sends the product's emails: by Resend if RESEND_API_KEY is set, else by SMTP. */
import { env, requireVariable } from "../runtime/env.ts";
import { service } from "../database/service.ts";
import { describeError } from "../runtime/describe_error.ts";
import { AddressRejectedError, type Attachment, type Email, type EmailTransport } from "./email.ts";
import { toHeaderText } from "./header_text.ts";
import { sendByResend } from "./resend.ts";
import { sendBySmtp } from "./smtp.ts";
import { domainOf, topicHeaders } from "./topic_headers.ts";

const MAX_SUBJECT_LENGTH = 250, MAX_NAME_LENGTH = 100, MAX_FROM_NAME_LENGTH = 60;

/** Of an email that belongs to a delivery, a rejected address fails the delivery, too. */
export async function sendEmail(email: Email, idempotencyKey: string, deliveryId?: string): Promise<string | null> {
  const from = requireVariable("MAIL_FROM", "email cannot be sent");
  const send: EmailTransport = env.RESEND_API_KEY ? sendByResend : sendBySmtp;
  try {
    return await send(withSafeHeaders(email, domainOf(from)), from, idempotencyKey);
  } catch (error) {
    if (error instanceof AddressRejectedError) {
      await service("record_rejected_address", { email: email.to.address, detail: describeError(error), deliveryId });
    }
    throw error;
  }
}

function withSafeHeaders(email: Email, domain: string): Email {
  const { to, subject, replyTo, fromName = "", headers, attachments, ...rest } = email;
  return {
    ...rest,
    headers: {
      ...headers,
      ...topicHeaders(email.topic, domain),
      "Auto-Submitted": "auto-generated", // RFC 3834: absence notes do not reply
    },
    replyTo: replyTo && SINGLE_ADDRESS.test(replyTo) ? replyTo : undefined,
    // a name that looks like an address would hide that of the sender
    fromName: toHeaderText(fromName.replace(/[<>@"]+/g, " "), MAX_FROM_NAME_LENGTH),
    to: { name: toHeaderText(to.name, MAX_NAME_LENGTH), address: to.address },
    subject: toHeaderText(subject, MAX_SUBJECT_LENGTH),
    attachments: attachments?.map(withSafeType),
  };
}

const SINGLE_ADDRESS = /^[^\s<>,;:"()[\]\\@]+@[^\s<>,;:"()[\]\\@]+$/;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*$/;

function withSafeType({ filename, contentType, content }: Attachment): Attachment {
  return {
    filename: toHeaderText(filename, MAX_NAME_LENGTH).replace(/[/\\]/g, "_") || "attachment",
    contentType: MEDIA_TYPE.test(contentType) ? contentType : "application/octet-stream",
    content,
  };
}
