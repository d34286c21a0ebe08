/**
 * Secrets in emails. Each is derived from WORKER_SECRET and what it opens, so that a repeated attempt sends the same
 * email; the database stores digests.
 */
import { createHash, createHmac, hkdfSync } from "node:crypto";
import { requireVariable } from "../runtime/env.ts";

type TokenKind = "open" | "click" | "unsubscribe" | "access" | "thread";

export function deriveToken(kind: TokenKind, id: string): string {
  return derive(kind, id).toString("base64url");
}

/**
 * Six digits, and their keyed digest for the database, because a million guesses would find an unkeyed one. `key` is the
 * random key of the request for a code, in hexadecimal.
 */
export function deriveCode(kind: "ownership_code" | "email_confirmation", key: string) {
  const code = String(derive(kind, key).readUIntBE(0, 6) % 1_000_000).padStart(6, "0");
  return { code, digest: createHash("sha256").update(key, "hex").update(code).digest() };
}

/** As the database stores it, in hexadecimal. */
export const digestOf = (token: string) => createHash("sha256").update(token).digest("hex");

function derive(kind: string, id: string) {
  const secret = requireVariable("WORKER_SECRET", "email cannot be sent");
  const key = new Uint8Array(hkdfSync("sha256", secret, "", "castbase email tokens", 32));
  return createHmac("sha256", key).update(`${kind}:${id}`).digest();
}
