// Starts a server that a benchmark compares with, like the functions: in a session of its own, because Linux shares the
// processors between sessions, and with their memory.
import { type Ending, spawnChild } from "../local/host/child_process.ts";

export interface Peer {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

export const ENDING: Ending = { signal: "SIGTERM", seconds: 2, lastSignal: "SIGKILL" };

/** Runs a script that prints its port. */
export async function startPeer(script: string, ...args: string[]): Promise<Peer> {
  const command = ["run", "--allow-all", "--no-check", "--v8-flags=--max-old-space-size=256", script, ...args];
  const child = spawnChild(Deno.execPath(), command, { stdout: "piped", stderr: "inherit" }, ENDING);
  const { value } = await child.stdout.getReader().read();
  return { pid: child.pid, port: Number(/\d+/.exec(new TextDecoder().decode(value))![0]), stop: child.stop };
}
