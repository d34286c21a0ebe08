// The rows of private.settings that a deployment writes.
import { relative } from "node:path";
import { readToml } from "./configuration.ts";
import type { Deployment } from "./deployment.ts";
import { Failure, failureOf } from "./failure.ts";
import { root } from "./target.ts";

interface SettingRow {
  key: string;
  value: string | null;
}

/**
 * Compares [settings] of the environment's file with the database. public_url is the project's until it has a value, and
 * addresses of test domains are rejected until an operator accepts them.
 * A setting that the database lacks may come with a migration.
 */
export async function changedSettings(
  { target, api }: Deployment,
  hasMigrations: boolean,
): Promise<[key: string, value: string][]> {
  const [{ exists }] = await api.query("select to_regclass('private.settings') is not null as exists");
  const rows = exists ? await api.query<SettingRow>("select key, value from private.settings") : [];
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  const declared = (await readToml(target.configFile)).settings as Record<string, unknown> | undefined;
  const { environment } = target, present = values.get("environment");
  if (present && present !== environment) {
    throw new Failure(`This project is ${present}, not ${environment}. Check --ref and --environment.`);
  }
  const defaults = {
    public_url: values.get("public_url") ?? target.url,
    accepted_email_domains: values.get("accepted_email_domains") ?? "public",
  };
  const changed = Object.entries({ ...defaults, environment, ...declared })
    .map(([key, value]): [string, string] => [key, String(value)])
    .filter(([key, value]) => values.get(key) !== value);

  const problems: string[] = [];
  for (const [key, value] of changed) {
    const expected = values.has(key) ? await expectedOf(api, key, value) : undefined;
    if (expected) problems.push(`${key} must be ${expected}.`);
    else if (!values.has(key) && !hasMigrations) problems.push(`${key} is not a setting: docs/limits.md lists them.`);
  }
  if (problems.length) throw failureOf(`[settings] of ${relative(root, target.configFile)} is wrong:`, problems);
  return changed;
}

/** What a setting accepts, if it does not accept the value. */
async function expectedOf(api: Deployment["api"], key: string, value: string): Promise<string | null> {
  const [row] = await api.query<{ expected: string | null }>(
    "select private.expected_setting(setting => s, value => $2) as expected from private.settings s where s.key = $1",
    key,
    value,
  );
  return row.expected;
}
