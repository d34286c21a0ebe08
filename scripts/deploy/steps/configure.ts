// Settings, private.install(), and the secrets of the functions and of Vault.
import type { Deployment } from "../deployment.ts";
import type { Plan } from "./plan.ts";
import { failureOf } from "../failure.ts";
import { writeVaultSecret } from "../worker_secret.ts";

export async function configure({ api, report }: Deployment, { settings, secrets, workerSecret }: Plan) {
  for (const [key, value] of settings) await setSetting(api, key, value);
  await api.query("select private.install()");

  const { value, inVault } = workerSecret;
  // first, because a run that fails later could not find out a value that it made
  if (!inVault) await writeVaultSecret(api, value, inVault);
  try {
    if (secrets.length) await api.setSecrets(secrets);
  } catch (error) {
    if (!inVault) await writeVaultSecret(api, undefined, value);
    throw error;
  }
  const present = (await api.secrets()).map(({ name }) => name);
  const absent = secrets.filter(({ name }) => !present.includes(name));
  if (absent.length) throw failureOf("Secrets that were sent are not stored:", absent.map(({ name }) => name));
  report(`${settings.length} settings, ${secrets.length} secrets written; private.install() done`);
}

/** Replaces Vault's secret once the functions that accept the new one are deployed. */
export async function replaceWorkerSecret({ api, report }: Deployment, { workerSecret: { value, inVault } }: Plan) {
  if (!inVault || value === inVault) return;
  await writeVaultSecret(api, value, inVault);
  report("The worker's secret in Vault is the new one");
}

const setSetting = (api: Deployment["api"], key: string, value: string) =>
  api.query("select private.set_setting(_key => $1, _value => $2)", key, value);
