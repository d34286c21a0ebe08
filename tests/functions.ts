// The edge functions in a process of their own, on the services of a running stack: for tests that change their
// environment, and for benchmarks.
import { startProcess } from "../local/functions/process.ts";
import { type EdgeFunction, readProject } from "../local/host/project.ts";
import type { StackInfo } from "./stack.ts";

export interface FunctionsProcess extends AsyncDisposable {
  /** Base URL: `${url}/api/health`. */
  url: string;
  port: number;
  pid: number;
  /** Resolves when the process has ended, for any reason. */
  ended: Promise<unknown>;
}

/** Starts the functions, or one as an isolate of its own; `await using` stops them at the end of the scope. */
export async function startFunctions(
  at: StackInfo,
  changes: Record<string, string> = {},
  { more = [], only }: { more?: EdgeFunction[]; only?: "api" | "public" | "worker" } = {},
): Promise<FunctionsProcess> {
  const functions = (await readProject()).functions.filter(({ name }) => !only || name === only);
  const started = startProcess([...functions, ...more], {
    SUPABASE_URL: at.url,
    SUPABASE_DB_URL: at.dbUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: at.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: at.secretKey }),
    SUPABASE_JWKS: await (await fetch(`${at.url}/auth/v1/.well-known/jwks.json`)).text(),
    WORKER_SECRET: crypto.randomUUID(), // the database does not know this worker
    ...at.poolerUrl && !changes.SUPABASE_DB_URL && { DATABASE_POOLER_URL: at.poolerUrl },
    ...changes,
  });
  const [port, pid] = await Promise.all([started.port, started.pid]);
  if (!port || !pid) throw new Error("The functions did not start");
  return { url: `http://127.0.0.1:${port}`, port, pid, ended: started.ended, [Symbol.asyncDispose]: started.stop };
}
