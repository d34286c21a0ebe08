/** The report on a podcast's feed over the wire. */
import { z } from "zod";
import { cursorParam, Id, idParam, limitParam, Pagination, Timestamp } from "./envelope.ts";

/** GET /api/podcasts/{id}/feed-report */
export const FeedReportPathParams = z.object({ id: idParam("podcast") });
export const FeedReportQuery = z.object({
  limit: limitParam(500, 100),
  cursor: cursorParam,
});

const FeedFinding = z.strictObject({
  rule: z.string().describe("Id of the rule, as docs/feed-rules.md lists it"),
  severity: z.enum(["error", "warning", "advice"]).describe(
    "error: apps may not read it; warning: directories may not list it; advice: a recommendation",
  ),
  place: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("channel") }),
    z.strictObject({
      kind: z.literal("episode"),
      episodeId: Id,
      episodeTitle: z.string().optional().describe("Absent if the episode was deleted since the feed was rendered"),
    }),
  ]),
  tag: z.string().describe("Name of the tag, such as itunes:image"),
  excerpt: z.string().optional().describe("Attributes and text of the tag, at most 200 characters"),
  message: z.string().describe("What is wrong"),
  action: z.string().describe("What the podcaster can do"),
  specUrl: z.url(),
}).meta({ id: "FeedFinding" });

export const FeedReportResponse = z.strictObject({
  success: z.literal(true),
  data: z.strictObject({
    checkedAt: Timestamp.describe("When the served feed was checked last"),
    feedUrl: z.url(),
    counts: z.strictObject({ error: z.int(), warning: z.int(), advice: z.int() }).describe("Of all pages"),
    findings: z.array(FeedFinding).describe("Errors first, then the channel's, then in feed order"),
  }),
  pagination: Pagination,
});
