// The programs that a deployment runs: the Supabase CLI, and commands of this repository.
import { join } from "node:path";
import { Failure } from "./failure.ts";
import { root, type Target } from "./target.ts";

interface Output {
  success: boolean;
  stdout: string;
  stderr: string;
}

/** Runs the CLI in the repository. `target` names the project or its database, because its default is a local one. */
export const supabase = ({ env }: Target, args: string[], more: Record<string, string> = {}) =>
  run(join(root, "node_modules/.bin/supabase"), [...args, "--agent=no"], { ...env, ...more });

/** Runs a TypeScript file of this repository. */
export const script = ({ env }: Pick<Target, "env">, file: string, ...args: string[]) =>
  run(Deno.execPath(), ["run", "--allow-all", "--no-check", join(root, file), ...args], env);

export async function run(command: string, args: string[], env: Record<string, string>): Promise<Output> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd: root,
    clearEnv: true,
    env: { ...env, DO_NOT_TRACK: "1", NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  return { success, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** Returns the output of a command that succeeded. */
export function requireSuccess({ success, stdout, stderr }: Output): Output {
  if (!success) throw new Failure(`${stderr}${stdout}`.trim() || "The command failed without a message.");
  return { success, stdout, stderr };
}
