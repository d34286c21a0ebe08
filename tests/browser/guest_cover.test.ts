// The cover on the guest page: the smallest copy that is wide enough, which the browser chooses.
import assert from "node:assert/strict";
import { uploaded } from "../http/api/images.ts";
import { invite } from "../http/api/guest_email.ts";
import { episode, podcast, sql, waitFor } from "../http/harness.ts";
import { stack } from "../stack.ts";
import { inBrowser } from "./guest_page.ts";

/** A podcast whose cover has its copies. */
async function podcastWithCopies(title: string) {
  const show = await podcast(title), { path } = await uploaded(show, "cover", { format: "jpeg" });
  await waitFor(
    "the copies are made",
    async () => (await sql`select from private.media_copies where original_path = ${path}`).length === 3,
    60,
  );
  return show;
}

const { url } = await stack();

for (
  const [deviceScaleFactor, width, shown] of [
    [1, 390, 160], // 8 rem
    [1, 1280, 640], // 16 rem
    [2, 390, 640],
  ]
) {
  inBrowser(
    `the guest page loads the copy of ${shown} pixels alone in a window of ${width} pixels with density ${deviceScaleFactor}`,
    async (page, open) => {
      const images: string[] = [];
      page.on("request", (request) => request.resourceType() === "image" && images.push(request.url()));
      const show = await podcastWithCopies(`Covered ${deviceScaleFactor} ${width}`);
      const { token } = await invite(await episode(show), { displayName: "Gus" });
      await open(token);
      const cover = page.locator("main img");
      await cover.evaluate((image) => image.decode());
      const ofService = images.filter((image) => image.startsWith(`${url}/storage/`));
      assert.deepEqual(ofService.map((image) => image.replace(/.*\/derived\/[^/]+\//, "")), [`${shown}.webp`]);
      assert.equal(await cover.evaluate((image) => image.currentSrc), ofService[0]);
    },
    { deviceScaleFactor, viewport: { width, height: 844 }, reducedMotion: "reduce" },
  );
}
