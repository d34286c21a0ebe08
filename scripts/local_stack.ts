import { join } from "node:path";

/** The repository's folder, also through links. */
export const root = join(import.meta.dirname!, "..");

/** The variables of `npm run status -- --json`, or the reason why there are none. */
export async function readStackStatus(): Promise<{ stack: Record<string, string> } | { reason: string }> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", join(root, "local/cli/status.ts"), "--json"],
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  return success ? { stack: JSON.parse(text.decode(stdout)) } : { reason: text.decode(stderr).trim() };
}
