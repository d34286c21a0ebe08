/** /api/imports: imports of a back catalog from an RSS feed. The rules are in sql/75_imports. */
import { NoFields } from "../../types/envelope.ts";
import {
  ConfirmImportRequest,
  ConfirmImportResponse,
  ImportItemPathParams,
  ImportPathParams,
  ImportRefreshQuery,
  ImportRefreshResponse,
  ImportReportQuery,
  ImportReportResponse,
  ImportResponse,
  ImportStatusResponse,
  ImportSwitchResponse,
  RecheckFeedResponse,
  ResendCodeResponse,
  RetryFailedItemsResponse,
  RetryFilesResponse,
  RetryItemResponse,
  StartImportRequest,
  StartImportResponse,
  VerifyOwnershipRequest,
  VerifyOwnershipResponse,
} from "../../types/imports.ts";
import { authenticatedRouter, subRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { operation } from "../app/operation.ts";
import { flatReply, parseResult, reply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";
import { recheckFeed } from "../imports/recheck_feed.ts";
import { claimAndStageFeed } from "../imports/claim_and_stage_feed.ts";
import { checkSwitch } from "../imports/switch/check_switch.ts";

/** As many ids as an import has items, with the JSON around them. */
const MAX_CONFIRM_BYTES = 1024 * 1024;

/** Routes of an import: `:id` is the argument `importId`. */
const ofImport = { params: ImportPathParams, rename: { id: "importId" } } as const;

export const imports = authenticatedRouter([
  subRouter().post(
    "/podcast",
    describeRoute({
      operationId: "startImport",
      summary: "Start an import: read the feed and stage its episodes",
      response: StartImportResponse,
      errors: [403, 404, 409, 429, 500, 504],
    }),
    valid("json", StartImportRequest),
    async (c) => {
      const { podcast_id: podcastId, feed_url: feedUrl, ...login } = c.req.valid("json");
      const { feed_username: feedUsername, feed_password: feedPassword } = login;
      const start = { podcastId, feedUrl, feedUsername, feedPassword };
      const { importId } = parseResult(await c.var.db.call("start_import", start));
      return reply({ status: 200, text: await claimAndStageFeed(importId) });
    },
  ),
  operation("GET", "/:id", "get_import", {
    summary: "Get an import with its items",
    ...ofImport,
    response: ImportResponse,
    errors: [403, 404],
  }),
  operation("GET", "/:id/report", "get_import_report", {
    summary: "Get what becomes of each part of the feed",
    ...ofImport,
    query: ImportReportQuery,
    reply: flatReply,
    response: ImportReportResponse,
    errors: [403, 404],
  }),
  operation("GET", "/:id/refresh", "get_import_refresh", {
    summary: "Get what existing episodes would take over from the feed",
    ...ofImport,
    query: ImportRefreshQuery,
    reply: flatReply,
    response: ImportRefreshResponse,
    errors: [403, 404],
  }),
  subRouter().get(
    "/:id/switch",
    describeRoute({
      operationId: "getImportSwitch",
      summary: "Check whether the old feed leads to the new one, and what to do next",
      response: ImportSwitchResponse,
      errors: [403, 404, 409, 429],
    }),
    valid("param", ImportPathParams),
    async (c) => {
      const { id: importId } = c.req.valid("param");
      const get = () => c.var.db.call("get_import_switch", { importId });
      const last = await get();
      if (!parseResult(last).isChecking) return reply(last);
      await checkSwitch(importId);
      return reply(await get());
    },
  ),
  operation("POST", "/:id/verify-ownership", "verify_import_ownership", {
    summary: "Verify ownership with the emailed code",
    ...ofImport,
    json: VerifyOwnershipRequest,
    response: VerifyOwnershipResponse,
    errors: [403, 404, 409],
  }),
  subRouter().post(
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
      const { id: importId } = c.req.valid("param");
      const recheck = parseResult(await c.var.db.call("begin_feed_recheck", { importId }));
      return reply({ status: 200, text: await recheckFeed(importId, recheck) });
    },
  ),
  operation("POST", "/:id/resend-code", "resend_ownership_code", {
    summary: "Resend the ownership code",
    ...ofImport,
    response: ResendCodeResponse,
    errors: [403, 404, 409, 429],
  }),
  operation("POST", "/:id/confirm", "confirm_import", {
    summary: "Confirm a previewed import",
    ...ofImport,
    json: ConfirmImportRequest,
    maxBytes: MAX_CONFIRM_BYTES,
    response: ConfirmImportResponse,
    errors: [403, 404, 409, 500],
  }),
  operation("POST", "/:id/cancel", "cancel_import", {
    summary: "Cancel an import (items in progress finish)",
    ...ofImport,
    response: ImportStatusResponse,
    errors: [403, 404, 409],
  }),
  operation("POST", "/:id/retry-failed", "retry_failed_import_items", {
    summary: "Retry failed items (and, for a canceled import, the remaining ones)",
    ...ofImport,
    response: RetryFailedItemsResponse,
    errors: [403, 404, 409, 500],
  }),
  operation("POST", "/:id/retry-files", "retry_import_files", {
    summary: "Retry the files that were not copied: transcripts, chapters, images and the cover",
    ...ofImport,
    response: RetryFilesResponse,
    errors: [403, 404, 409, 429, 500],
  }),
  operation("POST", "/:id/items/:itemId/retry", "retry_import_item", {
    summary: "Retry a failed item",
    ...ofImport,
    params: ImportItemPathParams,
    response: RetryItemResponse,
    errors: [403, 404, 409, 500],
  }),
  operation("POST", "/:id/resume", "resume_import", {
    summary: "Resume a canceled import",
    ...ofImport,
    response: ImportStatusResponse,
    errors: [403, 404, 409, 500],
  }),
]);
