/**
 * Connections to Postgres. A microtask sends the driver's writes: with setImmediate, a timer of one millisecond on Deno
 * 2.1, each round trip would wait for it, and a connection lost meanwhile would end the process. Services that run
 * transactions need a pool of postgres_pool.ts.
 */
import { clearImmediate, setImmediate } from "node:timers";
import postgres from "npm:postgres";

/** The name of the driver's function that sends what was written. */
const SEND = "nextWrite";

class PendingWrite {
  isCleared = false;
}

Object.assign(globalThis, {
  // deno-lint-ignore no-explicit-any -- as in Node
  setImmediate(run: (...args: any[]) => void, ...args: unknown[]) {
    if (run.name !== SEND) return setImmediate(run, ...args);
    const write = new PendingWrite();
    queueMicrotask(() => {
      try {
        if (!write.isCleared) run();
      } catch {
        // The driver writes the rollback of a transaction to a connection that has closed; `begin` has rejected
      }
    });
    return write;
  },
  clearImmediate(handle?: PendingWrite | Parameters<typeof clearImmediate>[0]) {
    if (handle instanceof PendingWrite) handle.isCleared = true;
    else clearImmediate(handle);
  },
});

/** The driver's own query for array types has no handler: when its connection is lost, only that one ends. */
addEventListener("unhandledrejection", (event) => {
  const { query, code } = (event.reason ?? {}) as { query?: unknown; code?: unknown };
  if (typeof code === "string" && String(query).includes("b.typarray")) event.preventDefault();
});

export default postgres;

/** One connection that keeps notices to itself and leaves arrays as the text that Postgres sent. */
export function connect(url: string): postgres.Sql {
  return postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
}

/** Runs `work` on one connection. */
export async function connected<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = connect(url);
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
