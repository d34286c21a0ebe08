// What supabase/config.toml declares of the functions and the database.
import { join } from "node:path";
import { parse, type TomlTable } from "smol-toml";
import { Failure } from "./failure.ts";
import { root } from "./target.ts";

interface DeclaredFunction {
  entrypoint: string;
  /** Files that the deployment uploads with the function. */
  files: string[];
}

const CONFIG = "supabase/config.toml";

export async function readToml(path: string): Promise<TomlTable> {
  const text = await Deno.readTextFile(path).catch(() => {
    throw new Failure(`${path} is missing. Copy supabase/production.example.toml there and fill it in.`);
  });
  try {
    return parse(text);
  } catch (error) {
    throw new Failure(`${path} is not valid TOML: ${(error as Error).message}`);
  }
}

export async function readConfiguration() {
  const config = await readToml(join(root, CONFIG));
  const functions = config.functions as Record<string, Record<string, unknown>>;
  const inSupabase = (path: unknown) => join("supabase", String(path));
  return {
    postgresVersion: Number((config.db as TomlTable).major_version),
    functions: Object.entries(functions).map(([name, { entrypoint, import_map, static_files }]) => ({
      name,
      entrypoint: inSupabase(entrypoint),
      files: [inSupabase(import_map), ...(static_files as string[] | undefined ?? []).map(inSupabase)],
    })),
  };
}

export type DeclaredFunctions = (DeclaredFunction & { name: string })[];
