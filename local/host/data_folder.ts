// The data folder of a stack: which process uses it, and secrets that must outlive a restart.
import { join } from "node:path";
import { readOptionalText, undefinedIfMissing } from "./optional_file.ts";
import { commandLine } from "./processes.ts";
import { StartupError } from "./startup_error.ts";

/** The URLs and keys of a running stack. */
export interface RunningStack {
  pid: number;
  url: string;
  dbUrl: string;
  mailUrl: string;
  smtpUrl: string;
  functionsUrl: string;
  publishableKey: string;
  secretKey: string;
}

const stateFile = (folder: string) => join(folder, "stack.json");

/** The state file's content: only the process while the stack starts. `since` (ms) differs between starts. */
export type StackState = { pid: number; since: number } & Partial<RunningStack>;

/** Reads the state of the stack that runs on this data folder now. */
export async function runningStack(folder: string): Promise<StackState | undefined> {
  const state = parse<StackState & { command: string }>(await readOptionalText(stateFile(folder)) ?? "");
  if (!state?.command) return undefined;
  const { command, ...running } = state;
  // After a crash, another program may have the same process id
  return await commandLine(running.pid) === command ? running : undefined;
}

/** Locks the folder for this process, because two servers on the same data would destroy it. Throws StartupError. */
export async function lockDataFolder(folder: string) {
  await Deno.mkdir(folder, { recursive: true });
  using lock = await Deno.open(join(folder, "stack.lock"), { create: true, write: true });
  await lock.lock(true); // one of two concurrent starts waits here
  const other = await runningStack(folder);
  if (other && other.pid !== Deno.pid) {
    const url = other.url ? `, ${other.url}` : "";
    throw new StartupError(
      `A stack is already running on ${folder} (process ${other.pid}${url}). Use it, or stop it first.`,
    );
  }
  await writeStackState(folder, {});
}

/** Deletes the database, the stored objects and the emails; keeps the stack's keys and secrets. */
export async function deleteData(folder: string) {
  for (const name of ["postgres", "storage", "mails"]) {
    await Deno.remove(join(folder, name), { recursive: true }).catch(undefinedIfMissing);
  }
}

export async function writeStackState(folder: string, stack: Partial<RunningStack>) {
  const state = { ...stack, pid: Deno.pid, since: Date.now(), command: await commandLine(Deno.pid) };
  await writeAtomically(stateFile(folder), JSON.stringify(state, null, 2));
}

export async function unlockDataFolder(folder: string) {
  await Deno.remove(stateFile(folder)).catch(undefinedIfMissing);
}

/** Returns the random secret of this name, which is created once per data folder. */
export async function loadOrCreateSecret(folder: string, name: string): Promise<string> {
  const file = join(folder, name);
  const stored = await readOptionalText(file);
  if (stored) return stored;
  const secret = crypto.randomUUID() + crypto.randomUUID();
  await writeAtomically(file, secret);
  return secret;
}

/** Writes a file that only this user may read; a crash leaves either the old text or the new one. */
export async function writeAtomically(file: string, text: string) {
  await Deno.writeTextFile(`${file}.new`, text, { mode: 0o600 });
  await Deno.rename(`${file}.new`, file);
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
