/** VAPID (RFC 8292): the key pair by which push services know this installation. */
import { Buffer } from "node:buffer";
import { createECDH } from "node:crypto";
import { env } from "../runtime/env.ts";

/** The key with which browsers subscribe, in base64url; undefined for an installation without a private key. */
export const vapidPublicKey = env.vapidPrivateKey && publicKeyOf(env.vapidPrivateKey);

function publicKeyOf(privateKey: string): string {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(Buffer.from(privateKey, "base64url"));
  return curve.getPublicKey("base64url");
}

/** The keys and the operator's address. Throws an error that names a missing variable. */
export function requireVapid() {
  return {
    privateKey: requireEnv("VAPID_PRIVATE_KEY", env.vapidPrivateKey),
    publicKey: vapidPublicKey!,
    subject: requireEnv("VAPID_SUBJECT", env.vapidSubject),
  };
}

function requireEnv(name: string, value: string | undefined): string {
  if (value === undefined) throw new Error(`${name} is not set; push messages cannot be sent`);
  return value;
}
