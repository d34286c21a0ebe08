// Errors as responses.
import assert from "node:assert/strict";
import { z } from "zod";
import postgres from "../../local/postgres/client.ts";
import { toErrorResponse } from "../../functions/app/errors.ts";
import { ReturnedError } from "../../functions/database/returned_error.ts";
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
    new ReturnedError(
      JSON.stringify({ code: "PT429", message: "Too many requests", details: detail, hint: "RATE_LIMITED" }),
    ),
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

Deno.test("details name a field as the database's messages do", () => {
  const schema = z.object({ availability_rules: z.array(z.object({ startTime: z.string("must be a time") })) });
  const { error } = schema.safeParse({ availability_rules: [{ startTime: 9 }] });
  assert.equal(toErrorResponse(error, context).body.details, "availability_rules[0].startTime: must be a time");
});

Deno.test("details say what a violated constraint demands, and never its name", () => {
  const detailsOf = (fields: Partial<postgres.PostgresError>) =>
    toErrorResponse(databaseError({ code: "23514", message: "violates check constraint", ...fields }), context).body;
  const named = { table_name: "episodes", constraint_name: "title_is_1_to_255_chars" };
  const sentence = "The title must have 1 to 255 characters";
  assert.deepEqual(detailsOf({ ...named, schema_name: "public" }), { error: "Invalid value", details: sentence });
  assert.deepEqual(detailsOf({ ...named, schema_name: "private" }), { error: "Invalid value" });
  const message = {
    schema_name: "private",
    table_name: "guest_invitations",
    constraint_name: "message_is_1_to_2000_chars",
  };
  assert.equal(detailsOf(message).details, "The message must have 1 to 2,000 characters");
  const foreign = {
    code: "23503",
    table_name: "episodes",
    schema_name: "public",
    constraint_name: "episodes_podcast_id_fkey",
  };
  assert.deepEqual(detailsOf(foreign), { error: "References a missing record, or is still referenced" });
  const slug = { code: "23505", table_name: "podcasts", schema_name: "public", constraint_name: "podcasts_slug_key" };
  assert.deepEqual(detailsOf(slug), { error: "Already exists", details: "Another podcast has this slug" });
});
