// The controls of the player: slider, buttons, keys, and those of the system.
import assert from "node:assert/strict";
import { inBrowser, type Page } from "./guest_page.ts";
import { evaluate, open, press, waitUntil } from "./player_page.ts";

const value = (page: Page, name: string) => page.getByRole("slider", { name }).inputValue();

inBrowser("the player seeks by a range request, with the slider, the buttons and the API", async (page) => {
  await using site = await open(page, { attributes: `start="8:20"` });
  const slider = page.getByRole("slider", { name: "Position" });
  assert.equal(await slider.getAttribute("aria-valuetext"), "8 minutes, 20 seconds of 10 minutes, 0 seconds");
  const ranged = page.waitForResponse((response) => response.status() === 206 && response.url().endsWith("/audio.wav"));
  await press(page, "Play");
  await ranged;
  await waitUntil(page, "player.currentTime > 500.1");
  const starts = site.requests.flatMap((each) => Number(/bytes=(\d+)/.exec(each)?.[1] ?? 0));
  assert.ok(starts.some((start) => start > 3_500_000), site.requests.join());
  await press(page, "Pause");
  await evaluate(page, "player.seek(100)");
  await press(page, "Skip forward 30 seconds");
  assert.equal(await evaluate(page, "player.currentTime"), 130);
  await press(page, "Skip back 15 seconds");
  assert.equal(await value(page, "Position"), "115");
  await evaluate(page, "player.currentTime = 5");
  await press(page, "Skip back 15 seconds");
  assert.equal(await evaluate(page, "player.currentTime"), 0);
  await slider.fill("300");
  assert.equal(await evaluate(page, "player.currentTime"), 300);
});

inBrowser("keys control the player while the focus is in it, and stay the page's elsewhere", async (page) => {
  await using _site = await open(page, { body: `<input id="own" aria-label="Own">`, attributes: `start="100"` });
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  await page.evaluate("window.seen = [], addEventListener('keydown', ({ key }) => seen.push(key))");
  await page.locator("#own").focus();
  await page.keyboard.type("kjl m");
  assert.equal(await page.locator("#own").inputValue(), "kjl m");
  assert.deepEqual(await evaluate(page, "[player.paused, player.currentTime, player.muted]"), [true, 100, false]);
  await page.evaluate("seen.length = 0");
  await page.getByRole("slider", { name: "Position" }).focus();
  for (
    const [key, seconds] of [["l", 130], ["j", 115], ["ArrowRight", 120], ["ArrowLeft", 115], ["Home", 0]] as const
  ) {
    await page.keyboard.press(key);
    assert.equal(await evaluate(page, "player.currentTime"), seconds, key);
  }
  await page.keyboard.press("m");
  assert.equal(await evaluate(page, "player.muted"), true);
  await page.getByRole("button", { name: "Unmute" }).waitFor();
  await page.keyboard.press("Space");
  assert.equal(await evaluate(page, "player.paused"), false);
  await page.keyboard.press("k");
  assert.equal(await evaluate(page, "player.paused"), true);
  await page.keyboard.press("t");
  await page.getByRole("group", { name: "Transcript" }).waitFor();
  assert.deepEqual(await page.evaluate("seen"), ["Home"], "the player's own keys end in it");
  await page.keyboard.press("Control+l");
  assert.equal(await evaluate(page, "player.currentTime < 1"), true, "keys with modifiers are the browser's");
  await page.getByRole("button", { name: "Play", exact: true }).focus();
  await page.keyboard.press("Space");
  assert.equal(await evaluate(page, "player.paused"), false, "Space presses a focused button once");
  await page.keyboard.press("Enter");
  assert.equal(await evaluate(page, "player.paused"), true);
});

inBrowser("the tab key reaches each control of the player in the order of the screen", async (page) => {
  await using _site = await open(page);
  await page.getByRole("button", { name: "Chapters" }).waitFor();
  const names: string[] = [];
  for (let i = 0; i < 13; i++) {
    await page.keyboard.press("Tab");
    const name = "player.shadowRoot.activeElement";
    names.push(await evaluate(page, `${name}?.ariaLabel ?? ${name}?.textContent`));
  }
  assert.deepEqual(names, [
    "Night Trains",
    "The sleeper to Vienna: what it takes to run a train through the night",
    "Position",
    "Playback speed",
    "Skip back 15 seconds",
    "Play",
    "Skip forward 30 seconds",
    "Mute",
    "Volume",
    "Chapters",
    "Transcript",
    "Credits",
    "Subscribe",
  ]);
});

inBrowser("the system's media controls show the episode and control the playback", async (page) => {
  await page.addInitScript(() => {
    const session = (globalThis as unknown as { navigator: { mediaSession: MediaSessionLike } }).navigator.mediaSession;
    interface MediaSessionLike {
      setActionHandler(name: string, handler: unknown): void;
    }
    const handlers: Record<string, unknown> = {};
    session.setActionHandler = (name, handler) => handlers[name] = handler;
    Object.assign(globalThis, { handlers });
  });
  await using _site = await open(page, { attributes: `start="100"` });
  await press(page, "Play");
  await waitUntil(page, "player.currentTime > 100");
  assert.deepEqual(await page.evaluate("[navigator.mediaSession.metadata.artist, Object.keys(handlers)]"), [
    "Night Trains",
    ["play", "pause", "seekbackward", "seekforward", "seekto"],
  ]);
  await page.evaluate("handlers.pause()");
  await page.evaluate("handlers.seekto({ seekTime: 300 })");
  await page.evaluate("handlers.seekforward({})");
  assert.deepEqual(await evaluate(page, "[player.paused, player.currentTime]"), [true, 330]);
  await evaluate(page, "player.remove()");
  assert.deepEqual(await page.evaluate("[navigator.mediaSession.metadata, ...Object.values(handlers)]"), [
    ...[null, null, null, null, null, null],
  ]);
});

inBrowser("the player works in browsers without media controls of the system", async (page) => {
  await page.addInitScript(() => {
    for (const name of ["MediaMetadata", "mediaSession"]) {
      Object.defineProperty(name === "mediaSession" ? Navigator.prototype : globalThis, name, { value: undefined });
    }
  });
  await using _site = await open(page);
  await press(page, "Play");
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  await waitUntil(page, "player.currentTime > 0.1");
});

inBrowser("the player works with a picture whose address is not a URL", async (page) => {
  await using _site = await open(page, { episode: { coverImageUrl: "https://[no-host/1.png" } });
  await press(page, "Play");
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  assert.equal(await page.evaluate("navigator.mediaSession.metadata.artist"), "Night Trains");
});
