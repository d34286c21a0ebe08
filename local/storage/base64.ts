import { Buffer } from "node:buffer";

/** Decodes base64 or base64url to text; "" if it is neither. */
export function decodeBase64(text: string): string {
  try {
    return Buffer.from(text, "base64url").toString("utf8");
  } catch {
    return "";
  }
}
