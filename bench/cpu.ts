// CPU time of processes, from Linux's /proc: neighbours on the machine disturb it less than throughput.
import type postgres from "postgres";

/** User and system time of a process so far, in microseconds. */
export const cpuMicroseconds = (pid: number): number => readStat(pid).cpu;

/** Measures the processes of a database, except connections that have ended since. */
export async function databaseCpu(sql: postgres.Sql): Promise<() => number> {
  const [{ pid }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const { parent } = readStat(pid);
  return () => {
    let sum = 0;
    for (const { name } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const stat = readStat(Number(name));
        if (stat.parent === parent) sum += stat.cpu;
      } catch { // the process has ended
        continue;
      }
    }
    return sum;
  };
}

const TICK_MICROSECONDS = 10_000;

function readStat(pid: number) {
  const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" "); // a program's name may hold spaces and brackets
  return { parent: Number(fields[1]), cpu: (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS };
}
