/** /api/health: whether this process answers, and whether it can work. */
import { HealthResponse } from "../../types/health.ts";
import { publicRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { anonymousDb } from "../database/db.ts";
import { ApiError } from "../app/errors.ts";
import { rawReply } from "../app/reply.ts";

const PATIENCE_MS = 3000; // a probe that hangs is worse than one that says no

export const health = publicRouter()
  .use(async (c, next) => {
    await next();
    c.res.headers.set("cache-control", "no-store"); // a probe asks about now
  })
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
    async () => rawReply(await within(PATIENCE_MS, anonymousDb.call("check_health"))),
  );

async function within<T>(ms: number, asked: Promise<T>): Promise<T> {
  let timer = 0;
  const tooLong = new Promise<never>((_, reject) => timer = setTimeout(() => reject(new Error("no answer")), ms));
  try {
    return await Promise.race([asked, tooLong]);
  } catch (cause) {
    throw new ApiError(503, "Not ready", { details: "The database does not answer", cause });
  } finally {
    clearTimeout(timer);
  }
}
