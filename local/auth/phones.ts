import { fail } from "./errors.ts";

/** Parses a number of the form E.164, without its plus sign. */
export function parsePhone(phone: string): string {
  const digits = phone.replace(/^\+/, "").replaceAll(" ", "");
  if (!/^[1-9]\d{1,14}$/.test(digits)) fail(400, "validation_failed", "Invalid phone number format (E.164 required)");
  return digits;
}
