// Names of buckets and objects: what the service takes, and how they stand in a URL.
import { refusals } from "./errors.ts";

/** S3's safe characters and some that need care; the hyphen last. No other letters than a to z. */
const objectKey = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/;
const bucketName = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/;

export function checkKey(key: unknown): string {
  if (typeof key !== "string" || !objectKey.test(key)) throw refusals.invalidKey(String(key ?? ""));
  return key;
}

export function checkBucketName(name: unknown): string {
  if (typeof name !== "string" || !bucketName.test(name)) throw refusals.invalidBucketName();
  return name;
}

/** A part of the path as the client meant it. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw refusals.invalidKey(part);
  }
}

const units: Record<string, number> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 };

/** "20MB" and the like as a number of bytes; config.toml writes binary units too. */
export function bytesOf(limit: unknown): number {
  if (typeof limit === "number" && Number.isInteger(limit) && limit >= 0) return limit;
  const [, number, unit] = /^(\d+(?:\.\d+)?)(b|[kmg]i?b)$/i.exec(String(limit)) ?? [];
  if (!unit) throw refusals.invalidFileSizeLimit();
  return Math.round(Number(number) * units[unit.toLowerCase()]);
}
