/** /api/imports: imports of a back catalog from an RSS feed. The rules are in sql/75_imports. */
import { NoFields } from "../../types/envelope.ts";
import {
  ConfirmImportRequest,
  ConfirmImportResponse,
  ImportItemPathParams,
  ImportPathParams,
  ImportReportQuery,
  ImportReportResponse,
  ImportResponse,
  ImportStatusResponse,
  RecheckFeedResponse,
  ResendCodeResponse,
  RetryFailedItemsResponse,
  RetryItemResponse,
  StartImportRequest,
  StartImportResponse,
  VerifyOwnershipRequest,
  VerifyOwnershipResponse,
} from "../../types/imports.ts";
import { authenticatedRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import type { RpcResult } from "../database/db.ts";
import { ApiError } from "../runtime/api_error.ts";
import { flatReply, rawReply, reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";
import { recheckFeed } from "../imports/recheck_feed.ts";
import { claimAndStageFeed } from "../imports/claim_and_stage_feed.ts";

export const imports = authenticatedRouter()
  .post(
    "/podcast",
    describeRoute({
      operationId: "startImport",
      summary: "Start an import: read the feed and stage its episodes",
      response: StartImportResponse,
      errors: [403, 404, 409, 429, 500, 504],
    }),
    valid("json", StartImportRequest),
    async (c) => {
      const { podcast_id: podcastId, feed_url: feedUrl } = c.req.valid("json");
      const started = await c.var.db.call("start_import", { podcastId, feedUrl });
      if (started.status >= 400) return rawReply(started);
      const { importId } = JSON.parse(started.text);
      return reply({ status: 200, text: await claimAndStageFeed(importId, feedUrl) });
    },
  )
  .get(
    "/:id",
    describeRoute({
      operationId: "getImport",
      summary: "Get an import with its items",
      response: ImportResponse,
      errors: [403, 404],
    }),
    valid("param", ImportPathParams),
    async (c) => {
      return reply(await c.var.db.call("get_import", importIdParam(c.req.valid("param"))));
    },
  )
  .get(
    "/:id/report",
    describeRoute({
      operationId: "getImportReport",
      summary: "Get what becomes of each part of the feed",
      response: ImportReportResponse,
      errors: [403, 404],
    }),
    valid("param", ImportPathParams),
    valid("query", ImportReportQuery),
    async (c) => {
      const page = c.req.valid("query");
      return flatReply(await c.var.db.call("get_import_report", { ...importIdParam(c.req.valid("param")), ...page }));
    },
  )
  .post(
    "/:id/verify-ownership",
    describeRoute({
      operationId: "verifyImportOwnership",
      summary: "Verify ownership with the emailed code",
      response: VerifyOwnershipResponse,
      errors: [403, 404, 409],
    }),
    valid("param", ImportPathParams),
    valid("json", VerifyOwnershipRequest),
    async (c) => {
      const { code } = c.req.valid("json");
      return reply(await c.var.db.call("verify_import_ownership", { ...importIdParam(c.req.valid("param")), code }));
    },
  )
  .post(
    "/:id/recheck-feed",
    describeRoute({
      operationId: "recheckFeed",
      summary: "Recheck a locked feed",
      response: RecheckFeedResponse,
      errors: [403, 404, 409, 429, 504],
    }),
    valid("param", ImportPathParams),
    valid("json", NoFields),
    async (c) => {
      const { importId } = importIdParam(c.req.valid("param"));
      const started = await c.var.db.call("begin_feed_recheck", { importId });
      if (started.status >= 400) return rawReply(started);
      return reply({ status: 200, text: await recheckFeed(importId, JSON.parse(started.text)) });
    },
  )
  .post(
    "/:id/resend-code",
    describeRoute({
      operationId: "resendOwnershipCode",
      summary: "Resend the ownership code",
      response: ResendCodeResponse,
      errors: [403, 404, 409, 429],
    }),
    valid("param", ImportPathParams),
    valid("json", NoFields),
    async (c) => {
      return reply(await c.var.db.call("resend_ownership_code", importIdParam(c.req.valid("param"))));
    },
  )
  .post(
    "/:id/confirm",
    describeRoute({
      operationId: "confirmImport",
      summary: "Confirm a previewed import",
      response: ConfirmImportResponse,
      errors: [403, 404, 409, 500],
    }),
    valid("param", ImportPathParams),
    valid("json", ConfirmImportRequest),
    async (c) => {
      const choice = c.req.valid("json");
      return replyToDispatch(
        await c.var.db.call("confirm_import", { ...importIdParam(c.req.valid("param")), ...choice }),
      );
    },
  )
  .post(
    "/:id/cancel",
    describeRoute({
      operationId: "cancelImport",
      summary: "Cancel an import (items in progress finish)",
      response: ImportStatusResponse,
      errors: [403, 404, 409],
    }),
    valid("param", ImportPathParams),
    valid("json", NoFields),
    async (c) => {
      return reply(await c.var.db.call("cancel_import", importIdParam(c.req.valid("param"))));
    },
  )
  .post(
    "/:id/retry-failed",
    describeRoute({
      operationId: "retryFailedImportItems",
      summary: "Retry failed items (and, for a canceled import, the remaining ones)",
      response: RetryFailedItemsResponse,
      errors: [403, 404, 409, 500],
    }),
    valid("param", ImportPathParams),
    valid("json", NoFields),
    async (c) => {
      return replyToDispatch(await c.var.db.call("retry_failed_import_items", importIdParam(c.req.valid("param"))));
    },
  )
  .post(
    "/:id/items/:itemId/retry",
    describeRoute({
      operationId: "retryImportItem",
      summary: "Retry a failed item",
      response: RetryItemResponse,
      errors: [403, 404, 409, 500],
    }),
    valid("param", ImportItemPathParams),
    valid("json", NoFields),
    async (c) => {
      const { id: importId, itemId } = c.req.valid("param");
      return replyToDispatch(await c.var.db.call("retry_import_item", { importId, itemId }));
    },
  )
  .post(
    "/:id/resume",
    describeRoute({
      operationId: "resumeImport",
      summary: "Resume a canceled import",
      response: ImportStatusResponse,
      errors: [403, 404, 409, 500],
    }),
    valid("param", ImportPathParams),
    valid("json", NoFields),
    async (c) => {
      return replyToDispatch(await c.var.db.call("resume_import", importIdParam(c.req.valid("param"))));
    },
  );

/** The paths' `id` is the importId of the SQL functions. */
const importIdParam = ({ id }: { id: string }) => ({ importId: id });

/** Replies with the result of a function that sends queue messages. A failing queue is a logged 500 with a request id. */
function replyToDispatch(result: RpcResult): Response {
  if (result.status < 500) return reply(result);
  const { error, code, ...extra } = JSON.parse(result.text);
  throw new ApiError(result.status, error, { code, extra });
}
