// One running server: started, watched until it is ready, stopped.
import { join } from "node:path";
import { StartupError } from "../startup_error.ts";
import { spawnChild } from "../child_process.ts";
import { commandLine, waitUntil } from "../processes.ts";
import { keepLog, reasonIn } from "./server_log.ts";
import { unprivileged } from "./unprivileged.ts";

export interface Server {
  pid: number;
  /** Resolves when the server has ended; with the reason as a sentence, unless it was asked to and had no trouble. */
  ended: Promise<string | undefined>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Where bin/ and share/ are. */
  folder: string;
  dataDir: string;
  port: number;
  /** What is committed survives a crash of the machine. Test stacks do without, which makes them faster. */
  durable: boolean;
}

const HURRIED = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

function settings({ port, durable }: ServerOptions): Record<string, string> {
  return {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    max_connections: "100",
    shared_buffers: durable ? "128MB" : "32MB",
    max_wal_size: "256MB",
    shared_preload_libraries: "pg_stat_statements", // for `supabase inspect`
    wal_level: "logical",
    wal_writer_delay: "10ms", // realtime reads what the WAL writer has written: 200 ms, the default, would be felt
    jit: "off", // it costs more than it gains on statements as small as ours
    timezone: "UTC",
    log_timezone: "UTC",
    log_min_messages: "warning",
    log_checkpoints: "off", // an idle stack would log one every few minutes, for the runs that cron records
    ...durable ? {} : HURRIED,
  };
}

/** Starts the server on an initialised data folder; its log is `<dataDir>.log`. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { folder, dataDir } = options;
  await stopLeftover(dataDir);
  const assignments = Object.entries(settings(options)).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const { program, args, ...how } = await unprivileged(join(folder, "bin/postgres"), ["-D", dataDir, ...assignments], {
    paths: [folder, dataDir],
  });
  // SIGINT is the fast shutdown: open transactions are rolled back
  const ending = { signal: "SIGINT", seconds: 60, lastSignal: "SIGQUIT" } as const;
  const child = spawnChild(program, args, { ...how, stdout: "null", stderr: "piped", cwd: "/" }, ending);
  const log = keepLog(child.stderr, `${dataDir}.log`);
  let running = true, isAsked = false;
  const ended = child.ended.then(async () => {
    running = false;
    await log.ended;
    return isAsked && !/PANIC: |No space left on device/.test(log.tail()) ? undefined : reasonIn(log.tail(), options);
  });
  await waitUntil(async () => !running || await isReady(dataDir, child.pid), 60_000);
  if (!running) throw new StartupError(await ended);
  return {
    pid: child.pid,
    ended,
    async stop() {
      isAsked = true;
      await child.stop();
      await ended;
    },
  };
}

/** The last line of postmaster.pid says when the server takes connections; the first one that it is ours. */
async function isReady(dataDir: string, pid: number): Promise<boolean> {
  const lines = await pidFile(dataDir);
  return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
}

/** A server that outlived a crashed start is stopped before another one starts on its data. */
async function stopLeftover(dataDir: string) {
  const pid = Number((await pidFile(dataDir))[0]);
  const isOurs = async () => (await commandLine(pid))?.includes(` -D ${dataDir} `) ?? false;
  if (await isOurs()) {
    Deno.kill(pid, "SIGINT");
    await waitUntil(async () => !await isOurs(), 30_000);
  } else if (await commandLine(pid)) {
    // the number belongs to another program by now, which PostgreSQL would take for a server
    await Deno.remove(join(dataDir, "postmaster.pid"));
  }
}

async function pidFile(dataDir: string): Promise<string[]> {
  return (await Deno.readTextFile(join(dataDir, "postmaster.pid")).catch(() => "")).split("\n");
}
