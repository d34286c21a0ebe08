/** /api/health: liveness and readiness probes, and the report for operators. */
import { HealthReportQuery, HealthReportResponse, HealthResponse } from "../../types/health.ts";
import { publicRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { anonymousDb } from "../database/db.ts";
import { judge, worstOf } from "../installation/findings.ts";
import { checkProviders } from "../installation/provider_checks.ts";
import { readReport } from "../installation/read_report.ts";
import { checkVariables } from "../installation/variables_check.ts";
import { ApiError, UNCACHEABLE } from "../runtime/api_error.ts";
import { VERSION } from "../runtime/product_version.ts";
import { rawReply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";
import { requireMonitoringSecret } from "./metrics.ts";

const TIMEOUT_MS = 3000; // a probe that hangs is worse than one that fails

export const health = publicRouter()
  .get(
    "/",
    describeRoute({ operationId: "getHealth", summary: "Liveness probe", response: HealthResponse }),
    () => rawReply({ status: 200, text: JSON.stringify({ status: "ok", timestamp: new Date().toISOString() }) }),
  )
  .get(
    "/ready",
    describeRoute({
      operationId: "checkHealth",
      summary: "Readiness probe (checks the database)",
      response: HealthResponse,
      errors: [503],
    }),
    async () => rawReply(await withTimeout(TIMEOUT_MS, anonymousDb.call("check_health", {}))),
  )
  .get(
    "/report",
    describeRoute({
      operationId: "getHealthReport",
      summary: "State of the installation, for its operator",
      description: "What `npm run doctor` prints, as JSON. The status is 200 also if the findings have problems.",
      response: HealthReportResponse,
    }),
    requireMonitoringSecret,
    valid("query", HealthReportQuery),
    async (c) => {
      const report = await readReport();
      const findings = [
        ...judge(report),
        ...checkVariables(Deno.env.toObject(), report),
        ...c.req.valid("query").providers === "true" ? await checkProviders() : [],
      ];
      const body: HealthReportResponse = { status: worstOf(findings), version: VERSION, findings, report };
      return c.json(body, 200, { "cache-control": UNCACHEABLE });
    },
  );

async function withTimeout<T>(ms: number, result: Promise<T>): Promise<T> {
  let timer = 0;
  const timeout = new Promise<never>((_, reject) => timer = setTimeout(() => reject(new Error("timed out")), ms));
  try {
    return await Promise.race([result, timeout]);
  } catch (cause) {
    throw new ApiError(503, "Not ready", { details: "The database is not responding", cause });
  } finally {
    clearTimeout(timer);
  }
}
