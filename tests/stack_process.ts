// One stack as a process of its own, for tests: options as JSON on the command line, one JSON line when it is ready.
// It stops on SIGTERM and SIGINT, and when the test that started it is gone (its stdin closes).
import { join } from "node:path";
import { startStack } from "../local/stack.ts";
import type { StackInfo, TestStackOptions } from "./stack.ts";

const options: TestStackOptions = JSON.parse(Deno.args[0] ?? "{}");
const dataDir = options.dataDir ?? await Deno.makeTempDir({ prefix: "castbase-test-" });
const stack = await startStack({
  dir: dataDir,
  auth: { passwordCost: 4, ...options.auth }, // bcrypt at the service's cost would take most of a test's time
  ...options.project &&
    { migrations: join(options.project, "supabase/migrations"), functions: join(options.project, "functions") },
});
const info: StackInfo = {
  url: stack.url,
  dbUrl: stack.dbUrl,
  mailUrl: `${stack.url}/inbox`,
  functionsUrl: `${stack.url}/functions/v1`,
  publishableKey: stack.keys.publishable,
  secretKey: stack.keys.secret,
  pid: Deno.pid,
};
console.log(JSON.stringify(info));

const asked = Promise.withResolvers<void>();
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => asked.resolve());
Deno.stdin.readable.pipeTo(new WritableStream()).finally(() => asked.resolve());
await asked.promise;
await stack.stop();
if (!options.dataDir) await Deno.remove(dataDir, { recursive: true });
Deno.exit(0);
