// The log line of a request: the reason of an error, and nothing that the caller sent.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { edgeFunction, publicRouter } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../functions/app/app.ts"),
);
const { ApiError } = await import("../../functions/runtime/api_error.ts");
const { logError } = await import("../../functions/runtime/log.ts");

interface LogLine {
  to: "log" | "error";
  line: Record<string, unknown>;
}

/** The response and the log lines of a request to this handler. */
async function logLinesOf(handler: () => Promise<Response>): Promise<{ response: Response; lines: LogLine[] }> {
  const { log, error } = console, lines: LogLine[] = [];
  console.log = (text: string) => lines.push({ to: "log", line: JSON.parse(text) });
  console.error = (text: string) => lines.push({ to: "error", line: JSON.parse(text) });
  try {
    const probe = edgeFunction("probe", [["", publicRouter().get("/", handler)]]);
    const response = await probe.fetch(new Request("http://x/probe?token=secret"));
    assert.ok(!JSON.stringify(lines).includes("secret"));
    return { response, lines };
  } finally {
    Object.assign(console, { log, error });
  }
}

/** The log line of a request whose handler throws this. */
async function logLineOf(thrown: Error): Promise<LogLine> {
  const { lines } = await logLinesOf(() => Promise.reject(thrown));
  assert.equal(lines.length, 1);
  return lines[0];
}

Deno.test("logError adds the function and the id of the request that it runs for", async () => {
  const { response, lines } = await logLinesOf(async () => {
    await Promise.resolve();
    logError({ upload_id: "u", error: new Error("Late", { cause: "lock" }) });
    return new Response();
  });
  const [{ to, line }, { line: access }] = lines;
  assert.deepEqual([to, line.function, line.upload_id, line.cause], ["error", "probe", "u", "lock"]);
  assert.match(String(line.error), /^Error: Late\n +at /);
  assert.equal(line.request_id, response.headers.get("x-request-id"));
  assert.deepEqual([access.function, access.request_id], ["probe", line.request_id]);
});

Deno.test("an error of the caller is logged with its cause and without a stack", async () => {
  const { to, line } = await logLineOf(new ApiError(400, "No", { cause: new TypeError("connection reset") }));
  assert.deepEqual([to, line.status, line.cause, line.error], ["log", 400, "connection reset", undefined]);
});

Deno.test("an error without a cause is logged with its status alone", async () => {
  const { to, line } = await logLineOf(new ApiError(404, "No"));
  assert.deepEqual([to, line.status, "cause" in line, "error" in line], ["log", 404, false, false]);
});

Deno.test("an internal error is logged with its stack and its cause", async () => {
  const { to, line } = await logLineOf(new Error("Broken", { cause: new Error("the disk", { cause: "no space" }) }));
  assert.deepEqual([to, line.status, line.cause], ["error", 500, "the disk (no space)"]);
  assert.match(String(line.error), /^Error: Broken\n +at /);
});

Deno.test("the path of a log line has no token of an email, for any method", async () => {
  const { log } = console, lines: string[] = [];
  console.log = (text: string) => lines.push(text);
  try {
    const probe = edgeFunction("probe", [["", publicRouter().get("/email/open/:token", (c) => c.text("pixel"))]]);
    for (const method of ["GET", "PATCH"]) {
      await probe.fetch(new Request("http://x/probe/email/open/s3cr_t", { method }));
    }
  } finally {
    console.log = log;
  }
  assert.deepEqual(lines.map((line) => JSON.parse(line).path), ["/probe/email/open/…", "/probe/email/open/…"]);
});

Deno.test("the path of a log line is that of the URL, shortened, without its query", async () => {
  const { log } = console, lines: string[] = [];
  console.log = (text: string) => lines.push(text);
  try {
    const probe = edgeFunction("probe", [["", publicRouter().get("/a", (c) => c.text("a"))]]);
    for (const url of ["http://x/probe/a", "http://x/probe/a?b=/c?d", `http://x/probe/${"a".repeat(9000)}?b`]) {
      await probe.fetch(new Request(url));
    }
  } finally {
    console.log = log;
  }
  const [plain, withQuery, long] = lines.map((line) => JSON.parse(line).path);
  assert.deepEqual([plain, withQuery, long.length], ["/probe/a", "/probe/a", 8192]);
});
