// The Supabase CLI of node_modules, and the two questions that it answers about a database without Docker.
import { join } from "node:path";
import { repository } from "../project.ts";

export const supabaseBinary = join(repository, "node_modules/.bin/supabase");

/** types/database.ts as the database at `url` has it. */
export async function generateTypes(url: string): Promise<string> {
  return await supabase("gen", "types", "--lang=typescript", "--schema=public", `--remote=${url}?sslmode=disable`);
}

/** What the security and performance advisors would warn about, in sentences. */
export async function askAdvisors(url: string): Promise<string[]> {
  const answer = await supabase(
    ...["db", "advisors", "--level=warn", "--fail-on=none", "--output-format=json", `--remote=${url}?sslmode=disable`],
  );
  const { results } = JSON.parse(answer) as { results: { name: string; level: string; detail: string }[] };
  return results.map(({ name, level, detail }) => `${level.toLowerCase()} ${name}: ${detail}`);
}

async function supabase(...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(supabaseBinary, {
    args: [...args, "--yes", "--agent=no"],
    cwd: repository,
    env: { DO_NOT_TRACK: "1" },
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(`supabase ${args.slice(0, 2).join(" ")} failed: ${text.decode(stderr).trim()}`);
  return text.decode(stdout);
}
