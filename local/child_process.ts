// Child processes that never outlive this one, however it ends.

/** How a child is asked to end, and what it gets when it is still there after so many seconds. */
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
  /** Ends the child as its ending says, and waits for it. */
  stop(): Promise<void>;
}

/**
 * Becomes the program, and leaves a guard behind that reads the pipe on which this process writes nothing but a line
 * when the child has ended. The pipe closes without that line when this process dies; the guard then ends the child. It
 * is a grandchild: PostgreSQL would take a child of its own for a server process.
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
  // Out of reach of Ctrl-C, which this process hears: it ends its children in their order
  if (Deno.build.os === "linux") command.unshift("-c", 'exec setsid /bin/sh "$@"', "sh");
  const child = new Deno.Command("/bin/sh", { ...options, args: command, stdin: "piped" }).spawn();
  let running = true;
  const ended = child.status.then(async () => {
    running = false;
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode("\n")).then(() => writer.close()).catch(() => {}); // a guard was killed
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
      if (!running) return;
      child.kill(signal);
      const late = setTimeout(() => running && child.kill(lastSignal), seconds * 1000);
      await ended;
      clearTimeout(late);
    },
  };
}
