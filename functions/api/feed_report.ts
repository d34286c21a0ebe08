/** /api/podcasts/:id/feed-report: the rules that a served feed does not follow. Roles and pages: sql/90_feeds. */
import { FeedReportPathParams, FeedReportQuery, FeedReportResponse } from "../../types/feed_report.ts";
import { authenticatedRouter } from "../app/app.ts";
import { operation } from "../app/operation.ts";
import { flatReply } from "../app/reply.ts";

export const feedReport = authenticatedRouter([
  operation("GET", "/:id/feed-report", "get_feed_report", {
    summary: "Get what directories and apps object to in a podcast's served feed, and what to do",
    params: FeedReportPathParams,
    rename: { id: "podcastId" },
    query: FeedReportQuery,
    reply: flatReply,
    response: FeedReportResponse,
    errors: [403, 404, 409],
  }),
]);
