// Decryption of push messages, written from RFC 8291 and RFC 8188 independently of the package that encrypts them.
import { Buffer } from "node:buffer";
import { createDecipheriv, createECDH, hkdfSync } from "node:crypto";

/** The key pair and the secret of a browser's subscription. */
export interface BrowserKeys {
  privateKey: Buffer;
  publicKey: Buffer;
  auth: Buffer;
}

export function createBrowserKeys(): BrowserKeys {
  const curve = createECDH("prime256v1");
  const publicKey = curve.generateKeys();
  return {
    privateKey: curve.getPrivateKey(),
    publicKey,
    auth: Buffer.from(crypto.getRandomValues(new Uint8Array(16))),
  };
}

const derive = (key: Buffer, salt: Buffer, info: Buffer, length: number) =>
  Buffer.from(hkdfSync("sha256", key, salt, info, length));

/** Decrypts a body of the content coding aes128gcm, of one record. Throws if it is not exactly that. */
export function decryptPush(body: Buffer, { privateKey, publicKey, auth }: BrowserKeys): string {
  const salt = body.subarray(0, 16), recordSize = body.readUInt32BE(16), keyLength = body.readUInt8(20);
  const serverKey = body.subarray(21, 21 + keyLength), record = body.subarray(21 + keyLength);
  if (keyLength !== 65) throw new Error(`The key of the application server has ${keyLength} bytes`);
  if (record.length > recordSize) throw new Error("The body has more than one record");
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(privateKey);
  const shared = curve.computeSecret(serverKey);
  const secret = derive(shared, auth, Buffer.concat([Buffer.from("WebPush: info\0"), publicKey, serverKey]), 32);
  const key = derive(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createDecipheriv("aes-128-gcm", key, nonce);
  cipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error("The last record does not end with the delimiter 2");
  return new TextDecoder("utf-8", { fatal: true }).decode(padded.subarray(0, end));
}
