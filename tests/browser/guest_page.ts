// Opens the guest page in a browser for a test.
import assert from "node:assert/strict";
import { stackInfo } from "../http/harness.ts";
import { executable, openBrowser } from "./chromium.ts";

type Browser = Awaited<ReturnType<typeof openBrowser>>;
export type Page = Awaited<ReturnType<Browser["newPage"]>>;

/** The browser that the tests of a file share, each with a context of its own. The last one closes it. */
let browser: Promise<Browser> | undefined, unfinished = 0;

/** Stops the page's timers, which would fire during a slow test; `page.clock.fastForward()` advances them. */
export async function stopClock(page: Page) {
  const now = Date.now();
  await page.clock.install({ time: now });
  await page.clock.pauseAt(now + 60_000); // not before the time that passes until this call
}

/** A test of the page. It fails on console errors other than rejected requests and outages. */
export function inBrowser(
  name: string,
  test: (page: Page, open: (token?: string) => Promise<unknown>) => Promise<void>,
  options: Parameters<Browser["newPage"]>[0] = {},
) {
  unfinished++;
  Deno.test({
    name,
    ignore: !executable,
    sanitizeOps: false, // the browser outlives the test
    sanitizeResources: false,
    async fn() {
      const page = await (await (browser ??= openBrowser())).newPage(options);
      try {
        const problems: string[] = [];
        page.on("pageerror", (error) => problems.push(String(error)));
        page.on("console", (message) => {
          const text = message.text();
          if (
            message.type() === "error" &&
            !/status of (4\d\d|503)|ERR_(FAILED|CONNECTION_REFUSED)|violates the following Content Security Policy/
              .test(text)
          ) {
            problems.push(text);
          }
        });
        page.on("dialog", (dialog) => (problems.push(dialog.message()), dialog.dismiss()));
        await test(
          page,
          (token) => page.goto(`${stackInfo.functionsUrl}/public/guest${token ? `#token=${token}` : ""}`),
        );
        assert.deepEqual(problems, []);
      } finally {
        await page.close(); // with its context
        if (--unfinished === 0) await (await browser).close();
      }
    },
  });
}
