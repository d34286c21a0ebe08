// What a stack keeps beside its database: that it runs, and secrets that must outlive a restart.
import { join } from "node:path";
import { CannotStart } from "./cannot_start.ts";
import { commandLine } from "./processes.ts";

/** Where a running stack is reached: what `npm run status` tells. */
export interface Running {
  pid: number;
  url: string;
  dbUrl: string;
  mailUrl: string;
  functionsUrl: string;
  publishableKey: string;
  secretKey: string;
}

const stateFile = (folder: string) => join(folder, "stack.json");

/** What the folder tells: only the pid while the stack is starting; `since` (ms) differs from start to start. */
export type StackState = { pid: number; since: number } & Partial<Running>;

/** The stack that runs on this data folder now. */
export async function runningStack(folder: string): Promise<StackState | undefined> {
  const text = await Deno.readTextFile(stateFile(folder)).catch(emptyIfMissing);
  const state = parsed<StackState & { command: string }>(text);
  if (!state?.command) return undefined; // never started, stopped, or not a file of ours
  const { command, ...running } = state;
  // after a crash the number may have become another program's
  return await commandLine(running.pid) === command ? running : undefined;
}

/** Takes the folder for this process. Two servers on the same data would destroy it. */
export async function takeFolder(folder: string) {
  await Deno.mkdir(folder, { recursive: true });
  using lock = await Deno.open(join(folder, "stack.lock"), { create: true, write: true });
  await lock.lock(true); // of two that start at once, one comes second
  const other = await runningStack(folder);
  if (other && other.pid !== Deno.pid) {
    throw new CannotStart(
      `A stack already runs on ${folder} (process ${other.pid}${
        other.url ? `, ${other.url}` : ""
      }): use that one, or stop it first.`,
    );
  }
  await tellRunning(folder, {});
}

/** Throws away the database, the stored objects and the mails; the stack's own keys and secrets stay. */
export async function forgetData(folder: string) {
  for (const name of ["postgres", "storage", "mails"]) {
    await Deno.remove(join(folder, name), { recursive: true }).catch(emptyIfMissing);
  }
}

export async function tellRunning(folder: string, where: Partial<Running>) {
  const state = { ...where, pid: Deno.pid, since: Date.now(), command: await commandLine(Deno.pid) };
  await writeAside(stateFile(folder), JSON.stringify(state, null, 2));
}

export async function leaveFolder(folder: string) {
  await Deno.remove(stateFile(folder)).catch(emptyIfMissing);
}

/** A random secret, the same at every start. */
export async function keptSecret(folder: string, name: string): Promise<string> {
  const file = join(folder, name);
  const kept = await Deno.readTextFile(file).catch(emptyIfMissing);
  if (kept) return kept;
  const secret = crypto.randomUUID() + crypto.randomUUID();
  await writeAside(file, secret);
  return secret;
}

/** A crash leaves no half a file behind. */
async function writeAside(file: string, text: string) {
  await Deno.writeTextFile(`${file}.new`, text, { mode: 0o600 });
  await Deno.rename(`${file}.new`, file);
}

function emptyIfMissing(error: unknown): string {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
  return "";
}

function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
