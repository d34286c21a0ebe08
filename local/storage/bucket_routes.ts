// Routes of buckets.
import {
  type BucketRequest,
  createBucket,
  deleteBucket,
  emptyBucket,
  getBucket,
  listBuckets,
  updateBucket,
} from "./buckets.ts";
import { StorageError } from "./errors.ts";
import { handle, type Route } from "./route.ts";
import { array, boolean, coerce, integer, invalid, object, oneOf, type Schema, string } from "./schema.ts";

const sizePattern = "^[0-9]+(?:\\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$";

const units: Record<string, number> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

/** Parses a valid size such as "20MB" into bytes, with three significant digits as in the service. */
function parseByteLimit(limit: string): number {
  const [, number, unit] = /^([\d.]+)(.+)$/.exec(limit)!;
  return Math.round(Number(Number(number).toPrecision(3)) * units[unit.toLowerCase()]);
}

/** A number of bytes, or text such as "20MB". */
const fileSizeLimit: Schema = {
  type: "integer",
  convert(input, path) {
    const number = coerce({ type: "integer", nullable: true }, input);
    if (number === null || Number.isSafeInteger(number) && Number(number) >= 0) return number;
    const text = coerce({ type: "string", nullable: true }, input);
    if (typeof text === "string" && new RegExp(sizePattern).test(text)) return parseByteLimit(text);
    const reasons = typeof number === "number" && number < 0
      ? ["must be >= 0"]
      : typeof number === "number"
      ? ["must be integer"]
      : ["must be integer", 'must pass "finite" keyword validation'];
    const textReason = typeof text === "string" ? `must match pattern "${sizePattern}"` : "must be string";
    throw invalid([...reasons, textReason, "must match a schema in anyOf"].map((it) => `${path} ${it}`).join(", "));
  },
};

const settings = {
  public: boolean,
  file_size_limit: fileSizeLimit,
  allowed_mime_types: array(string, { nullable: true }),
};

const creation = object(
  { name: string, id: string, type: oneOf("STANDARD", "ANALYTICS"), ...settings },
  ["name"],
);

const changes: Schema = {
  ...object(settings),
  /** Requires one of the settings. */
  check(value) {
    const names = Object.keys(settings);
    if (names.some((name) => value[name] !== undefined)) return;
    const reasons = [
      ...names.map((name) => `body must have required property '${name}'`),
      "body must match a schema in anyOf",
    ];
    throw invalid(reasons.join(", "));
  },
};

const listing = object({
  limit: integer(1),
  offset: integer(0),
  sortColumn: oneOf("id", "name", "created_at", "updated_at"),
  sortOrder: oneOf("asc", "desc"),
  search: string,
});

export const bucketRoutes: Route[] = [
  handle<BucketRequest>(
    "POST",
    "/bucket/?",
    "storage.bucket.create",
    "authenticated",
    (h) => createBucket(h.input, h.caller, h),
    { json: creation },
  ),
  handle(
    "GET",
    "/bucket/?",
    "storage.bucket.list",
    "authenticated",
    (h) => listBuckets(h.query, h.caller, h.database),
    { query: listing },
  ),
  handle("POST", "/bucket/:b/empty", "storage.bucket.empty", "authenticated", (h) => {
    if (h.caller.role !== "service_role") {
      throw new StorageError(403, "AccessDenied", "Access denied: Invalid role", "Unauthorized", { http: 403 });
    }
    return emptyBucket(h.bucket, h.caller, h);
  }, { allowsEmptyJson: true }),
  handle("GET", "/bucket/:b", "storage.bucket.get", "authenticated", (h) => getBucket(h.bucket, h.caller, h.database)),
  handle<BucketRequest>(
    "PUT",
    "/bucket/:b",
    "storage.bucket.update",
    "authenticated",
    (h) => updateBucket(h.bucket, h.input, h.caller, h),
    { json: changes },
  ),
  handle(
    "DELETE",
    "/bucket/:b",
    "storage.bucket.delete",
    "authenticated",
    (h) => deleteBucket(h.bucket, h.caller, h.database),
    { allowsEmptyJson: true },
  ),
];
