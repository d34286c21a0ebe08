/** VAPID (RFC 8292): the key pair by which push services know this installation. */
import { Buffer } from "node:buffer";
import { createECDH } from "node:crypto";
import { env, requireVariable } from "../runtime/env.ts";

/** The key with which browsers subscribe, in base64url; undefined for an installation without a private key. */
export const vapidPublicKey = env.VAPID_PRIVATE_KEY && publicKeyOf(env.VAPID_PRIVATE_KEY);

function publicKeyOf(privateKey: string): string {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(Buffer.from(privateKey, "base64url"));
  return curve.getPublicKey("base64url");
}

export interface KeyPair {
  privateKey: string;
  publicKey: string;
  subject: string;
}

/**
 * Key pairs to sign with: the current one, and the one that it replaced, under which older subscriptions were made.
 * Throws an error that names a missing variable.
 */
export function requireVapid(): KeyPair[] {
  const effect = "push messages cannot be sent";
  const current = requireVariable("VAPID_PRIVATE_KEY", effect), subject = requireVariable("VAPID_SUBJECT", effect);
  pairs ??= [current, env.PREVIOUS_VAPID_PRIVATE_KEY].filter((key) => key !== undefined)
    .map((privateKey) => ({ privateKey, publicKey: publicKeyOf(privateKey), subject }));
  return pairs;
}

let pairs: KeyPair[] | undefined;
