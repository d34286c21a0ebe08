// The two commands of the Supabase CLI that read a database without Docker.
import { join } from "node:path";
import { projectPaths } from "../host/project.ts";

const { folder, packages } = projectPaths();
export const supabaseBinary = join(packages, ".bin/supabase");

/** Generates the TypeScript types of the database at `url`. */
export async function generateTypes(url: string): Promise<string> {
  return await supabase("gen", "types", "--lang=typescript", "--schema=public", `--remote=${url}?sslmode=disable`);
}

/** Runs the security and performance advisors; returns each warning as a line. */
export async function runAdvisors(url: string): Promise<string[]> {
  const output = await supabase(
    ...["db", "advisors", "--level=warn", "--fail-on=none", "--output-format=json", `--remote=${url}?sslmode=disable`],
  );
  const { results } = JSON.parse(output) as { results: { name: string; level: string; detail: string }[] };
  return results.map(({ name, level, detail }) => `${level.toLowerCase()} ${name}: ${detail}`);
}

async function supabase(...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(supabaseBinary, {
    args: [...args, "--yes", "--agent=no"],
    cwd: folder,
    env: { DO_NOT_TRACK: "1" },
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(`supabase ${args.slice(0, 2).join(" ")} failed: ${text.decode(stderr).trim()}`);
  return text.decode(stdout);
}
