// What a deployment would change. Reads only.
import { requireSuccess, script, supabase } from "../commands.ts";
import type { DeclaredFunctions } from "../configuration.ts";
import { databaseUrl, poolerUrl, withPassword } from "../database_urls.ts";
import type { Deployment } from "../deployment.ts";
import type { StoredSecret } from "../management_api.ts";
import { SECRET_NAMES } from "../secrets.ts";
import { changedSettings } from "../settings.ts";
import { chooseWorkerSecret, digestOf, readVaultSecret } from "../worker_secret.ts";

export interface Plan {
  /** The database, for the CLI. */
  database: string;
  /** Files that the database lacks. */
  migrations: string[];
  /** Settings whose value differs. */
  settings: [key: string, value: string][];
  /** Secrets of the functions whose value differs. */
  secrets: { name: string; value: string }[];
  workerSecret: { value: string; inVault?: string };
}

export async function plan(
  deployment: Deployment,
  functions: DeclaredFunctions,
  stored: StoredSecret[],
): Promise<Plan> {
  const { target, api, report } = deployment;
  const pooler = await api.pooler(), database = databaseUrl(pooler);
  const migrations = await pendingMigrations(deployment, database);
  report(`Migrations: ${migrations.join(", ") || "none"}`);

  const deployed = await api.functions();
  const versions = functions.map(({ name }) => {
    const version = deployed.find(({ slug }) => slug === name)?.version;
    return `${name} (${version ? `replaces version ${version}` : "new"})`;
  });
  report(`Functions: ${versions.join(", ")}`);

  const settings = await changedSettings(deployment, migrations.length > 0);
  report(`Settings: ${settings.map(([key, value]) => `${key} = ${value}`).join(", ") || "none"}`);

  const inVault = await readVaultSecret(api);
  const worker = chooseWorkerSecret(target.env.WORKER_SECRET, inVault, stored);
  const made = {
    WORKER_SECRET: worker.value,
    // functions accept both until Vault has the new one
    ...inVault && inVault !== worker.value && { PREVIOUS_WORKER_SECRET: inVault },
    DATABASE_POOLER_URL: target.env.DATABASE_POOLER_URL || poolerUrl(pooler, target.env.SUPABASE_DB_PASSWORD),
  };
  const secrets = changedSecrets({ ...target.env, ...made }, stored);
  if (worker.isNew) report("The worker's secret: a new one");
  else if (inVault !== worker.value) report("The worker's secret in Vault: changed");
  report(`Secrets of the functions: ${secrets.map(({ name }) => name).join(", ") || "none"}`);

  const buckets = await api.query<{ id: string }>("select id from storage.buckets where id in ('media', 'staging')");
  report(`Buckets: ${buckets.length === 2 ? "none" : "media, staging, made by the migrations"}`);
  const { stdout } = await sendConfig(deployment, "--dry-run");
  report(`Configuration:\n${stdout.trim().replace(/\n\s*\n/g, "\n").replaceAll(/^/gm, "  ")}`);
  return { database, migrations, settings, secrets, workerSecret: { value: worker.value, inVault } };
}

/** Runs config:push with the configuration of the environment. */
export async function sendConfig({ target }: Deployment, mode: "--dry-run" | "--yes") {
  const captcha = target.sendsCaptcha ? ["--captcha"] : [];
  const args = ["--ref", target.ref, "--file", target.configFile, ...captcha, mode];
  return requireSuccess(await script(target, "local/cli/config_push.ts", ...args));
}

async function pendingMigrations({ target }: Deployment, database: string): Promise<string[]> {
  const args = ["db", "push", `--remote=${database}`, "--dry-run", "--output-format=json"];
  const { stdout } = requireSuccess(await supabase(target, args, withPassword(target)));
  return JSON.parse(stdout).migrations;
}

function changedSecrets(values: Record<string, string>, stored: StoredSecret[]) {
  const digests = new Map(stored.map(({ name, value }) => [name, value]));
  return SECRET_NAMES.filter((name) => values[name] && digests.get(name) !== digestOf(values[name]))
    .map((name) => ({ name, value: values[name] }));
}
