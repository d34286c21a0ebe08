// The secret with which the database wakes the worker: Vault and the functions' environment have the same value.
import { createHash, randomBytes } from "node:crypto";
import { Failure } from "./failure.ts";
import type { ManagementApi, StoredSecret } from "./management_api.ts";

/** A secret as the management API shows it. */
export const digestOf = (value: string) => createHash("sha256").update(value).digest("hex");

export async function readVaultSecret(api: ManagementApi): Promise<string | undefined> {
  const [row] = await api.query<{ value: string }>(
    "select decrypted_secret as value from vault.decrypted_secrets where name = 'worker_secret'",
  );
  return row?.value;
}

/** The secret that both are to have: the environment's, else Vault's, else a new one. */
export function chooseWorkerSecret(given: string | undefined, inVault: string | undefined, stored: StoredSecret[]) {
  if (given) return { value: given, isNew: false };
  const inFunctions = stored.find(({ name }) => name === "WORKER_SECRET");
  if (inFunctions && inFunctions.value !== digestOf(inVault ?? "")) {
    throw new Failure(
      "The functions' WORKER_SECRET is not Vault's worker_secret, and the platform does not return its value. " +
        "Put the value, or a new one, into the environment as WORKER_SECRET.",
    );
  }
  return inVault ? { value: inVault, isNew: false } : { value: randomBytes(32).toString("base64url"), isNew: true };
}

/** Writes Vault's secret, or deletes it. */
export async function writeVaultSecret(api: ManagementApi, value: string | undefined, previous: string | undefined) {
  if (value === undefined) await api.query("delete from vault.secrets where name = 'worker_secret'");
  else if (previous === undefined) await api.query("select vault.create_secret($1, 'worker_secret')", value);
  else await api.query("select vault.update_secret(id, $1) from vault.secrets where name = 'worker_secret'", value);
}
