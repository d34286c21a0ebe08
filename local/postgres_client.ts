/**
 * Connections to Postgres. A microtask sends the driver's writes: with setImmediate, a timer of one millisecond on Deno
 * 2.1, each round trip would wait for it, and a connection lost meanwhile would end the process.
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
    queueMicrotask(() => write.isCleared || run());
    return write;
  },
  clearImmediate(handle?: PendingWrite | Parameters<typeof clearImmediate>[0]) {
    if (handle instanceof PendingWrite) handle.isCleared = true;
    else clearImmediate(handle);
  },
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
