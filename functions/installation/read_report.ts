/** Reads the report of this installation. */
import { createHash } from "node:crypto";
import type { InstallationReport } from "../../types/health.ts";
import { routeService } from "../database/service.ts";
import { env } from "../runtime/env.ts";

/** The database's report; it also says whether Vault and the functions have the same secret of the worker. */
export async function readReport(): Promise<InstallationReport> {
  const workerSecretDigest = env.WORKER_SECRET && createHash("sha256").update(env.WORKER_SECRET).digest("hex");
  return await routeService("get_installation_report", { workerSecretDigest }) as InstallationReport;
}
