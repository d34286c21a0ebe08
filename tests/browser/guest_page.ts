// Opens the guest page in a browser for a test.
import assert from "node:assert/strict";
import { stackInfo } from "../http/harness.ts";
import { executable, openBrowser } from "./chromium.ts";

type Browser = Awaited<ReturnType<typeof openBrowser>>;
export type Page = Awaited<ReturnType<Browser["newPage"]>>;

/** A test of the page. It fails on console errors other than rejected requests and outages. */
export function inBrowser(
  name: string,
  test: (page: Page, open: (token?: string) => Promise<unknown>) => Promise<void>,
  options: Parameters<Browser["newPage"]>[0] = {},
) {
  Deno.test({
    name,
    ignore: !executable,
    sanitizeOps: false, // Playwright keeps its pipes to the browser for a while
    sanitizeResources: false,
    async fn() {
      const browser = await openBrowser();
      try {
        const page = await browser.newPage(options);
        const problems: string[] = [];
        page.on("pageerror", (error) => problems.push(String(error)));
        page.on("console", (message) => {
          const text = message.text();
          if (message.type() === "error" && !/status of (4\d\d|503)|ERR_FAILED/.test(text)) problems.push(text);
        });
        page.on("dialog", (dialog) => (problems.push(dialog.message()), dialog.dismiss()));
        await test(
          page,
          (token) => page.goto(`${stackInfo.functionsUrl}/public/guest${token ? `#token=${token}` : ""}`),
        );
        assert.deepEqual(problems, []);
      } finally {
        await browser.close();
      }
    },
  });
}
