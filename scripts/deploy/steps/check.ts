// The first step: everything that can be known before anything changes.
import { join } from "node:path";
import { readConfiguration } from "../configuration.ts";
import type { Deployment } from "../deployment.ts";
import { failureOf } from "../failure.ts";
import type { StoredSecret } from "../management_api.ts";
import { checkNames, malformedSecrets } from "../secrets.ts";
import { root } from "../target.ts";

interface Checked {
  name: string;
  /** The secrets that the project has. */
  stored: StoredSecret[];
}

/** Reads the project and names everything that is missing. */
export async function check({ target, api, report }: Deployment): Promise<Checked> {
  const { name, status } = await api.project();
  const stored = await api.secrets();
  const isSet = (secret: string) => Boolean(target.env[secret]) || stored.some((one) => one.name === secret);
  const { problems, warnings } = checkNames(isSet);
  if (status !== "ACTIVE_HEALTHY") problems.unshift(`The project is ${status}; it must be ACTIVE_HEALTHY.`);
  if (!target.env.SUPABASE_DB_PASSWORD) {
    problems.push("SUPABASE_DB_PASSWORD is missing: the password of the database (Settings, Database).");
  }
  problems.push(...malformedSecrets(target.env));
  const { postgresVersion } = await readConfiguration();
  const [{ version }] = await api.query<{ version: string }>("select current_setting('server_version') as version");
  if (parseInt(version) < postgresVersion) {
    problems.push(`Postgres is ${version}; it must be ${postgresVersion} or later: upgrade the project.`);
  }
  for (const extension of await missingExtensions(api)) problems.push(`The extension ${extension} is not available.`);
  if (problems.length) throw failureOf(`${name} (${target.ref}) is not ready:`, problems);
  report(`${name} (${target.ref}), ${target.environment}, Postgres ${version}`);
  for (const warning of warnings) report(warning);
  return { name, stored };
}

/** The extensions that sql/ creates and the server lacks. */
async function missingExtensions(api: Deployment["api"]): Promise<string[]> {
  const sql = await readSql(join(root, "sql"));
  const wanted = new Set([...sql.matchAll(/^create extension if not exists "?([\w-]+)/gm)].map(([, name]) => name));
  const available = await api.query<{ name: string }>("select name from pg_available_extensions");
  return [...wanted].filter((name) => !available.some((one) => one.name === name)).sort();
}

async function readSql(folder: string): Promise<string> {
  let text = "";
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    text += isDirectory ? await readSql(path) : `${await Deno.readTextFile(path)}\n`;
  }
  return text;
}
