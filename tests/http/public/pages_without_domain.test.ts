// Pages of an installation without a domain for pages: links are relative to the address that was opened.
import assert from "node:assert/strict";
import { createFeedDatabase, makeEpisodes, makePodcast } from "../../feed_writer/feed_database.ts";

console.log = console.error = () => {}; // the request log of this process

// The driver's connections outlive a test
const sanitize = { sanitizeOps: false, sanitizeResources: false };

Deno.test("pages without pages_url link to each other relatively and announce no address", sanitize, async () => {
  await using scratch = await createFeedDatabase();
  const { sql } = scratch;
  await sql`select private.set_setting('pages_url', '')`;
  await makeEpisodes(sql, await makePodcast(sql), 1);
  const { default: functions } = await import("../../../functions/public/index.ts");
  const base = "https://pages.example/functions/v1";
  /** Targets of the links within the page, as a browser resolves them. */
  async function open(path: string) {
    const response = await functions.fetch(new Request(`http://b${path}`, { headers: { accept: "text/html" } }));
    const text = await response.text(), main = /<main>[^]*<\/main>/.exec(text)![0];
    const targets = [...main.matchAll(/ href="([^"]+)"/g)].map(([, href]) => new URL(href, base + path).href);
    return { text, targets: [...new Set(targets)].filter((href) => href.startsWith(`${base}/public/listen`)) };
  }
  const show = `${base}/public/listen/night-trains`, pilot = `${show}/paris-0`;
  for (const slash of ["", "/"]) {
    for (
      const [path, expected] of [
        ["/public/listen/night-trains", [pilot]],
        ["/public/listen/night-trains/paris-0", [show]],
        ["/public/listen/night-trains/nope", [show]],
        ["/public/latest/night-trains", [pilot]],
        ["/public/show/night-trains", [show]],
      ] as const
    ) {
      const { text, targets } = await open(path + slash);
      assert.deepEqual(targets, expected, path + slash);
      assert.doesNotMatch(text, /canonical|og:url|twitter:player|oembed/);
    }
  }
});
