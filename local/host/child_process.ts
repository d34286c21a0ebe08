// Child processes that end with this one, however it ends.

/** The signal that ends a child, and the one that follows if it is still running after `seconds`. */
export interface Ending {
  signal: "SIGINT" | "SIGTERM";
  seconds: number;
  lastSignal: "SIGQUIT" | "SIGKILL";
}

export interface Child {
  pid: number;
  stdout: ReadableStream<Uint8Array>;
  stderr: ReadableStream<Uint8Array>;
  ended: Promise<void>;
  /** Ends the child and waits for it. */
  stop(): Promise<void>;
}

/**
 * Starts a guard in the background, then becomes the program. The guard reads a pipe: this process writes a line when the
 * child has ended; if this process dies, the pipe closes without that line, and the guard ends the child. The guard is a
 * grandchild, because PostgreSQL would treat a child as a server process.
 */
const GUARDED = `
exec 3<&0 </dev/null
( {
  trap '' HUP INT TERM
  exec >/dev/null 2>&1
  read -r _ <&3 && exit
  kill -s "$1" $$
  left=$2
  while [ "$left" -gt 0 ] && kill -s 0 $$; do sleep 1; left=$((left - 1)); done
  kill -s "$3" $$
} & )
shift 3
exec "$@" 3<&-`;

type Options = Omit<Deno.CommandOptions, "args" | "stdin">;

export function spawnChild(program: string, args: string[], options: Options, ending: Ending): Child {
  const { signal, seconds, lastSignal } = ending;
  const [name, lastName] = [signal, lastSignal].map((signal) => signal.slice("SIG".length));
  const command = ["-c", GUARDED, "sh", name, String(seconds), lastName, program, ...args];
  // A session without the terminal: Ctrl-C reaches this process, which ends its children in order
  if (Deno.build.os === "linux") command.unshift("-c", 'exec setsid /bin/sh "$@"', "sh");
  const child = new Deno.Command("/bin/sh", { ...options, args: command, stdin: "piped" }).spawn();
  let running = true;
  const ended = child.status.then(async () => {
    running = false;
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode("\n")).then(() => writer.close()).catch(() => {}); // the guard was killed
  });
  return {
    pid: child.pid,
    get stdout() {
      return child.stdout;
    },
    get stderr() {
      return child.stderr;
    },
    ended,
    async stop() {
      if (!running) return await ended;
      child.kill(signal);
      const timer = setTimeout(() => running && child.kill(lastSignal), seconds * 1000);
      await ended;
      clearTimeout(timer);
    },
  };
}
