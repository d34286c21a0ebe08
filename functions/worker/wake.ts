/** POST /worker: the database wakes the worker. */
import { WakeWorkerRequest, WakeWorkerResponse } from "../../types/worker.ts";
import { publicRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { requireSharedSecret } from "../app/shared_secret.ts";
import { env, requireVariable } from "../runtime/env.ts";
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

const requireWorkerSecret = requireSharedSecret({
  name: "worker",
  accepted: () => [requireVariable("WORKER_SECRET", "the worker cannot be woken"), env.PREVIOUS_WORKER_SECRET],
  security: "worker",
});
