// What listeners and pages do to the player: tabs, volume, scrolling, removal, styles, and failures on the way.
import assert from "node:assert/strict";
import { startHttpServer } from "../http_server.ts";
import { inBrowser, type Page } from "./guest_page.ts";
import { EPISODE_ID, evaluate, mediaOf, open, play, press, SCRIPT, SECONDS, waitUntil } from "./player_page.ts";

const positions = (page: Page) => page.evaluate(`JSON.parse(localStorage.getItem("castbase-player"))?.positions`);

inBrowser("a player that neither played nor moved leaves the remembered position as it is", async (page) => {
  await using site = await open(page);
  await play(page).waitFor();
  await page.evaluate(`localStorage.setItem("castbase-player", '{"positions":[["${EPISODE_ID}",300]]}')`); // another tab
  await evaluate(page, "player.remove()");
  assert.deepEqual(await positions(page), [[EPISODE_ID, 300]]);
  await page.goto(`${site.url}/#t=10`);
  await page.reload();
  await waitUntil(page, "player.currentTime === 10");
  await page.goto("about:blank");
  await page.goto(site.url);
  await waitUntil(page, "player.currentTime === 300");
  await press(page, "Skip forward 30 seconds");
  await evaluate(page, "player.remove()");
  assert.deepEqual(await positions(page), [[EPISODE_ID, 330]]);
});

inBrowser("Unmute restores the sound after the volume was 0, which is not remembered", async (page) => {
  await using _site = await open(page);
  const slider = page.getByRole("slider", { name: "Volume" });
  for (const volume of ["40", "0"]) await slider.fill(volume);
  assert.deepEqual(await evaluate(page, "[player.volume, player.muted]"), [0, false]);
  await press(page, "Unmute");
  assert.deepEqual(await evaluate(page, "[player.volume, player.muted]"), [1, false]);
  await slider.fill("40");
  await press(page, "Mute");
  await press(page, "Unmute");
  assert.deepEqual(await evaluate(page, "[player.volume, player.muted]"), [0.4, false]);
  await slider.fill("0");
  await page.reload();
  await play(page).waitFor();
  assert.equal(await evaluate(page, "player.volume"), 0.4);
});

inBrowser("the volume slider is hidden where the browser ignores the volume, as on iOS", async (page) => {
  await page.addInitScript(() => {
    const media = (globalThis as unknown as { HTMLMediaElement: { prototype: object } }).HTMLMediaElement;
    Object.defineProperty(media.prototype, "volume", { get: () => 1, set() {} });
  });
  await using _site = await open(page);
  await page.getByRole("button", { name: "Mute" }).waitFor();
  assert.equal(await page.getByRole("slider", { name: "Volume" }).count(), 0);
});

inBrowser("keys work with Shift and Caps Lock, and speeds of a page are offered once", async (page) => {
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  await using _site = await open(page);
  await play(page).focus();
  await page.keyboard.press("K");
  await waitUntil(page, "!player.paused && player.currentTime > 0");
  for (const rate of [1.1, 1.1, 0, 1.1, 2, 1.1]) {
    await evaluate(
      page,
      `new Promise((resolve) => {
      player.addEventListener("castbase-ratechange", resolve, { once: true });
      player.playbackRate = ${rate};
      setTimeout(resolve, 100);
    })`,
    );
  }
  const options = await page.getByRole("combobox", { name: "Playback speed" }).getByRole("option").allTextContents();
  assert.deepEqual(options, ["0.75×", "1×", "1.25×", "1.5×", "1.75×", "2×", "2.5×", "3×", "1.1×", "0×"]);
  assert.deepEqual(errors, []);
});

inBrowser("scrolling by keys and by the scrollbar stops the transcript from following", async (page) => {
  await page.emulateMedia({ reducedMotion: "reduce" }); // scrolls at once
  await using _site = await open(page);
  await press(page, "Transcript");
  const panel = page.getByRole("group", { name: "Transcript" });
  const followButton = panel.getByRole("button", { name: "Follow playback" });
  await panel.getByRole("button", { name: "This is line 0." }).focus();
  await page.keyboard.press("k");
  assert.equal(await followButton.count(), 0, "other keys do not");
  await page.keyboard.press("PageDown");
  await followButton.click();
  assert.equal(await followButton.count(), 0);
  const { x, y, width, height } = (await panel.boundingBox())!;
  await page.mouse.click(x + width - 3, y + height / 2);
  await followButton.waitFor();
});

inBrowser("a player that is removed or gets another episode while it plays says that it pauses", async (page) => {
  await using site = await open(page);
  await evaluate(
    page,
    `(window.events = [], player.addEventListener("castbase-pause",
    ({ detail }) => events.push(detail.episodeId)), player.play())`,
  );
  await evaluate(page, `player.data = ${JSON.stringify(mediaOf(site.url, { episode: { id: "other" } }))}`);
  assert.deepEqual(await page.evaluate("events"), [EPISODE_ID]);
  await evaluate(page, "player.play()");
  await evaluate(page, "player.remove()");
  assert.deepEqual(await page.evaluate("events"), [EPISODE_ID, "other"]);
  await evaluate(page, "document.body.append(player)").catch(() => {}); // it has left the document
  assert.deepEqual(await page.evaluate("events"), [EPISODE_ID, "other"]);
});

