// A stack as a process of its own, for tests: options as JSON on the command line, one JSON line when it is ready.
// Stops on SIGTERM and SIGINT, and when the process of its test ends (its stdin closes).
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeScratchFolder } from "../local/host/scratch_folder.ts";
import { explain, StartupError } from "../local/host/startup_error.ts";
import { startStack } from "../local/stack/stack.ts";
import { connected } from "../local/postgres/client.ts";
import { copyProjectCluster } from "./project_cluster.ts";
import type { TestStackOptions } from "./stack.ts";
import { prefixOfProcess, removeAbandonedFolders } from "./temporary_folder.ts";

const { dataDir, auth, functionsEnv, ...options }: TestStackOptions = JSON.parse(Deno.args[0] ?? "{}");
const PREFIX = "castbase-stack-";
await removeAbandonedFolders(tmpdir(), PREFIX);
const folder = dataDir ?? await makeScratchFolder(prefixOfProcess(PREFIX));
const stopRequested = Promise.withResolvers<void>();
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => stopRequested.resolve());
Deno.stdin.readable.pipeTo(new WritableStream()).finally(() => stopRequested.resolve());

/** Tests that connect calendars give the URLs of their peers. */
const NO_CALENDAR_PROVIDERS = Object.fromEntries(
  ["GOOGLE_OAUTH_URL", "GOOGLE_CALENDAR_API_URL", "MICROSOFT_LOGIN_URL", "MICROSOFT_GRAPH_URL"]
    .map((name) => [name, "http://127.0.0.1:1"]),
);

try {
  if (!options.project && !options.cache) await copyProjectCluster(join(folder, "postgres"));
  const { stop, ended, ...running } = await startStack({
    dataDir: folder,
    // bcrypt at the service's cost would take most of a test's time; the developer's environment may enable captcha
    auth: { passwordCost: 4, captcha: null, ...auth },
    functionsEnv: { ...NO_CALENDAR_PROVIDERS, ...functionsEnv },
    ...options,
  });
  await raiseLimits(running.dbUrl);
  console.log(JSON.stringify(running));
  const reason = await Promise.race([stopRequested.promise, ended]);
  await stop();
  if (reason) throw new StartupError(reason);
} catch (error) {
  console.error(explain(error) ?? error);
  Deno.exitCode = 1;
} finally {
  if (!dataDir) await Deno.remove(folder, { recursive: true });
}
Deno.exit();

/**
 * Tests act as the same few users thousands of times an hour, beyond the rate limits. They hold locks until a request
 * waits for them, which takes longer than in production on a slow machine.
 */
async function raiseLimits(dbUrl: string) {
  await connected(dbUrl, async (sql) => {
    const [{ hasSettings }] = await sql`select to_regclass('private.settings') is not null as "hasSettings"`;
    if (!hasSettings) return;
    await sql`update private.plan_limits set max_count = 1000000 where plan_code = 'free'`;
    await sql`create or replace function private.max_lock_wait() returns text language sql immutable return '5s'`;
  });
}
