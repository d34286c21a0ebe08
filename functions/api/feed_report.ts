/** /api/podcasts/:id/feed-report: the rules that a served feed does not follow. Roles and pages: sql/90_feeds. */
import { FeedReportPathParams, FeedReportQuery, FeedReportResponse } from "../../types/feed_report.ts";
import { authenticatedRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { flatReply } from "../app/reply.ts";
import { valid } from "../app/validation.ts";

export const feedReport = authenticatedRouter()
  .get(
    "/:id/feed-report",
    describeRoute({
      operationId: "getFeedReport",
      summary: "Get what directories and apps object to in a podcast's served feed, and what to do",
      response: FeedReportResponse,
      errors: [403, 404, 409],
    }),
    valid("param", FeedReportPathParams),
    valid("query", FeedReportQuery),
    async (c) => {
      const { id: podcastId } = c.req.valid("param");
      return flatReply(await c.var.db.call("get_feed_report", { podcastId, ...c.req.valid("query") }));
    },
  );
