// The log line of a request: the reason of an error, and nothing that the caller sent.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { edgeFunction, publicRouter } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../functions/app/app.ts"),
);
const { ApiError } = await import("../../functions/app/errors.ts");

/** The log line of a request whose handler throws this. */
async function logLineOf(thrown: Error): Promise<{ to: "log" | "error"; line: Record<string, unknown> }> {
  const { log, error } = console, lines: { to: "log" | "error"; line: Record<string, unknown> }[] = [];
  console.log = (text: string) => lines.push({ to: "log", line: JSON.parse(text) });
  console.error = (text: string) => lines.push({ to: "error", line: JSON.parse(text) });
  try {
    const throwing = publicRouter().get("/", () => Promise.reject(thrown));
    await edgeFunction("probe", { "": throwing }).fetch(new Request("http://x/probe?token=secret"));
  } finally {
    Object.assign(console, { log, error });
  }
  assert.equal(lines.length, 1);
  assert.ok(!JSON.stringify(lines).includes("secret"));
  return lines[0];
}

Deno.test("an error of the caller is logged with its cause and without a stack", async () => {
  const { to, line } = await logLineOf(new ApiError(400, "No", { cause: new TypeError("connection reset") }));
  assert.deepEqual([to, line.status, line.cause, line.error], ["log", 400, "TypeError: connection reset", undefined]);
});

Deno.test("an error without a cause is logged with its status alone", async () => {
  const { to, line } = await logLineOf(new ApiError(404, "No"));
  assert.deepEqual([to, line.status, "cause" in line, "error" in line], ["log", 404, false, false]);
});

Deno.test("an internal error is logged with its stack and its cause", async () => {
  const { to, line } = await logLineOf(new Error("Broken", { cause: new Error("the disk") }));
  assert.deepEqual([to, line.status, line.cause], ["error", 500, "Error: the disk"]);
  assert.match(String(line.error), /^Error: Broken\n +at /);
});
