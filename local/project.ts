// What the stack reads from supabase/config.toml, with the CLI's defaults for what that file leaves out.
import { basename, join, resolve } from "node:path";
import { parse, type TomlTable } from "smol-toml";

/** This repository. */
export const repository = resolve(import.meta.dirname!, "..");

export interface EdgeFunction {
  name: string;
  /** Of the module with `export default { fetch }`. */
  entrypoint: string;
}

export interface Project {
  folder: string;
  migrations: string;
  /** SQL files that a fresh database gets after its migrations. */
  seeds: string[];
  functions: EdgeFunction[];
  ports: { api: number; database: number; inbox: number; smtp: number };
  api: { schemas: string[]; maxRows: number };
  storage: { fileSizeLimit: number };
  /** Folders whose files a fresh stack stores in a bucket. */
  buckets: { name: string; objects: string }[];
  /** The table [auth], read by the auth module itself. */
  auth: TomlTable;
}

export async function readProject(folder = repository): Promise<Project> {
  const supabase = join(folder, "supabase");
  const config = parse(await textOf(join(supabase, "config.toml")));
  const { api = {}, db = {}, storage = {}, auth = {}, functions = {}, local_smtp: smtp = {} } = config as {
    [table: string]: TomlTable | undefined;
  };
  const seed = (db.seed ?? {}) as TomlTable;
  const seeds = seed.enabled === false ? [] : strings(seed.sql_paths, ["./seed.sql"]);
  return {
    folder,
    migrations: join(supabase, "migrations"),
    seeds: seeds.map((path) => resolve(supabase, path)),
    functions: Object.entries(functions)
      .filter(([, settings]) => (settings as TomlTable).enabled !== false)
      .map(([name, settings]) => ({ name, entrypoint: entrypoint(supabase, name, settings as TomlTable) })),
    ports: {
      api: number(api.port, 54321),
      database: number(db.port, 54322),
      inbox: number(smtp.port, 54324),
      smtp: number(smtp.smtp_port, 54325),
    },
    api: { schemas: strings(api.schemas, ["public", "graphql_public"]), maxRows: number(api.max_rows, 1000) },
    storage: { fileSizeLimit: bytes(storage.file_size_limit ?? "50MiB") },
    buckets: Object.entries((storage.buckets ?? {}) as Record<string, TomlTable>)
      .filter(([, { objects_path }]) => objects_path)
      .map(([name, { objects_path }]) => ({ name, objects: resolve(supabase, String(objects_path)) })),
    auth,
  };
}

function entrypoint(supabase: string, name: string, settings: TomlTable): string {
  return resolve(supabase, String(settings.entrypoint ?? `./functions/${name}/index.ts`));
}

function number(value: unknown, otherwise: number): number {
  return value === undefined ? otherwise : Number(value);
}

function strings(value: unknown, otherwise: string[]): string[] {
  return (value as string[] | undefined) ?? otherwise;
}

const UNITS: Record<string, number> = { "": 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** A size as the CLI reads it, where 1MB is 1MiB: `500MiB`, `5MB`, `1024`. */
export function bytes(size: unknown): number {
  const [, count, unit] = /^\s*(\d+)\s*([kmgb]?)i?b?\s*$/i.exec(String(size)) ?? [];
  if (!count) throw new Error(`supabase/config.toml: ${size} is not a size.`);
  return Number(count) * UNITS[unit.toLowerCase()];
}

async function textOf(file: string): Promise<string> {
  return await Deno.readTextFile(file).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return "";
    throw new Error(`${basename(file)} cannot be read: ${error.message}`, { cause: error });
  });
}
