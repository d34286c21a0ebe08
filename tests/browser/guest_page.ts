// Opens the guest page in a browser for a test.
import assert from "node:assert/strict";
import { invite } from "../http/api/guest_email.ts";
import { episode, podcast, stackInfo } from "../http/harness.ts";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { repository } from "../../local/host/project.ts";
import { withPage } from "./chromium.ts";

export type { Page };

/** A guest whom a new podcast has invited to its episode. */
export async function newGuest(title: string, displayName = "Gus") {
  const pilot = await episode(await podcast(title));
  return { pilot, ...await invite(pilot, { displayName }) };
}

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
  options: Parameters<typeof withPage>[2] = {},
) {
  withPage(name, async (page) => {
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
  }, options);
}

const axe = await Deno.readTextFile(join(repository, "node_modules/axe-core/axe.min.js"));
/** The rules whose result depends on the theme. */
const COLORS = "['color-contrast', 'link-in-text-block']";

/**
 * No violation of axe-core's rules in light and dark, no small target (WCAG 2.2 AA) beside the player, and nothing wider
 * than the window.
 */
export async function assertAccessible(page: Page) {
  if (!await page.evaluate("'axe' in window")) await page.evaluate(axe);
  for (
    const [colorScheme, context, rules] of [
      ["dark", "document", `runOnly: ${COLORS},`],
      ["light", "document", ""],
      ["light", "{ exclude: 'castbase-player' }", "runOnly: 'target-size',"],
    ] as const
  ) {
    await page.emulateMedia({ colorScheme });
    // after a frame, in which the page's script learns of it
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const violations = await page.evaluate(`
      axe.run(${context}, { ${rules} resultTypes: ["violations"] }).then(({ violations }) =>
        violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`);
    assert.deepEqual({ colorScheme, violations }, { colorScheme, violations: [] });
  }
  const { width } = page.viewportSize()!;
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
}
