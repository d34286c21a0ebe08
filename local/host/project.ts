// All that the stack and the database tools know of the project: its paths, and supabase/config.toml with the CLI's
// default values.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse, type TomlTable } from "smol-toml";
import { readOptionalText } from "./optional_file.ts";

/** The project that this folder is part of. */
export const repository = resolve(import.meta.dirname!, "../..");

/** The paths of a project in `folder`. */
export function projectPaths(folder = repository) {
  const supabase = join(folder, "supabase");
  return {
    folder,
    config: join(supabase, "config.toml"),
    /** Completes config.toml for a hosted project (npm run config:push). */
    production: join(supabase, "production.toml"),
    templates: join(supabase, "templates"),
    migrations: join(supabase, "migrations"),
    /** Declares the database; migrations are derived from it. */
    sql: join(folder, "sql"),
    /** The types of the database, which are generated. */
    types: join(folder, "types/database.ts"),
    /** The functions that the back end calls as the service, which are generated too. */
    serviceFunctions: join(folder, "types/service.ts"),
    /** What its constraints demand, which is generated too. */
    constraintMessages: join(folder, "types/constraints.ts"),
    /** Runs at each start of the stack. */
    startSql: join(supabase, "local/start.sql"),
    /** Selects the lines that npm run status adds. */
    statusSql: join(supabase, "local/status.sql"),
    /** Environment of the edge functions on every local stack, as a JSON object. */
    localEnv: join(supabase, "local/functions.json"),
    /** Secrets of the developer's edge functions, which the CLI reads too. */
    functionsEnv: join(supabase, "functions/.env"),
    /** A feed and its files, served at /demo. */
    demoFeed: join(supabase, "seed/demo_feed"),
    /** The data of npm start. */
    data: join(folder, ".data"),
    /** Shared by all stacks and built once: the server, and the cluster that data folders are copied from. */
    cache: join(folder, ".cache"),
    packages: join(folder, "node_modules"),
  };
}

export type ProjectPaths = ReturnType<typeof projectPaths>;

export interface EdgeFunction {
  name: string;
  /** The module with the handler. */
  entrypoint: string;
  /** The function's own deno.json or import map, or the project's deno.json. */
  importMap?: string;
  /** Whether the gateway requires a user's token. */
  verifiesJwt?: boolean;
}

/** A bucket of config.toml, which a start creates if it is missing. */
interface Bucket {
  name: string;
  public: boolean;
  fileSizeLimit: number;
  mimeTypes: string[];
  /** The folder whose files a fresh stack stores in the bucket. */
  objects?: string;
}

export interface Project extends ProjectPaths {
  /** SQL files that a fresh database gets after its migrations. */
  seeds: string[];
  functions: EdgeFunction[];
  ports: { api: number; database: number; inbox: number; smtp: number };
  /** The sender of emails: `Name <address>`. */
  mailFrom: string;
  api: { schemas: string[]; extraSearchPath: string[]; maxRows: number; exposesNewTables: boolean };
  storage: { fileSizeLimit: number };
  buckets: Bucket[];
  /** The table [auth], which the auth service reads. */
  auth: TomlTable;
  /** The keys that sign access tokens; by default the stack generates one. */
  signingKeys?: string;
}

export async function readProject(folder = repository): Promise<Project> {
  const paths = projectPaths(folder);
  const supabase = dirname(paths.config);
  const config = parse(await readOptionalText(paths.config) ?? "");
  const { api = {}, db = {}, storage = {}, auth = {}, functions = {}, local_smtp: smtp = {} } = config as {
    [table: string]: TomlTable | undefined;
  };
  const seed = (db.seed ?? {}) as TomlTable;
  const seeds = seed.enabled === false ? [] : strings(seed.sql_paths, ["./seed.sql"]);
  return {
    ...paths,
    seeds: seeds.map((path) => resolve(supabase, path)),
    functions: edgeFunctions(supabase, functions as Record<string, TomlTable>),
    ports: {
      api: number(api.port, 54321),
      database: number(db.port, 54322),
      inbox: number(smtp.port, 54324),
      smtp: number(smtp.smtp_port, 54325),
    },
    mailFrom: `${smtp.sender_name ?? "Admin"} <${smtp.admin_email ?? "admin@email.com"}>`,
    api: {
      schemas: strings(api.schemas, ["public"]),
      extraSearchPath: strings(api.extra_search_path, ["public", "extensions"]),
      maxRows: number(api.max_rows, 1000),
      exposesNewTables: api.auto_expose_new_tables === true,
    },
    storage: { fileSizeLimit: parseSize(storage.file_size_limit ?? "50MiB") },
    buckets: Object.entries((storage.buckets ?? {}) as Record<string, TomlTable>).map(([name, bucket]) => ({
      name,
      public: bucket.public === true,
      fileSizeLimit: parseSize(bucket.file_size_limit ?? storage.file_size_limit ?? "50MiB"),
      mimeTypes: strings(bucket.allowed_mime_types, []),
      ...bucket.objects_path && { objects: resolve(supabase, String(bucket.objects_path)) },
    })),
    auth,
    signingKeys: auth.signing_keys_path ? resolve(supabase, String(auth.signing_keys_path)) : undefined,
  };
}

/** The functions of config.toml and those of supabase/functions, with the CLI's default values. */
function edgeFunctions(supabase: string, settings: Record<string, TomlTable>): EdgeFunction[] {
  const folder = join(supabase, "functions");
  const names = new Set([...Object.keys(settings), ...functionFolders(folder)]);
  const enabled = [...names].filter((name) => settings[name]?.enabled !== false);
  return enabled.map((name) => {
    const { entrypoint, import_map: importMap, verify_jwt: verifiesJwt } = settings[name] ?? {};
    const maps = importMap ? [resolve(supabase, String(importMap))] : [
      ...["deno.json", "deno.jsonc", "import_map.json"].map((file) => join(folder, name, file)),
      join(folder, "import_map.json"),
      join(supabase, "../deno.json"),
    ];
    return {
      name,
      entrypoint: resolve(supabase, String(entrypoint ?? `./functions/${name}/index.ts`)),
      importMap: maps.find((path) => existsSync(path)),
      verifiesJwt: verifiesJwt !== false,
    };
  });
}

/** Names of the folders with an index.ts, except shared code (`_shared`). */
function functionFolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return [...Deno.readDirSync(folder)]
    .filter(({ name, isDirectory }) => isDirectory && /^[a-z0-9]/i.test(name))
    .map(({ name }) => name)
    .filter((name) => existsSync(join(folder, name, "index.ts")))
    .sort();
}

function number(value: unknown, defaultValue: number): number {
  return value === undefined ? defaultValue : Number(value);
}

function strings(value: unknown, defaultValue: string[]): string[] {
  return (value as string[] | undefined) ?? defaultValue;
}

const UNITS: Record<string, number> = { "": 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Parses a size as the CLI does, where 1MB is 1MiB: `500MiB`, `5MB`, `1024`. Returns bytes. */
function parseSize(size: unknown): number {
  const [, count, unit] = /^\s*(\d+)\s*([kmgb]?)i?b?\s*$/i.exec(String(size)) ?? [];
  if (!count) throw new Error(`supabase/config.toml: invalid size ${size}`);
  return Number(count) * UNITS[unit.toLowerCase()];
}
