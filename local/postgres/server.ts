// Starts and stops a server.
import { join } from "node:path";
import { StartupError } from "../host/startup_error.ts";
import { spawnChild } from "../host/child_process.ts";
import { commandLine, waitUntil } from "../host/processes.ts";
import { explainEnd, keepLog } from "./server_log.ts";
import { unprivileged } from "./unprivileged.ts";

interface Server {
  pid: number;
  /** Resolves when the server has ended: with the reason as a message, unless `stop` ended it. */
  ended: Promise<string | undefined>;
  stop(): Promise<void>;
}

interface ServerOptions {
  /** The folder with bin/ and share/. */
  folder: string;
  dataDir: string;
  port: number;
  /** Commits survive a crash of the machine. Test stacks are faster without. */
  durable: boolean;
  maxConnections: number;
}

const NOT_DURABLE = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

function settings({ port, durable, maxConnections }: ServerOptions): Record<string, string> {
  return {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    max_connections: String(maxConnections),
    shared_buffers: durable ? "128MB" : "32MB",
    max_wal_size: "256MB",
    shared_preload_libraries: "pg_stat_statements", // for `supabase inspect`
    wal_level: "logical",
    wal_writer_delay: "10ms", // realtime reads what the WAL writer has written; the default of 200 ms would delay it
    jit: "off", // costs more than it saves on small statements
    timezone: "UTC",
    log_timezone: "UTC",
    log_min_messages: "warning",
    log_checkpoints: "off", // cron records would cause a line every few minutes
    ...durable ? {} : NOT_DURABLE,
  };
}

/** Starts the server on an initialized data folder. Its log is `<dataDir>.log`. */
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
  let running = true, isStopping = false;
  const ended = child.ended.then(async () => {
    running = false;
    await log.ended;
    return isStopping && !/PANIC: |No space left on device/.test(log.tail())
      ? undefined
      : explainEnd(log.tail(), options);
  });
  await waitUntil(async () => !running || await isReady(dataDir, child.pid), 60_000);
  if (!running) throw new StartupError(await ended);
  return {
    pid: child.pid,
    ended,
    async stop() {
      isStopping = true;
      await child.stop();
      await ended;
    },
  };
}

/** Reads postmaster.pid: its first line is the process, its last line the state. */
async function isReady(dataDir: string, pid: number): Promise<boolean> {
  const lines = await pidFile(dataDir);
  return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
}

/** Stops a server that survived a crashed stack, before another one starts on its data. */
async function stopLeftover(dataDir: string) {
  const pid = Number((await pidFile(dataDir))[0]);
  const isRunning = async () => (await commandLine(pid))?.includes(` -D ${dataDir} `) ?? false;
  if (await isRunning()) {
    Deno.kill(pid, "SIGINT");
    await waitUntil(async () => !await isRunning(), 30_000);
  } else if (await commandLine(pid)) {
    // PostgreSQL would mistake the program that now has this process id for a server
    await Deno.remove(join(dataDir, "postmaster.pid"));
  }
}

async function pidFile(dataDir: string): Promise<string[]> {
  return (await Deno.readTextFile(join(dataDir, "postmaster.pid")).catch(() => "")).split("\n");
}
