/**
 * feed_pings: tells the WebSub hub, and podping, of the changed feeds of a batch. A second run repeats a ping, which
 * makes its receiver read an unchanged feed.
 */
import { z } from "zod";
import { sendPings } from "../../feed_pings/send_pings.ts";
import type { Job } from "../job.ts";

const schema = z.object({ type: z.enum(["websub", "podping"]), podcast_id: z.guid() });

export const sendFeedPingsJob: Job<z.infer<typeof schema>> = {
  queue: "feed_pings",
  schema,
  batchSize: 200, // a full podping of 100 feeds also if both receivers are on
  visibilityTimeoutSeconds: 120, // four times ten seconds if the hub is slow, and the statements
  concurrency: 2,
  groupBy: ({ type }) => type,
  run: (payloads) => sendPings(payloads[0].type, payloads.map(({ podcast_id }) => podcast_id)),
};
