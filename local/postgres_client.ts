/**
 * Connections to Postgres. postgres.js gathers the writes of a tick with setImmediate, which Deno 2.1 runs as a timer
 * of one millisecond, so that each round trip would wait for it. A microtask gathers the same tick at once.
 */
import postgres from "npm:postgres";

Object.assign(globalThis, {
  setImmediate<Args extends unknown[]>(run: (...args: Args) => void, ...args: Args) {
    const handle = { isCleared: false };
    queueMicrotask(() => handle.isCleared || run(...args));
    return handle;
  },
  clearImmediate(handle?: { isCleared: boolean }) {
    if (handle) handle.isCleared = true;
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
