/** Machine codes that TypeScript returns or stores. docs/errors.md describes them; private.error_codes() lists SQL's. */
import { FEED_ERROR_CODES } from "../feed_reader/feed_error.ts";
import { FETCH_ERROR_CODES } from "../safe_fetch/fetch_error.ts";

/** Codes of error responses, and of imports whose feed cannot be read. */
export const ERROR_CODES = [...FETCH_ERROR_CODES, ...FEED_ERROR_CODES, "FILE_TOO_LARGE"] as const;
export type ErrorCode = typeof ERROR_CODES[number];

/** Codes of import items, besides those of fetching. */
export const ITEM_ERROR_CODES = [
  "ENCLOSURE_MISSING",
  "HTTP_ERROR",
  "INVALID_IMAGE",
  "REJECTED",
  "STORAGE_ALLOWANCE_EXCEEDED",
  "UNSUPPORTED_AUDIO_FORMAT",
] as const;
export type ItemErrorCode = typeof ITEM_ERROR_CODES[number];
