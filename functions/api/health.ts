/** /api/health: liveness and readiness probes. */
import { HealthResponse } from "../../types/health.ts";
import { publicRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { anonymousDb } from "../database/db.ts";
import { ApiError } from "../runtime/api_error.ts";
import { rawReply } from "../app/reply.ts";

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
