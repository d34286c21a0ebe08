// Valid names of buckets and objects, and their form in a URL.
import { ERRORS } from "./errors.ts";

/** S3's safe characters and some that need care. No letters other than a to z. */
const objectKey = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/;
const bucketName = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/;

export function requireValidKey(key: unknown): string {
  if (typeof key !== "string" || !objectKey.test(key)) throw ERRORS.invalidKey(String(key ?? ""));
  return key;
}

export function requireValidBucketName(name: unknown): string {
  if (typeof name !== "string" || !bucketName.test(name)) throw ERRORS.invalidBucketName();
  return name;
}

/** Decodes a part of the path. Throws invalidKey. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw ERRORS.invalidKey(part);
  }
}

const units: Record<string, number> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 };

/** Parses a size such as "20MB" into bytes. config.toml also allows binary units. */
export function parseByteLimit(limit: unknown): number {
  if (typeof limit === "number" && Number.isInteger(limit) && limit >= 0) return limit;
  const [, number, unit] = /^(\d+(?:\.\d+)?)(b|[kmg]i?b)$/i.exec(String(limit)) ?? [];
  if (!unit) throw ERRORS.invalidFileSizeLimit();
  return Math.round(Number(number) * units[unit.toLowerCase()]);
}
