// Listeners of listen pages and embedded players, with real audio.
import assert from "node:assert/strict";
import { stackInfo } from "../http/harness.ts";
import { assertAccessible, inBrowser, type Page } from "./guest_page.ts";
import { addChaptersAndTranscript, FOREIGN_AUDIO, FOREIGN_IMAGE, publish } from "./listen_pages.ts";
import { evaluate, waitUntil } from "./player_page.ts";

const show = await publish("Night Trains", [{ title: "Vienna" }, { title: "Paris" }, { title: "Lisbon" }]);
const [vienna, paris] = show.episodes;
await addChaptersAndTranscript(show, vienna);

const isReady = "customElements.get('castbase-player')";

inBrowser("a listener opens the demo episode from its podcast, sees its cover and plays its audio", async (page) => {
  await page.goto(`${stackInfo.functionsUrl}/public/listen/demo`);
  assert.equal(await page.title(), "The Castbase Demo");
  await page.getByRole("link", { name: "Hello, listener", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Hello, listener" }).waitFor();
  const cover = page.locator("header > img");
  await cover.waitFor();
  await cover.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await waitUntil(page, "!player.paused && player.currentTime > 0.2");
  assert.equal(Math.floor(await evaluate(page, "player.duration")), 9);
});

inBrowser("play buttons of a podcast's page play at its bottom, one episode at a time", async (page) => {
  await page.goto(show.url);
  await page.waitForFunction(isReady);
  assert.equal(await page.locator("castbase-player").count(), 0);
  await page.getByRole("button", { name: "Play: Paris" }).click();
  await page.getByRole("button", { name: "Pause: Paris" }).waitFor();
  await waitUntil(page, "player.currentTime > 0.1");
  assert.equal(await evaluate(page, "player.data.episode.id"), paris.id);
  const box = await page.locator(".dock").boundingBox(), { height } = page.viewportSize()!;
  assert.ok(box!.y > height - 100 && box!.height <= 82, JSON.stringify(box));

  await page.getByRole("button", { name: "Pause: Paris" }).press("Space");
  await page.getByRole("button", { name: "Play: Paris" }).waitFor();
  assert.equal(await evaluate(page, "player.paused"), true);

  await page.getByRole("button", { name: "Play latest episode" }).press("Enter");
  await page.locator(".primary", { hasText: "Pause" }).waitFor();
  await page.getByRole("button", { name: "Pause: Vienna" }).waitFor();
  await waitUntil(page, "!player.paused && player.currentTime > 0.1");
  assert.equal(await page.locator("castbase-player").count(), 1);
  assert.equal(page.url(), show.url);
  await assertAccessible(page);
});

inBrowser("more episodes are appended while the audio plays, until the last page", async (page) => {
  const long = await publish("Long Trains", Array.from({ length: 41 }, (_, n) => ({ title: `Stop ${n + 1}` })));
  await page.goto(long.url);
  await page.waitForFunction(isReady);
  await page.getByRole("button", { name: "Play: Stop 2", exact: true }).click();
  await waitUntil(page, "!player.paused && player.currentTime > 0.1");
  await evaluate(page, "player.id = 'kept'");
  const more = page.getByRole("link", { name: "More episodes" });
  assert.equal(await page.locator(".episodes li").count(), 21);
  await more.press("Enter");
  await page.locator("h3 :focus", { hasText: "Stop 22" }).waitFor();
  assert.equal(await page.locator(".episodes li").count(), 41);
  await page.getByRole("status").filter({ hasText: "Episodes added: 20" }).waitFor();
  assert.equal(await more.count(), 0);
  assert.equal(await evaluate(page, "player.id === 'kept' && (!player.paused || player.currentTime > 8)"), true);
  assert.equal(page.url(), long.url);
  await page.getByRole("button", { name: "Play: Stop 41", exact: true }).click();
  await page.getByRole("button", { name: "Pause: Stop 41", exact: true }).waitFor();
  await page.getByRole("button", { name: "Play: Stop 2", exact: true }).waitFor();
  assert.equal(await evaluate(page, "player.data.episode.id"), long.episodes[40].id);
  await assertAccessible(page);
});

inBrowser(
  "after one failure, More episodes appends in place, and after two in a row it is a link again",
  async (page) => {
    const long = await publish("Slow Trains", Array.from({ length: 41 }, (_, n) => ({ title: `Stop ${n + 1}` })));
    await page.goto(long.url);
    await page.waitForFunction(isReady);
    await page.route("**/*page=1", (route) => route.abort());
    const more = page.getByRole("link", { name: "More episodes" });
    const fail = async () => {
      const failed = page.waitForEvent("requestfailed");
      await more.click();
      await failed;
      await page.getByRole("status").filter({ hasText: "The episodes could not be loaded. Try again." }).waitFor();
      await page.locator("[data-more]:not([aria-busy])").waitFor();
      assert.equal(await page.locator(".episodes li").count(), 21);
    };
    await fail();
    await page.unroute("**/*page=1");
    await more.click();
    await page.getByRole("status").filter({ hasText: "Episodes added: 20" }).waitFor();
    assert.equal(page.url(), long.url);

    await page.reload();
    await page.waitForFunction(isReady);
    await page.route("**/*page=1", (route) => route.abort());
    await fail();
    await fail();
    await page.unroute("**/*page=1");
    await more.click();
    await page.waitForURL("**/*page=1");
    assert.equal(await page.locator(".episodes li").count(), 20);
  },
);

inBrowser("a reader searches a podcast's episodes with the keyboard", async (page) => {
  const titles = ["Lisbon", ...Array.from({ length: 10 }, (_, n) => `Stop ${n + 1}`)];
  const searched = await publish("Searched Trains", titles.map((title) => ({ title })));
  await page.goto(searched.url);
  await page.getByRole("searchbox", { name: "Search episodes" }).fill("lisb");
  await page.keyboard.press("Enter");
  await page.getByRole("status").filter({ hasText: "Results for “lisb”: 1" }).waitFor();
  assert.equal(new URL(page.url()).search, "?q=lisb");
  await page.getByRole("link", { name: "Lisbon", exact: true }).waitFor();
  await assertAccessible(page);
});

inBrowser("chapters and lines of the transcript seek the player, and those that play are marked", async (page) => {
  await page.goto(vienna.url);
  await page.waitForFunction(isReady);
  await page.getByRole("link", { name: "0:06" }).first().click();
  await page.locator(".chapters [aria-current]", { hasText: "Part 3" }).waitFor();
  await waitUntil(page, "player.currentTime >= 6");
  await page.locator("summary", { hasText: "Transcript" }).click();
  await page.getByRole("link", { name: "0:01" }).last().click();
  await evaluate(page, "player.pause()"); // so that the line stays the current one
  await page.locator(".transcript [aria-current]", { hasText: "Line" }).waitFor();
  await page.locator(".chapters [aria-current]", { hasText: "Part 1" }).waitFor();
  assert.equal(await page.locator("[aria-current]").count(), 2);
});

inBrowser("the page scrolls with the transcript on request, until the reader scrolls away", async (page) => {
  await page.setViewportSize({ width: 390, height: 500 });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(vienna.url);
  await page.waitForFunction(isReady);
  await page.locator("summary", { hasText: "Transcript" }).click();
  // Lines that need two windows
  await page.evaluate("for (const each of document.querySelectorAll('.line')) each.style.minHeight = '180px'");
  const follow = page.getByRole("button", { name: "Follow playback" });
  const seek = async (seconds: number) => {
    await evaluate(page, `player.seek(${seconds})`);
    await page.locator(".line[aria-current]", { hasText: `Line ${seconds}` }).waitFor();
  };
  const isInView = () =>
    page.evaluate<boolean>(`(() => {
      const { top, bottom } = document.querySelector(".line[aria-current]").getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    })()`);
  assert.equal(await follow.isVisible(), false);
  await evaluate(page, "player.play()");
  await evaluate(page, "player.pause()");
  await seek(1);
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  assert.equal(await isInView(), false, "the page does not scroll by itself");
  await follow.click();
  assert.equal(await isInView(), true);
  assert.equal(await page.evaluate("document.activeElement.textContent"), "0:01");
  assert.equal(await follow.isVisible(), false);
  await seek(5);
  assert.equal(await isInView(), true);
  await page.evaluate("scrollTo(0, 0)");
  await seek(3);
  assert.equal(await page.evaluate("scrollY"), 0);
  await follow.waitFor();
});

inBrowser("the page of an unknown podcast leads back to the page with the dead link, if there is one", async (page) => {
  const unknown = `${stackInfo.functionsUrl}/public/listen/nope`, back = page.getByRole("button", { name: "Go back" });
  await page.goto(unknown);
  await page.getByRole("heading", { name: "Podcast not found" }).waitFor();
  assert.equal(await back.isVisible(), false);
  await page.goto(show.url);
  await page.evaluate(`location.href = ${JSON.stringify(unknown)}`);
  await back.click();
  await page.getByRole("heading", { level: 1, name: "Night Trains" }).waitFor();
  assert.equal(page.url(), show.url);
  await page.route(
    "**/frame",
    (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<iframe src="${vienna.embedUrl.slice(0, -36)}${crypto.randomUUID()}">`,
      }),
  );
  await page.goto(`${stackInfo.functionsUrl}/frame`);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("heading", { name: "Episode not found" }).waitFor();
  assert.equal(await frame.getByRole("button").count(), 0);
});

inBrowser("an embedded player seeks to the time of its address", async (page) => {
  await page.goto(`${vienna.embedUrl}#t=4`);
  await waitUntil(page, "player.currentTime === 4");
});

for (const [width, height] of [[320, 180], [600, 180], [320, 80], [1000, 80]]) {
  inBrowser(`the play button is visible and nothing scrolls in a frame of ${width} x ${height}`, async (page) => {
    for (const url of [vienna.embedUrl, `${stackInfo.functionsUrl}/public/latest/${show.slug}`]) {
      await page.goto(url);
      const button = page.getByRole("button", { name: "Play", exact: true });
      await button.waitFor();
      await waitUntil(page, `player.shadowRoot.querySelector(".player").offsetHeight <= ${height}`);
      const { x, y, width: w, height: h } = (await button.boundingBox())!;
      assert.ok(x >= 0 && y >= 0 && x + w <= width && y + h <= height && h >= 40, JSON.stringify([x, y, w, h]));
      assert.deepEqual(await scrollSize(page), [width, height]);
      assert.deepEqual(await page.locator("castbase-player").boundingBox(), { x: 0, y: 0, width, height });
      await button.click();
      await waitUntil(page, "!player.paused && player.currentTime > 0");
    }
    await page.goto(`${stackInfo.functionsUrl}/public/ep/${crypto.randomUUID()}`);
    await page.getByRole("heading", { name: "Episode not found" }).waitFor();
    assert.deepEqual(await scrollSize(page), [width, height]);
  }, { viewport: { width, height } });
}

const scrollSize = (page: Page) =>
  page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]");

inBrowser("pages request nothing of other hosts until the listener presses play", async (page) => {
  const notes = `<p>Map: <img src="${FOREIGN_IMAGE}" alt="Map"></p>`;
  const foreign = { audio_url: FOREIGN_AUDIO, cover_image_url: FOREIGN_IMAGE, audio_duration_seconds: 60 };
  const show = await publish("Foreign", [{ title: "One", ...foreign, show_notes_html: notes }], {
    cover_image_url: FOREIGN_IMAGE,
  });
  const requests: string[] = [], [one] = show.episodes;
  page.on("request", (request) => requests.push(request.url()));
  await page.route(/\.example\//, (route) => route.abort());
  for (const url of [show.url, one.url, one.embedUrl, `${one.url}x`]) {
    await page.goto(url, { waitUntil: "networkidle" });
  }
  assert.ok(requests.length >= 4);
  assert.deepEqual(requests.filter((url) => new URL(url).origin !== stackInfo.url), []);
  assert.deepEqual(requests.filter((url) => url.includes("/storage/")), []);
  await page.goto(one.embedUrl);
  const request = page.waitForRequest(FOREIGN_AUDIO);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await request;
});

inBrowser(
  "without scripts, pages play with the browser's own controls and show chapters and transcript",
  async (page) => {
    await page.goto(show.url);
    await page.getByRole("link", { name: "Play: Paris" }).click();
    await page.getByRole("heading", { level: 1, name: "Paris" }).waitFor();
    await page.getByRole("link", { name: "Night Trains" }).click();
    await page.getByRole("link", { name: "Vienna", exact: true }).click();
    await page.locator("audio[controls]").waitFor();
    assert.equal(
      await page.locator("audio source").getAttribute("src"),
      await page.locator(".chapters a").first().getAttribute("href").then((href) => href!.split("#")[0]),
    );
    await page.getByText("Part 2").waitFor();
    await page.locator("summary", { hasText: "Transcript" }).click();
    await page.getByText("Line 5").waitFor();
    await page.setViewportSize({ width: 320, height: 180 });
    await page.goto(vienna.embedUrl);
    await page.getByRole("link", { name: "Open episode page" }).waitFor();
    const { y, height } = (await page.locator("audio[controls]").boundingBox())!;
    assert.ok(y >= 0 && y + height <= 180, `${y} ${height}`);
  },
  { javaScriptEnabled: false },
);
