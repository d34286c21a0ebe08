/**
 * feed_pings: tells the WebSub hub of each changed feed, and podping of all changed feeds of a batch together. A second
 * run repeats a ping, which makes its receiver read an unchanged feed.
 */
import { z } from "zod";
import { pingHub } from "../../feed_pings/ping_hub.ts";
import { sendPodpings } from "../../feed_pings/send_podpings.ts";
import type { Job } from "../job.ts";

const schema = z.object({ type: z.enum(["websub", "podping"]), podcast_id: z.guid() });

export const sendFeedPingsJob: Job<z.infer<typeof schema>> = {
  queue: "feed_pings",
  schema,
  batchSize: 200, // a full podping of 100 feeds also if both receivers are on
  visibilityTimeoutSeconds: 120, // four times ten seconds if the hub does not respond, and the statements
  concurrency: 64,
  groupBy: ({ type, podcast_id }) => type === "websub" ? podcast_id : type,
  async run(payloads) {
    if (payloads[0].type === "podping") return await sendPodpings(payloads.map(({ podcast_id }) => podcast_id));
    await pingHub(payloads[0].podcast_id);
  },
};
