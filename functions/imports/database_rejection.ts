/** Rejections by SQL functions (`PT4nn`), as imports and their items store them. */
import postgres from "postgres";
import { type ImportErrorCode, isErrorCode } from "../../types/error_codes.ts";

/** What the podcast's admins read. */
export interface Rejection {
  code: ImportErrorCode;
  reason: string;
}

/** The rejection that an error reports; undefined for other errors, which a retry may solve. */
export function databaseRejection(error: unknown): Rejection | undefined {
  if (!(error instanceof postgres.PostgresError && /^PT4/.test(error.code))) return;
  return { code: isErrorCode(error.hint) ? error.hint : "REJECTED", reason: error.message };
}
