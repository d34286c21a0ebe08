// Which locks a migration holds, and for how long others wait for them.
import { basename } from "node:path";
import { StartupError } from "../../local/host/startup_error.ts";
import postgres, { connect } from "../../local/postgres/client.ts";
import { runsOutsideTransactions, splitStatements } from "../../local/database/statements.ts";

export interface HeldLock {
  file: string;
  /** The first line of the statement that took it. */
  statement: string;
  table: string;
  mode: string;
  /** Until the end of its transaction. */
  ms: number;
}

/** Writers wait for these; for the last one readers wait too. */
const BLOCKING = ["ShareLock", "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock"];
const SAMPLE_MS = 5;

/**
 * Runs migration files in order, and returns the first blocking lock of each file on each table that exists outside of its
 * transaction, the strongest of a statement. Another connection looks for locks every few milliseconds.
 */
export async function measureLocks(url: string, files: string[]): Promise<HeldLock[]> {
  const sql = connect(url), observer = connect(url), locks: HeldLock[] = [];
  try {
    const [{ pid }] = await sql`select pg_backend_pid() as pid`;
    for (const file of files) {
      const statements = splitStatements(await Deno.readTextFile(file));
      const held = new Map<string, HeldLock & { since: number }>();
      let current = "", isDone = false;
      const observe = async () => {
        const seen = await observer<{ table: string; mode: string }[]>`
          select n.nspname || '.' || c.relname as table, l.mode from pg_locks l join pg_class c on c.oid = l.relation
          join pg_namespace n on n.oid = c.relnamespace
          where l.pid = ${pid} and l.granted and l.mode = any (string_to_array(${BLOCKING.join()}, ','))
            and n.nspname in ('public', 'private') and c.relkind in ('r', 'p')
          order by array_position(string_to_array(${BLOCKING.join()}, ','), l.mode) desc`;
        for (const { table, mode } of seen) {
          const lock = { file: basename(file), statement: current, table, mode, ms: 0, since: performance.now() };
          if (!held.has(table)) held.set(table, lock);
        }
      };
      const observing = (async () => {
        while (!isDone) {
          await observe();
          await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
        }
      })();
      const runStatements = async (sql: postgres.ISql) => {
        for (const statement of statements) {
          current = statement.split("\n")[0];
          await sql.unsafe(statement).simple().catch((error) => {
            if (!(error instanceof postgres.PostgresError)) throw error;
            throw new StartupError(`${basename(file)}: "${current}" fails: ${error.message} (${error.code})`);
          });
          await observe(); // also what a quick statement took
        }
      };
      try {
        if (statements.some(runsOutsideTransactions)) await runStatements(sql);
        else await sql.begin(runStatements);
      } finally {
        const end = performance.now();
        isDone = true;
        await observing;
        for (const { since, ...lock } of held.values()) locks.push({ ...lock, ms: Math.round(end - since) });
      }
      await sql`reset all`;
    }
  } finally {
    await Promise.all([sql.end({ timeout: 1 }), observer.end({ timeout: 1 })]);
  }
  return locks.sort((a, b) => b.ms - a.ms);
}

/** The longest that others may wait. */
export const MAX_MS = 1000;

export const describeLock = ({ file, statement, table, mode, ms }: HeldLock) =>
  `${file}: "${statement}" holds ${mode} on ${table} for ${ms} ms; at most ${MAX_MS} ms are allowed`;
