// What the driver remembers of statements: it keeps each template and, after an error, each text, with 8 KB, forever.
import { deepStrictEqual as deepEqual, rejects } from "node:assert";
import { createFeedDatabase, makePodcast } from "../feed_writer/feed_database.ts";

// The driver's connections outlive the test
Deno.test(
  "repeated statements leave nothing new in the driver",
  { sanitizeOps: false, sanitizeResources: false },
  async () => {
    await using scratch = await createFeedDatabase();
    const { anonymousDb, dbAs, routeSql, serviceSql, startPublicReads } = await import(
      "../../functions/database/db.ts"
    );
    const { service } = await import("../../functions/database/service.ts");
    const { pool } = await import("../../functions/database/pool.ts");
    const { findPodcasts } = await import("../../functions/database/find_podcasts.ts");
    const podcastId = await makePodcast(scratch.sql);
    const divide = (divisor: number) => serviceSql`select 1 / ${divisor}::int as result`;
    const work: Record<string, () => Promise<unknown>> = {
      "a call": () => anonymousDb.call("check_health", {}),
      "a failed call": () => rejects(dbAs("no JSON").call("check_health", {}), /json/),
      "a read": () => startPublicReads().read("get_public_podcast", { slug: "none" }).catch(() => {}),
      "a statement of a read": () => startPublicReads().serviceSql`select ${podcastId}`,
      "a statement of a route": () => routeSql`select ${podcastId}`,
      "a statement of a job": () => divide(1),
      "a failed statement": () => rejects(divide(0), /zero/),
      "a service call": () => service("get_public_transcript", { id: podcastId }),
      "a failed service call": () => rejects(service("record_email_sent", { deliveryId: "x", providerMessageId: "y" })),
      "the owners of keys": () => pool.run((sql) => findPodcasts(sql, [podcastId]), { statementMs: 1000 }),
    };
    const kept: string[] = [], { set } = Map.prototype;
    for (const run of Object.values(work)) await run();
    try {
      for (const [name, run] of Object.entries(work)) {
        Map.prototype.set = function (key, value) {
          if (Array.isArray(key)) kept.push(`${name}: ${key.join("?")}`);
          return set.call(this, key, value);
        };
        await run();
      }
    } finally {
      Map.prototype.set = set;
    }
    deepEqual(kept, []);
  },
);
