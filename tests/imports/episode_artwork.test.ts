// Episode artwork on a host whose response never ends.
import assert from "node:assert/strict";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { png } from "../image_fixtures.ts";
import { runUntil } from "../worker/run_until.ts";
import { startSource } from "../worker/source.ts";

Deno.test({
  name:
    "storeArtwork requests an image that never arrives once, until the run's deadline, and leaves it to another queue",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using _scratch = await createFeedDatabase();
    const body = png({ width: 1400, height: 1400, bytes: 50_000 });
    await using source = startSource(() => ({ body, cut: 20_000, then: "stall" }));
    const { storeArtwork } = await import("../../functions/imports/transfer/episode_artwork.ts");
    const id = crypto.randomUUID();
    const stored = (ms: number) =>
      storeArtwork(
        {
          itemId: id,
          podcastId: id,
          episodeId: id,
          payload: { image: `${source.url}cover.png`, enclosure: null, durationSeconds: null },
          transfer: null,
          remainingAllowanceBytes: 1_000_000,
          maxBytes: 1_000_000,
          maxImageBytes: 1_000_000,
          login: null,
          audioPaths: {},
          run: runUntil(0),
        },
        1000,
        // a longer wait throws
        {
          signal: AbortSignal.timeout(ms + 60_000),
          deadline: Date.now() + ms,
          allowedHosts: [source.host],
          userAgent: "Test/1.0",
          login: null,
        },
      );
    let artwork;
    // The deadline may pass before the host is requested; the next run has twice the time
    for (let ms = 500; source.requests.length === 0; ms *= 2) artwork = await stored(ms);
    assert.deepEqual(artwork, { isPending: true });
    assert.equal(source.requests.length, 1);
  },
});
