// Errors as responses.
import assert from "node:assert/strict";
import postgres from "postgres";
import { toErrorResponse } from "../../functions/app/errors.ts";
import { ApiError } from "../../functions/runtime/api_error.ts";
import { sourceFiles } from "../source_files.ts";

const context = { requestId: "1", isSignedIn: true };
const soon = new Date(Date.now() - 1000).toISOString();

/** An error as the driver throws it. */
const databaseError = (fields: Partial<postgres.PostgresError>) =>
  Object.assign(Object.create(postgres.PostgresError.prototype), fields);

Deno.test("a 429 of the database, raised or returned, has Retry-After", () => {
  const detail = JSON.stringify({ rate_limit_reset_at: soon });
  const errors = [
    databaseError({ code: "PT429", message: "Too many requests", detail, hint: "RATE_LIMITED" }),
    new ApiError(429, "Too many requests", { code: "RATE_LIMITED", extra: { rate_limit_reset_at: soon } }),
  ];
  for (const error of errors) {
    const { status, body, headers } = toErrorResponse(error, context);
    const expected = { error: "Too many requests", code: "RATE_LIMITED", rate_limit_reset_at: soon };
    assert.deepEqual([status, body, headers], [429, expected, { "retry-after": "1" }]);
  }
});

Deno.test("only the database limits rates, with the time that Retry-After needs", () => {
  const paths: string[] = [];
  for (const { path, text } of sourceFiles(["functions"], /\.ts$/)) {
    if (/ApiError\(\s*429|HTTPException\(\s*429|status: 429/.test(text)) paths.push(path);
  }
  assert.deepEqual(paths, []);
});
