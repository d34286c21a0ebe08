import { fail } from "./errors.ts";

/** Parses a number of the form E.164, without its plus sign. */
export function parsePhone(phone: string): string {
  const digits = phone.replace(/^\+/, "").replaceAll(" ", "");
  if (!/^[1-9]\d{1,14}$/.test(digits)) fail(400, "validation_failed", "Invalid phone number format (E.164 required)");
  return digits;
}

/** Rejects a channel other than text messages, the default one. */
export function requireChannel(channel: string): void {
  if (!channel || channel === "sms") return;
  const supported =
    "supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify " +
    "is used as the provider.";
  fail(400, "validation_failed", `Invalid channel, ${supported}`);
}
