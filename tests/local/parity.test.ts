// npm run parity: the scenarios of tests/parity against another project.
import { deepStrictEqual as same, match } from "node:assert";
import { repository } from "../../local/host/project.ts";
import { startHttpServer } from "../http_server.ts";
import { stack } from "../stack.ts";

const target = await stack();
const keys = ["--key", target.secretKey, "--key", target.publishableKey];
const SCENARIOS = "tests/parity/auth/service.test.ts";

async function parity(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", "tests/parity/run.ts", ...args],
    cwd: repository,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  return { code, out: new TextDecoder().decode(stdout), errors: new TextDecoder().decode(stderr) };
}

Deno.test("npm run parity prints no difference for a project that behaves as expected", async () => {
  const { code, out } = await parity("--url", target.url, ...keys, SCENARIOS);
  match(out, /^\d+ as expected, 0 different, 0 not run\n$/);
  same(code, 0);
});

Deno.test("npm run parity prints the expected and the actual values of a difference, and fails", async () => {
  await using other = startHttpServer(async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/auth/v1/user") return Response.json({ code: 418 }, { status: 418 });
    const { method, headers } = request, body = request.body && await request.arrayBuffer();
    return await fetch(target.url + pathname + search, { method, headers, body, redirect: "manual" });
  });
  const { code, out } = await parity("--url", other.url, ...keys, SCENARIOS);
  match(out, /^different: auth: auth returns an error to a call that needs a user and has none$/m);
  match(out, /- +418,\n[^]*\+ +403,\n[^]*at tests\/parity\/auth\/service\.test\.ts:\d+/);
  match(out, /^\d+ as expected, 1 different, 0 not run$/m);
  same(code, 1);
});

Deno.test("npm run parity counts scenarios that need a missing key, database or inbox as not run", async () => {
  const others = ["--db-url", target.dbUrl, "--mail-url", target.mailUrl];
  const { code, out } = await parity("--url", target.url, "--key", target.secretKey, ...others, "tests/parity/auth");
  match(out, /^not run: \d+ scenarios, which need a second --key with the publishable key$/m);
  match(out, /^[1-9]\d* as expected, 0 different, [1-9]\d* not run$/m);
  same(code, 0);
});

Deno.test("npm run parity names a missing or wrong option", async () => {
  for (
    const [args, message] of [
      [keys, /^Provide the project's URL/],
      [["--url", target.url], /^Provide the project's secret key/],
      [["--url", target.url, "--key", "x"], /^A --key is neither/],
      [["--url", target.url, ...keys, "--kee", "x"], /--kee/],
      [["--url", target.url, ...keys, "tests/http"], /^No scenario is below these paths/],
    ] as const
  ) {
    const { code, out, errors } = await parity(...args);
    match(errors, message);
    same([code, out], [2, ""]);
  }
});
