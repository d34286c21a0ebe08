// Valid names of buckets and objects.
import { ERRORS } from "./errors.ts";

/** S3's safe characters and some that need care. No letters other than a to z. */
const objectKey = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/;
const bucketName = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/;

export function requireValidKey(key: unknown): string {
  if (typeof key !== "string" || !objectKey.test(key)) throw ERRORS.invalidKey(String(key ?? ""));
  return key;
}

/** For reads, where a key with other characters is only not found. */
export function requireKey(key: string): string {
  if (key === "") throw ERRORS.invalidKey(key);
  return key;
}

export function requireValidBucketName(name: unknown): string {
  if (typeof name !== "string" || !bucketName.test(name)) throw ERRORS.invalidBucketName();
  return name;
}
