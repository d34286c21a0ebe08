// The surrogate keys of responses, which the keys of purges equal.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { podcastKeys } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../functions/app/surrogate_keys.ts"),
);

// as private.surrogate_key, in tests/sql/90_feeds/cdn_purges.test.sql
Deno.test("podcastKeys derives the same short ASCII key for Fastly and Cloudflare from a slug in any script", () => {
  for (const [slug, key] of [["night-trains", "podcast-41eb89ef4f4dc10a"], ["夜-行", "podcast-d3eb1dc8c43050b9"]]) {
    for (const _ of [1, 2]) assert.deepEqual(podcastKeys(slug), { "surrogate-key": key, "cache-tag": key });
  }
});
