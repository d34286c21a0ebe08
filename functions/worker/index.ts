/** The edge function `worker`: woken by the database, it drains the queues in the background. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { WakeWorkerRequest } from "../../types/worker.ts";
import { type AppEnv, edgeFunction, publicRouter } from "../app/app.ts";
import { env } from "../app/env.ts";
import { ApiError } from "../app/errors.ts";
import { valid } from "../app/validation.ts";
import { jobs } from "./jobs/index.ts";
import { drain } from "./loop.ts";

/** Well under what the platform gives an invocation (150 s of wall clock); what is left then wakes the worker anew. */
const BUDGET_MS = 60_000;

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;

const requireSecret: MiddlewareHandler<AppEnv> = (c, next) => {
  if (!isOurs(c.req.header("authorization"))) throw new ApiError(401, "The worker answers to its secret only");
  return next();
};

const worker = publicRouter().post("/", requireSecret, valid("json", WakeWorkerRequest), (c) => {
  const { queue } = c.req.valid("json");
  const asked = jobs.filter((job) => job.queue === queue);
  const work = Promise.all((asked.length ? asked : jobs).map((job) =>
    // the queue keeps what was not done, and cron wakes the worker again
    drain(job, BUDGET_MS).catch((error) =>
      console.error(JSON.stringify({ function: "worker", queue: job.queue, failure: error?.stack ?? String(error) }))
    )
  ));
  if (typeof EdgeRuntime !== "undefined") EdgeRuntime.waitUntil(work);
  return c.json({ success: true }, 202);
});

/** Compared as digests, which are equally long: the time it takes tells nothing. */
function isOurs(authorization = ""): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${env.workerSecret}`));
}

export default edgeFunction("worker", { "": worker });
