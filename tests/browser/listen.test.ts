// Someone follows a link of the demo's feed and presses play.
import assert from "node:assert/strict";
import { stack } from "../stack.ts";
import { executable, openBrowser } from "./chromium.ts";

Deno.test({
  name: "a listener opens the demo episode, sees its cover and plays its audio",
  ignore: !executable,
  sanitizeOps: false, // Playwright keeps its pipes to the browser for a while
  sanitizeResources: false,
  async fn() {
    const at = await stack();
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      await page.goto(`${at.functionsUrl}/public/listen/demo`);
      assert.equal(await page.title(), "The Castbase Demo");
      await page.getByRole("link", { name: "Hello, listener" }).click();
      assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Hello, listener");
      const cover = page.locator("img");
      await cover.waitFor();
      assert.equal(await cover.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth), 1400);
      const playback = await page.locator("audio").evaluate(async (element) => {
        const audio = element as unknown as {
          muted: boolean;
          play(): Promise<void>;
          currentTime: number;
          duration: number;
        };
        audio.muted = true;
        await audio.play();
        for (let looks = 0; looks < 400 && audio.currentTime < 0.2; looks++) {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        return { goesOn: audio.currentTime >= 0.2, seconds: Math.floor(audio.duration) };
      });
      assert.deepEqual(playback, { goesOn: true, seconds: 9 });
      assert.deepEqual(problems, []);
    } finally {
      await browser.close();
    }
  },
});