inBrowser("the player shows that it loads while the page is parsed, and play() waits for it", async (page) => {
  const { promise: isRead, resolve: end } = Promise.withResolvers<void>();
  const encoder = new TextEncoder();
  await using site = await open(page, { media: null });
  await using slow = startHttpServer(() => {
    const data = JSON.stringify(mediaOf(site.url));
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode(`<!doctype html><title>Slow page</title><script src="${SCRIPT}"></script>
          <castbase-player api-url="${site.url}">${" ".repeat(5000)}`));
        await isRead;
        controller.enqueue(encoder.encode(`<script type="application/json">${data}</script></castbase-player>`));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/html" } });
  });
  await page.goto(slow.url, { waitUntil: "commit" });
  await waitUntil(page, "player?.offsetHeight > 100");
  await page.getByText("Loading…").waitFor();
  const playing = evaluate(page, "player.play()");
  end();
  await playing;
  await waitUntil(page, `!player.paused && player.duration === ${SECONDS}`);
});

inBrowser("the player keeps one height under styles that limit the height of its element", async (page) => {
  for (
    const style of [
      "castbase-player { max-height: 150px }",
      "castbase-player { height: fit-content; max-height: 180px; overflow: auto }",
      "main { display: flex; flex-direction: column; height: 200px } castbase-player { min-height: 0 }",
    ]
  ) {
    await using _site = await open(page, { style });
    await play(page).waitFor();
    const changes = await evaluate<number>(
      page,
      `new Promise((resolve) => {
      let changes = 0;
      new ResizeObserver(() => changes++).observe(player.shadowRoot.querySelector(".player"));
      setTimeout(() => resolve(changes), 300);
    })`,
    );
    assert.ok(changes <= 2, `${style}: ${changes} changes`);
    assert.ok(await evaluate(page, "player.shadowRoot.querySelector('.play-button').offsetHeight > 40"), style);
  }
});

inBrowser("the timeline shows the marks of chapters only while it has room for them", async (page) => {
  const chapters = Array.from({ length: 200 }, (_, i) => ({ startTime: 3 * i, title: `Chapter ${i}` }));
  let shown = chapters.slice(0, 10);
  await page.route("**/chapters/*.json", (route) => route.fulfill({ json: { version: "1.2.0", chapters: shown } }));
  const marks = "player.shadowRoot.querySelectorAll('.chapter-marks i').length";
  await using _site = await open(page);
  await waitUntil(page, `${marks} === 9`);
  shown = chapters;
  await page.reload();
  await press(page, "Chapters");
  await page.getByRole("button", { name: "Chapter 199" }).waitFor();
  assert.equal(await evaluate(page, marks), 0);
});

inBrowser("chapters that an outage withholds can be loaded again, and the focus stays in the player", async (page) => {
  await page.route("**/chapters/*.json", (route) => route.fulfill({ status: 503 }));
  await using _site = await open(page);
  await press(page, "Chapters");
  await page.getByRole("alert").getByText("This could not be loaded.").waitFor();
  await page.unroute("**/chapters/*.json");
  await press(page, "Try again");
  await page.getByRole("button", { name: "Sleeping cars" }).waitFor();
  await waitUntil(page, "player.shadowRoot.querySelectorAll('.chapter-marks i').length === 2");
  await page.keyboard.press("k");
  await waitUntil(page, "!player.paused");
});

inBrowser("after another attempt to load the episode, the focus is on the play button", async (page) => {
  await using site = await open(page, { media: null });
  site.failures.set("/v1", 503);
  await evaluate(page, `player.setAttribute("episode", "${EPISODE_ID}")`);
  const tryAgain = page.getByRole("button", { name: "Try again" }).and(page.locator(":focus"));
  await press(page, "Try again");
  await tryAgain.waitFor();
  site.failures.clear();
  await press(page, "Try again");
  await play(page).and(page.locator(":focus")).waitFor();
});

inBrowser("a problem fits into a bar, in one line of its button", async (page) => {
  for (const lang of ["en", "de"]) {
    const style = "h1 { display: none } castbase-player { height: 80px }", html = `lang="${lang}"`;
    await using site = await open(page, { style, html });
    site.failures.set("/audio.wav", 404);
    await page.getByRole("button", { name: /^(Play|Abspielen)$/ }).click();
    await page.getByRole("alert").waitFor();
    const isInside = `(() => {
      const frame = player.getBoundingClientRect(), retry = player.shadowRoot.querySelector(".retry-button");
      const { top, right, bottom } = retry.getBoundingClientRect(), text = new Range();
      text.selectNodeContents(retry);
      return [top >= frame.top, right <= frame.right, bottom <= frame.bottom, text.getClientRects().length];
    })()`;
    assert.deepEqual(await evaluate(page, isInside), [true, true, true, 1], lang);
    await page.evaluate("localStorage.clear()");
  }
}, { viewport: { width: 320, height: 200 } });

inBrowser("the player copies the link where the browser forbids to share it", async (page) => {
  await page.addInitScript(() => {
    const { navigator } = globalThis as unknown as { navigator: object };
    let name = "AbortError";
    Object.assign(navigator, {
      share() {
        const error = Object.assign(new Error(name), { name });
        name = "NotAllowedError";
        return Promise.reject(error);
      },
    });
  });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await using _site = await open(page);
  await press(page, "Share");
  await press(page, "Share …"); // the listener closes the dialog
  assert.equal(await page.getByRole("button", { name: "Copy: Link" }).textContent(), "Copy");
  await press(page, "Share …");
  await page.getByRole("status").getByText("Link: Copied").waitFor();
});
