// Copies of public reads: what strangers can vary without end displaces no copy that pages need in an outage.
import assert from "node:assert/strict";
import type { Context } from "hono";
import type { AppEnv } from "../../functions/app/app.ts";
import { readThroughCopies } from "../../functions/public/v1/copied_reads.ts";
import { ApiError } from "../../functions/runtime/api_error.ts";

let isOut = false, text = '{"a":1}';
const reads = {
  read: () => isOut ? Promise.reject(new ApiError(503, "out")) : Promise.resolve({ etag: '"1"', text }),
};
const c = { var: { reads } } as unknown as Context<AppEnv>;

Deno.test("any number of oEmbed URLs, sizes, cursors and searches, and long lists of other sizes, leave the copies of podcasts", async () => {
  const slug = "night-trains", podcast = () => readThroughCopies(c, "get_public_podcast", { slug });
  await podcast();
  for (let n = 0; n < 5001; n++) {
    await readThroughCopies(c, "get_oembed", { url: `https://x.example/listen/${slug}?x=${n}` });
    await readThroughCopies(c, "list_public_episodes", { slug, limit: 1, cursor: `c${n}` });
    await readThroughCopies(c, "list_public_episodes", { slug, limit: 1, q: `q${n}` });
  }
  text = `{"a":"${"x".repeat(500_000)}"}`;
  for (let limit = 26; limit <= 100; limit++) await readThroughCopies(c, "list_public_episodes", { slug, limit });
  isOut = true;
  try {
    assert.equal(new TextDecoder().decode((await podcast()).value.bytes), '{"success":true,"a":1}');
  } finally {
    isOut = false;
  }
});
