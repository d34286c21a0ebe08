// The page of a guest's invitation, opened in a browser for a claim about it.
import assert from "node:assert/strict";
import { stackInfo } from "../http/harness.ts";
import { executable, openBrowser } from "./chromium.ts";

export type Page = Awaited<ReturnType<Awaited<ReturnType<typeof openBrowser>>["newPage"]>>;

/** A claim about the page, which complains of nothing meanwhile but of refusals and of a network that is not there. */
export function inBrowser(
  name: string,
  claim: (page: Page, open: (token?: string) => Promise<unknown>) => Promise<void>,
) {
  Deno.test({
    name,
    ignore: !executable,
    sanitizeOps: false, // Playwright keeps its pipes to the browser for a while
    sanitizeResources: false,
    async fn() {
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        const complaints: string[] = [];
        page.on("pageerror", (error) => complaints.push(String(error)));
        page.on("console", (message) => {
          const text = message.text();
          if (message.type() === "error" && !/status of (40[13]|503)|ERR_FAILED/.test(text)) complaints.push(text);
        });
        page.on("dialog", (dialog) => (complaints.push(dialog.message()), dialog.dismiss()));
        await claim(
          page,
          (token) => page.goto(`${stackInfo.functionsUrl}/public/guest${token ? `#token=${token}` : ""}`),
        );
        assert.deepEqual(complaints, []);
      } finally {
        await browser.close();
      }
    },
  });
}
