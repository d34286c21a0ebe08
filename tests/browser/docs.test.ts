// Developers read both OpenAPI documents at /docs and try a route, without a request to anyone else.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { stack } from "../stack.ts";
import { withPage } from "./chromium.ts";
import { assertAccessible } from "./guest_page.ts";
import { waitFor } from "../wait_for.ts";

const { functionsUrl } = await stack();

/** Opens the page and returns what the browser requested and complained about. */
async function open(page: Page, query = "") {
  const urls: string[] = [], problems: string[] = [];
  page.on("request", (request) => urls.push(request.url()));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  const response = await page.goto(`${functionsUrl}/public/docs${query}`);
  assert.equal(response!.status(), 200);
  await page.locator("#viewer:not([aria-busy])").waitFor();
  return { urls, problems };
}

withPage("/docs shows the public API first and runs its routes, with requests to this service alone", async (page) => {
  const { urls, problems } = await open(page);
  assert.equal(
    await page.locator(".info .title").first().innerText().then((text) => text.split("\n")[0].trim()),
    "Castbase public API",
  );
  await page.locator("#operations-podcasts-getPublicPodcast button.opblock-summary-control").click();
  await page.getByRole("button", { name: "Try it out" }).click();
  await page.getByPlaceholder("slug").fill("demo");
  await page.getByRole("button", { name: "Execute" }).click();
  await page.getByText('"title": "The Castbase Demo"').first().waitFor();
  assert.deepEqual(problems, []);
  assert.deepEqual(
    [...new Set(urls.map((url) => url.replace(/[?#].*/, "")))].filter((url) => !/^(data|blob):/.test(url)),
    ["docs", "docs/viewer.css", "docs/viewer.js", "v1/openapi.json", "v1/podcasts/demo"].map((path) =>
      `${functionsUrl}/public/${path}`
    ),
  );
});

withPage("/docs shows the document of the API by a link", async (page) => {
  const { urls, problems } = await open(page);
  await page.getByRole("link", { name: "API", exact: true }).click();
  await page.locator("#operations-account-exportAccount").waitFor(); // the viewer renders what is in view
  assert.equal(await page.getByRole("link", { name: "API", exact: true }).getAttribute("aria-current"), "page");
  assert.ok(urls.includes(`${functionsUrl}/api/openapi.json`));
  assert.deepEqual(urls.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(functionsUrl)), []);
  assert.deepEqual(problems, []);
});

withPage("a link cannot make /docs show another document", async (page) => {
  const { urls } = await open(page, "?url=https://other.example/openapi.json");
  assert.deepEqual(urls.filter((url) => url.startsWith("https://other.example")), []);
});

/** Opens a route of the shown document and returns its element. */
async function openRoute(page: Page, id: string) {
  const route = page.locator(`#operations-${id}`);
  await route.locator("button.opblock-summary-control").click();
  await route.getByRole("button", { name: "Try it out" }).click();
  return route;
}

/** Scrolls to a route: the viewer renders what is in view. */
async function scrollTo(page: Page, route: string) {
  await page.mouse.move(100, 400);
  await waitFor(route, async () => {
    if (await page.locator(route).count()) return true;
    await page.mouse.wheel(0, 600);
    return false;
  });
  await page.locator(route).scrollIntoViewIfNeeded();
}

/** With a choice, without a body, with JSON and with a file. */
const FORMS = {
  automations: "listAutomationTemplates",
  account: "deleteAccount",
  "booking-links": "createBookingLink",
  media: "uploadAudio",
};

for (const width of [320, 390, 1280]) {
  withPage(`/docs passes axe-core and fits a width of ${width} pixels, also while a route is tried`, async (page) => {
    await open(page);
    await assertAccessible(page);
    const read = await openRoute(page, "podcasts-getPublicPodcast");
    await assertAccessible(page);
    await read.getByPlaceholder("slug").fill("demo");
    await read.getByRole("button", { name: "Execute" }).click();
    await page.getByText('"title": "The Castbase Demo"').first().waitFor();
    await assertAccessible(page);
    await open(page, "?document=api");
    await assertAccessible(page);
    for (const [tag, id] of Object.entries(FORMS)) {
      await scrollTo(page, `#operations-${tag}-${id}`);
      const form = await openRoute(page, `${tag}-${id}`);
      await form.getByRole("button", { name: "Cancel" }).waitFor();
      await assertAccessible(page);
    }
  }, { viewport: { width, height: 800 }, reducedMotion: "reduce" });
}
