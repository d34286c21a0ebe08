// Pages and player in Firefox and WebKitGTK: no error, everything in its place, in both themes and from right to left.
import assert from "node:assert/strict";
import { invite } from "../http/api/guest_email.ts";
import { episode, stackInfo } from "../http/harness.ts";
import { startHttpServer } from "../http_server.ts";
import { waitFor } from "../wait_for.ts";
import { CHECK_CONTAINER, CHECK_HEIGHT, CHECK_SIZE, CONTAINERS, HEIGHTS } from "./containers.ts";
import type { Engine } from "./engine.ts";
import { engines } from "./engines.ts";
import { addChaptersAndTranscript, publish } from "./listen_pages.ts";
import { elementText, SCRIPT } from "./player_page.ts";

const names = engines.map(([name]) => name);
for (const name of ["Firefox", "WebKitGTK"].filter((name) => !names.includes(name))) {
  Deno.test({ name: `pages and player in ${name}, which is not installed here`, ignore: true, fn() {} });
}

/** Waits for an expression of a page. */
const waitUntil = (engine: Engine, expression: string) => waitFor(expression, () => engine.evaluate(expression));

const PLAYER = `document.querySelector("castbase-player")`;
const IS_READY = `Boolean(${PLAYER}?.shadowRoot?.querySelector(".main .play-button"))`;

/** What is wider than the window, or the list of what is not shown. */
const layoutProblems = (selectors: string[]) =>
  `[
  ...document.documentElement.scrollWidth > innerWidth ? ["the page scrolls sideways"] : [],
  ...${JSON.stringify(selectors)}.filter((each) => {
    const box = document.querySelector(each)?.getBoundingClientRect();
    return !box || box.width < 24 || box.height < 16 || box.left < 0 || box.right > innerWidth;
  }),
]`;

for (const [name, open] of engines) {
  for (const [theme, isDark] of [["light", false], ["dark", true]] as const) {
    Deno.test(`pages in ${name} show no error and fit the window, in ${theme} colors`, async () => {
      const show = await publish("Night Trains", [{ title: "Vienna" }, { title: "Paris" }]), [vienna] = show.episodes;
      await addChaptersAndTranscript(show, vienna);
      const arabic = await publish("قطارات الليل", [{ title: "رحلة طويلة عبر الصحراء" }], { language: "ar" });
      const { token } = await invite(await episode(show, "Pilot"), { displayName: "Gus" });
      const guest = `${stackInfo.functionsUrl}/public/guest`;
      for (const width of [1000, 460]) { // WebKitGTK's window is not narrower
        await using engine = await open({ width, height: 900, isDark });
        const check = async (url: string, selectors: string[]) =>
          assert.deepEqual([url, ...await engine.evaluate<string[]>(layoutProblems(selectors))], [url]);
        assert.equal(await engine.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"), isDark);
        for (const { url, episodes } of [show, arabic]) {
          await engine.goto(url);
          await waitUntil(engine, "document.querySelector('.primary')?.offsetHeight > 0");
          await check(url, ["h1", ".primary"]);
          await engine.goto(episodes[0].url);
          await waitUntil(engine, IS_READY);
          await engine.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)");
          await check(episodes[0].url, ["h1", "castbase-player"]);
          await engine.goto(episodes[0].embedUrl);
          await waitUntil(engine, IS_READY);
          assert.deepEqual(await engine.evaluate(`(${CHECK_SIZE})()`), [], episodes[0].embedUrl);
        }
        await engine.goto(vienna.embedUrl);
        await waitUntil(engine, IS_READY);
        const tabs = `[...${PLAYER}.shadowRoot.querySelectorAll(".tab")]`;
        for (let i = 0; i < await engine.evaluate<number>(`${tabs}.length`); i++) {
          await engine.evaluate(`${tabs}[${i}].ariaExpanded === "true" || ${tabs}[${i}].click()`);
          await waitUntil(engine, `${PLAYER}.shadowRoot.querySelector(".panel:not([hidden])").offsetHeight > 60`);
        }
        await engine.goto(`${guest}#token=${token}`);
        await waitUntil(engine, "document.body.innerText.includes('Hi Gus')");
        await check(guest, ["main"]);
        assert.deepEqual(engine.problems, [], engine.name);
      }
    });
  }

  Deno.test(`the player in ${name} has its box in each container and its controls in each size`, async () => {
    let body = "", attributes = "";
    await using server = startHttpServer(({ url }) =>
      new URL(url).pathname !== "/" ? new Response(null, { status: 204 }) : new Response(
        `<!doctype html><html lang="en" ${attributes}><title>Page</title><meta name="viewport" content="width=device-width">
        <script src="${SCRIPT}" async></script><style>body { margin: 0 }</style>${body}`,
        { headers: { "content-type": "text/html; charset=utf-8" } },
      )
    );
    const element = elementText(server.url, { episode: { chapters: null } });
    await using engine = await open({ width: 800, height: 900 });
    await engine.goto(server.url);
    for (const direction of ["ltr", "rtl"]) {
      for (const [container, width, html] of CONTAINERS) {
        const call = [html.replace("{player}", element), width, direction].map((each) => JSON.stringify(each));
        const problems = await engine.evaluate<string[]>(`(${CHECK_CONTAINER})(${call})`);
        assert.deepEqual([container, ...problems], [container], direction);
      }
    }
    for (const [place, height, html] of HEIGHTS) {
      const fit = element.replace("<castbase-player", "<castbase-player height=fit");
      const call = [html.replace("{player}", element).replace("{fit}", fit), height].map((each) =>
        JSON.stringify(each)
      );
      assert.deepEqual([place, ...await engine.evaluate<string[]>(`(${CHECK_HEIGHT})(${call})`)], [place]);
    }
    // WebKitGTK's window has a least width, frames do not
    for (const direction of ["ltr", "rtl"]) {
      for (
        const [width, height] of [[180, 80], [180, 180], [200, 180], [320, 80], [300, 300], [390, 480], [600, 180]]
      ) {
        attributes = `dir="${direction}"`;
        body = `<style>castbase-player { height: 100vh }</style>${element}`;
        await engine.evaluate(`new Promise((resolve) => {
          const frame = Object.assign(document.createElement("iframe"), {
            src: "/?${width}", width: ${width}, height: ${height}, onload: resolve,
          });
          frame.style.border = 0;
          document.body.replaceChildren(frame);
        })`);
        const problems = await engine.evaluate(
          `document.querySelector("iframe").contentWindow.eval("(" + ${JSON.stringify(CHECK_SIZE)} + ")()")`,
        );
        assert.deepEqual([width, height, direction, ...problems as string[]], [width, height, direction]);
      }
    }
    const centered = `document.querySelector("iframe").contentDocument.querySelector("castbase-player").shadowRoot
      .querySelector("select")`;
    assert.equal(await engine.evaluate(`getComputedStyle(${centered}).textAlignLast`), "center");
    assert.deepEqual(engine.problems, [], engine.name);
  });
}
