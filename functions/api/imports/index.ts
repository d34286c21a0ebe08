/** /api/imports: a back catalogue out of another host's feed. The rules are in sql/75_imports. */
import { NoFields } from "../../../types/envelope.ts";
import {
  ConfirmImportRequest,
  ImportItemPathParams,
  ImportPathParams,
  StartImportRequest,
  VerifyOwnershipRequest,
} from "../../../types/imports.ts";
import { authenticatedRouter } from "../../app/app.ts";
import type { RpcResult } from "../../database/db.ts";
import { ApiError } from "../../app/errors.ts";
import { rawReply, reply } from "../../app/reply.ts";
import { valid } from "../../app/validation.ts";
import { recheckFeed } from "./recheck.ts";
import { readAndStage } from "./read_and_stage.ts";

export const imports = authenticatedRouter()
  .post("/podcast", valid("json", StartImportRequest), async (c) => {
    const begun = await c.var.db.call("start_import", c.req.valid("json"));
    if (begun.status >= 400) return rawReply(begun);
    const { importId } = JSON.parse(begun.text);
    return reply({ status: 200, text: await readAndStage(importId, c.req.valid("json").feed_url) });
  })
  .get("/:id", valid("param", ImportPathParams), async (c) => {
    return reply(await c.var.db.call("get_import", found(c.req.valid("param"))));
  })
  .post("/:id/verify-ownership", valid("param", ImportPathParams), valid("json", VerifyOwnershipRequest), async (c) => {
    const { code } = c.req.valid("json");
    return reply(await c.var.db.call("verify_import_ownership", { ...found(c.req.valid("param")), code }));
  })
  .post("/:id/recheck-feed", valid("param", ImportPathParams), valid("json", NoFields), async (c) => {
    const { importId } = found(c.req.valid("param"));
    const begun = await c.var.db.call("begin_feed_recheck", { importId });
    if (begun.status >= 400) return rawReply(begun);
    return reply({ status: 200, text: await recheckFeed(importId, JSON.parse(begun.text)) });
  })
  .post("/:id/resend-code", valid("param", ImportPathParams), valid("json", NoFields), async (c) => {
    return reply(await c.var.db.call("resend_ownership_code", found(c.req.valid("param"))));
  })
  .post("/:id/confirm", valid("param", ImportPathParams), valid("json", ConfirmImportRequest), async (c) => {
    const choice = c.req.valid("json");
    return dispatched(await c.var.db.call("confirm_import", { ...found(c.req.valid("param")), ...choice }));
  })
  .post("/:id/cancel", valid("param", ImportPathParams), valid("json", NoFields), async (c) => {
    return reply(await c.var.db.call("cancel_import", found(c.req.valid("param"))));
  })
  .post("/:id/retry-failed", valid("param", ImportPathParams), valid("json", NoFields), async (c) => {
    return dispatched(await c.var.db.call("retry_failed_import_items", found(c.req.valid("param"))));
  })
  .post("/:id/items/:itemId/retry", valid("param", ImportItemPathParams), valid("json", NoFields), async (c) => {
    const { id: importId, itemId } = c.req.valid("param");
    return dispatched(await c.var.db.call("retry_import_item", { importId, itemId }));
  })
  .post("/:id/resume", valid("param", ImportPathParams), valid("json", NoFields), async (c) => {
    return dispatched(await c.var.db.call("resume_import", found(c.req.valid("param"))));
  });

/** What the paths call `id` is the verbs' importId. */
const found = ({ id }: { id: string }) => ({ importId: id });

/** What a verb answers that sends queue messages. A queue that does not take them is our failure, and has a request id. */
function dispatched(answer: RpcResult): Response {
  if (answer.status < 500) return reply(answer);
  const { error, code, ...extra } = JSON.parse(answer.text);
  throw new ApiError(answer.status, error, { code, extra });
}
