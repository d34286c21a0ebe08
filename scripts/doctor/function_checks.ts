/** What only the functions know: their variables, whether the providers accept them, and their version. */
import { join } from "node:path";
import { type Finding, HealthReportResponse, type InstallationReport } from "../../types/health.ts";
import { describeError } from "../../functions/runtime/describe_error.ts";
import { root } from "../local_stack.ts";

const TIMEOUT_MS = 60_000;

/** The findings of GET /api/health/report, and one about the version of the functions. */
export async function askFunctions({ settings }: InstallationReport, isLocal: boolean): Promise<Finding[]> {
  const secret = Deno.env.get("MONITORING_SECRET") ?? (isLocal ? await localSecret() : undefined);
  if (!secret) {
    return [{
      check: "functions",
      level: "warning",
      message: "Their variables and providers were not checked",
      remedy: "Set MONITORING_SECRET for the functions and in this environment",
    }];
  }
  try {
    const response = await fetch(`${settings.base_url}/api/health/report?providers=true`, {
      headers: { authorization: `Bearer ${secret}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`responded ${response.status}: ${text.slice(0, 200)}`);
    const { findings, version } = HealthReportResponse.parse(JSON.parse(text));
    return [checkVersion(version), ...findings];
  } catch (error) {
    return [{
      check: "functions",
      level: "problem",
      message: `/api/health/report: ${describeError(error)}`,
      remedy: "Deploy the functions; MONITORING_SECRET must be the same here and there",
    }];
  }
}

function checkVersion(version: string): Finding {
  const { version: own } = JSON.parse(Deno.readTextFileSync(join(root, "package.json")));
  if (version === own) return { check: "functions", level: "ok", message: `version ${version}, as in this checkout` };
  return {
    check: "functions",
    level: "warning",
    message: `version ${version}; this checkout has ${own}`,
    remedy: "npm run deploy, or check out the release that is deployed",
  };
}

async function localSecret(): Promise<string> {
  return JSON.parse(await Deno.readTextFile(join(root, "supabase/local/functions.json"))).MONITORING_SECRET;
}
