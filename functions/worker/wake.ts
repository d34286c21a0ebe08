/** POST /worker: the database wakes the worker. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { WakeWorkerRequest, WakeWorkerResponse } from "../../types/worker.ts";
import { type AppEnv, publicRouter } from "../app/app.ts";
import { declare, describeRoute } from "../app/describe_route.ts";
import { env, requireVariable } from "../runtime/env.ts";
import { ApiError } from "../runtime/api_error.ts";
import { valid } from "../app/validation.ts";

/** `wake` starts work in the background; the response does not wait for it. */
export const wakeRouter = (wake: (queue?: string | null) => void) =>
  publicRouter().post(
    "/",
    describeRoute({
      operationId: "wakeWorker",
      summary: "Wake the worker (called by the database)",
      response: WakeWorkerResponse,
      status: 202,
    }),
    requireWorkerSecret,
    valid("json", WakeWorkerRequest),
    (c) => {
      wake(c.req.valid("json").queue);
      return c.json({ success: true }, 202);
    },
  );

const requireWorkerSecret: MiddlewareHandler<AppEnv> = declare((c, next) => {
  if (!isWorkerSecret(c.req.header("authorization"))) {
    throw new ApiError(401, "Invalid worker secret");
  }
  return next();
}, { security: "worker" });

/** Compares digests of equal length, so that the duration reveals nothing. */
function isWorkerSecret(authorization = ""): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return [requireVariable("WORKER_SECRET", "the worker cannot be woken"), env.PREVIOUS_WORKER_SECRET]
    .some((secret) => secret && timingSafeEqual(digest(authorization), digest(`Bearer ${secret}`)));
}
