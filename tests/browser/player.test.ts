// The player on a page of another site: playback, keyboard, memory, errors.
import assert from "node:assert/strict";
import { inBrowser, type Page } from "./guest_page.ts";
import { startHttpServer } from "../http_server.ts";
import { EPISODE_ID, evaluate, mediaOf, open, press, SCRIPT, SECONDS, waitUntil } from "./player_page.ts";

/** Records the names and details of events in `window.events`. */
const recordEvents = (page: Page, ...names: string[]) =>
  page.addInitScript((names) => {
    const target = globalThis as unknown as { events: unknown[]; addEventListener: typeof addEventListener };
    target.events = [];
    for (const name of names) {
      target.addEventListener(`castbase-${name}`, (event) => target.events.push([name, (event as CustomEvent).detail]));
    }
  }, names);

const value = (page: Page, name: string) => page.getByRole("slider", { name }).inputValue();

inBrowser("the player plays and pauses an episode of the page's data without a request to /v1", async (page) => {
  await recordEvents(page, "ready", "play", "pause");
  await using site = await open(page);
  await page.getByRole("region", { name: /^Podcast player: The sleeper to Vienna/ }).waitFor();
  assert.deepEqual(site.requests.filter((each) => each !== `/chapters/${EPISODE_ID}.json`), [], "audio waits for play");
  await press(page, "Play");
  await waitUntil(page, "player.currentTime > 0.2");
  await press(page, "Pause");
  assert.equal(await evaluate(page, "player.paused"), true);
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  const events = await page.evaluate("events") as [string, Record<string, unknown>][];
  assert.deepEqual(events.map(([name]) => name), ["ready", "play", "pause"]);
  for (const [, detail] of events) {
    assert.deepEqual(Object.keys(detail), ["episodeId", "currentTime", "duration", "playbackRate", "volume", "muted"]);
    assert.deepEqual([detail.episodeId, detail.duration], [EPISODE_ID, SECONDS]);
  }
  assert.ok(!site.requests.some((path) => path.includes("/v1/")), site.requests.join());
});

inBrowser("the player reads an episode, and a podcast's latest one, from its API", async (page) => {
  await using site = await open(page, { media: null, attributes: `episode="${EPISODE_ID}"` });
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  const { podcast, episode } = mediaOf(site.url);
  assert.deepEqual(await evaluate(page, "player.data"), { podcast, episode });
  assert.deepEqual(site.requests.filter((each) => each.startsWith("/v1")), [
    `/v1/episodes/${EPISODE_ID}`,
    "/v1/podcasts/night-trains",
  ]);
  site.requests.length = 0;
  await evaluate(page, `player.removeAttribute("episode"), player.setAttribute("podcast", "night-trains")`);
  await waitUntil(page, "player.data");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  assert.ok(site.requests.includes("/v1/podcasts/night-trains/episodes/latest"));
});

inBrowser("play() waits for the episode that a page has just chosen, and rejects if there is none", async (page) => {
  await using site = await open(page, { media: null });
  const choose = (id: string) => evaluate(page, `(player.setAttribute("episode", "${id}"), player.play())`);
  await choose(EPISODE_ID);
  await waitUntil(page, "!player.paused && player.currentTime > 0.1");
  await assert.rejects(choose("nope"), /No episode/);
  site.failures.set("/v1", 503);
  await assert.rejects(choose(EPISODE_ID), /No episode/);
});

inBrowser("the player does not show a duration that is unknown until the audio is loaded", async (page) => {
  await using _site = await open(page, { episode: { durationSeconds: null } });
  const slider = page.getByRole("slider", { name: "Position" });
  const duration = "player.shadowRoot.querySelector('.duration').textContent";
  assert.equal(await slider.getAttribute("aria-valuetext"), "0 seconds");
  assert.equal(await evaluate(page, duration), "");
  await press(page, "Play");
  await waitUntil(page, `${duration} === "10:00"`);
});

inBrowser("the player of the demo podcast plays its latest episode from the stack", async (page) => {
  await using _site = await open(page, { isOfStack: true, media: null, attributes: `podcast="demo" latest` });
  await page.getByText("Hello, listener").waitFor();
  await waitUntil(page, "player.shadowRoot.querySelector('.artwork img')?.naturalWidth > 0");
  await press(page, "Play");
  await waitUntil(page, "player.currentTime > 0.2");
  assert.equal(await evaluate(page, "Math.floor(player.duration)"), 9);
});

inBrowser("the player knows its API when a module imports its script", async (page) => {
  await using server = startHttpServer(() =>
    new Response(
      `<!doctype html><title>Importing page</title><link rel="icon" href="data:,">
      <castbase-player podcast="demo" latest></castbase-player><script type="module">import("${SCRIPT}")</script>`,
      { headers: { "content-type": "text/html" } },
    )
  );
  await page.goto(server.url);
  await page.getByText("Hello, listener").waitFor();
  await press(page, "Share");
  await page.getByRole("textbox", { name: "Link" }).waitFor();
});

inBrowser("a copy of the script that does not know its API says what to set", async (page) => {
  const copy = await (await fetch(SCRIPT)).text(), warnings: string[] = [];
  page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
  await using server = startHttpServer((request) => {
    const isScript = request.url.endsWith("/copy.js");
    if (!isScript && new URL(request.url).pathname !== "/") return new Response(null, { status: 404 });
    const text = `<!doctype html><title>Copy</title><link rel="icon" href="data:,"><script src="/copy.js"></script>
      <castbase-player episode="${EPISODE_ID}"></castbase-player>`;
    return new Response(isScript ? copy : text, {
      headers: { "content-type": isScript ? "text/javascript" : "text/html" },
    });
  });
  await page.goto(server.url);
  await page.getByRole("alert").waitFor();
  assert.deepEqual(warnings, ["<castbase-player> does not know its server: set api-url"]);
});

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

inBrowser("one player plays at a time, on a page and in the frames of its origin", async (page) => {
  const second = `<castbase-player id="second"></castbase-player>`;
  await using site = await open(page, { body: second });
  await page.evaluate(`second.data = ${JSON.stringify(mediaOf(site.url, { episode: { id: "other" } }))}`);
  await evaluate(page, "player.play()");
  await page.evaluate("second.play()");
  await waitUntil(page, "player.paused && !second.paused");
  await page.evaluate("document.body.append(Object.assign(document.createElement('iframe'), { src: '/' }))");
  const frame = page.frameLocator("iframe");
  await frame.getByRole("button", { name: "Play", exact: true }).click();
  await waitUntil(page, "second.paused");
  await evaluate(page, "player.play()");
  await frame.getByRole("button", { name: "Play", exact: true }).waitFor();
});

inBrowser("the player remembers positions of 50 episodes, speed and volume", async (page) => {
  await using _site = await open(page);
  await press(page, "Play");
  await waitUntil(page, "player.currentTime > 0");
  await evaluate(page, "player.seek(250)");
  await waitUntil(page, "player.currentTime > 250.1");
  await press(page, "Pause");
  const first = await evaluate<number>(page, "Math.floor(player.currentTime)");
  await page.getByRole("combobox", { name: "Playback speed" }).selectOption("1.5×");
  await page.getByRole("slider", { name: "Volume" }).fill("50");
  await page.reload();
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  assert.deepEqual(await evaluate(page, "[player.currentTime, player.playbackRate, player.volume]"), [first, 1.5, 0.5]);
  await press(page, "Play");
  await waitUntil(page, `player.currentTime > ${first}.1`);
  assert.equal(await evaluate(page, "player.playbackRate"), 1.5, "after the audio is loaded");

  const others = Array.from({ length: 60 }, (_, i) => [`episode-${i}`, 99]);
  await page.evaluate(`localStorage.setItem("castbase-player", '${JSON.stringify({ positions: others })}')`);
  await press(page, "Pause");
  const second = await evaluate<number>(page, "Math.floor(player.currentTime)");
  await waitUntil(page, `!localStorage.getItem("castbase-player").includes('"episode-0"')`);
  const { positions } = await page.evaluate(`JSON.parse(localStorage.getItem("castbase-player"))`) as {
    positions: [string, number][];
  };
  assert.deepEqual([positions.length, positions[0][0], positions.at(-1)], [50, "episode-11", [EPISODE_ID, second]]);

  await page.addInitScript(() => {
    localStorage.setItem("castbase-player", '{"positions":[["x"],["y","z"]],"speed":"fast","volume":7}');
  });
  await page.reload();
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  assert.deepEqual(await evaluate(page, "[player.currentTime, player.playbackRate, player.volume]"), [0, 1, 1]);
});

inBrowser("the player forgets the position of an episode that ended", async (page) => {
  await recordEvents(page, "ended");
  await using _site = await open(page, { attributes: `start="9:59"` });
  await press(page, "Play");
  await waitUntil(page, "events.length");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  assert.deepEqual(await page.evaluate(`JSON.parse(localStorage.getItem("castbase-player")).positions`), []);
});

inBrowser("the player works where the browser forbids storage", async (page) => {
  await page.addInitScript(() => {
    for (const name of ["localStorage", "BroadcastChannel"]) {
      Object.defineProperty(globalThis, name, {
        get() {
          throw new DOMException("Forbidden", "SecurityError");
        },
      });
    }
  });
  await using _site = await open(page);
  await press(page, "Play");
  await waitUntil(page, "player.currentTime > 0.2");
  await page.getByRole("combobox", { name: "Playback speed" }).selectOption("2×");
  await press(page, "Pause");
  assert.equal(await evaluate(page, "player.playbackRate"), 2);
});

inBrowser("the player says that an episode is not available, and tries again after an outage", async (page) => {
  await recordEvents(page, "error");
  await using site = await open(page, { media: null, attributes: `episode="nope"` });
  await page.getByRole("alert").getByText("This episode is not available.").waitFor();
  site.failures.set(`/v1/episodes/${EPISODE_ID}`, 503);
  await evaluate(page, `player.setAttribute("episode", "${EPISODE_ID}")`);
  await page.getByRole("alert").getByText("This could not be loaded.").waitFor();
  site.failures.clear();
  await press(page, "Try again");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  await waitUntil(page, "player.shadowRoot.activeElement");
  const reasons = `events.map(([, { reason, message }]) => [reason, message])`;
  assert.deepEqual(await page.evaluate(reasons), [
    ["not-found", "This episode is not available."],
    ["network", "This could not be loaded."],
  ]);
});

inBrowser("the player offers another attempt when the audio cannot be loaded, at the same position", async (page) => {
  await recordEvents(page, "error");
  await using site = await open(page, { attributes: `start="100"` });
  await evaluate(page, "player.playbackRate = 1.25");
  site.failures.set("/audio.wav", 404);
  await press(page, "Play");
  await page.getByRole("alert").getByText("The audio could not be loaded.").waitFor();
  assert.equal(await evaluate(page, "player.paused"), true);
  assert.equal(await page.evaluate("events[0][1].reason"), "audio");
  site.failures.clear();
  await press(page, "Try again");
  await waitUntil(page, "player.currentTime > 100.1");
  assert.equal(await evaluate(page, "player.playbackRate"), 1.25);
  assert.equal(await page.getByRole("alert").count(), 0);
  await page.getByRole("button", { name: "Pause", exact: true }).and(page.locator(":focus")).waitFor();
});

inBrowser("the player keeps the position when the connection is lost during playback", async (page) => {
  await using site = await open(page, { attributes: `start="500"` });
  for (const digit of [3, 4]) site.failures.set(`/audio.wav bytes=${digit}`, 404); // the bytes of that position
  await press(page, "Play");
  await page.getByRole("alert").waitFor();
  site.failures.clear();
  await press(page, "Try again");
  await waitUntil(page, "player.currentTime > 500.1");
});

inBrowser("the player offers another attempt when the audio does not arrive for 20 seconds", async (page) => {
  let attempts = 0;
  await page.route("**/audio.wav", (route) => ++attempts > 1 ? route.continue() : undefined); // no response to the first
  await page.clock.install();
  await using _site = await open(page);
  await press(page, "Play");
  assert.equal(
    await page.getByRole("button", { name: "Pause", exact: true }).getAttribute("aria-busy"),
    "true",
  );
  await page.clock.fastForward(21_000);
  await page.getByRole("alert").getByText("The audio could not be loaded.").waitFor();
  await press(page, "Try again");
  await waitUntil(page, "player.currentTime > 0.1");
});

inBrowser("the player of an episode without audio says so and disables its controls", async (page) => {
  await using _site = await open(page, { episode: { audioUrl: null } });
  await page.getByText("This episode has no audio.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Play", exact: true }).isDisabled(), true);
  assert.equal(await evaluate(page, "player.play().catch(({ message }) => message)"), "This episode has no audio.");
});

inBrowser("an element without an episode and a podcast makes no request", async (page) => {
  await using site = await open(page, { media: null });
  await page.getByRole("alert").getByText("This episode is not available.").waitFor();
  assert.deepEqual(site.requests, []);
  await evaluate(page, `player.data = ${JSON.stringify(mediaOf(site.url))}`);
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
});

inBrowser("a page's #t= is the start of its first player, and a click on another seeks there", async (page) => {
  const body = `<a href="#t=3:20">At 3:20</a><castbase-player id="second"></castbase-player>`;
  await using site = await open(page, { hash: "#t=90", body });
  await page.evaluate(`second.data = ${JSON.stringify(mediaOf(site.url, { episode: { id: "other" } }))}`);
  assert.deepEqual(await evaluate(page, "[player.currentTime, second.currentTime, player.paused]"), [90, 0, true]);
  await page.getByRole("link", { name: "At 3:20" }).click();
  await waitUntil(page, "player.currentTime > 200 && !player.paused");
  await evaluate(page, `player.data = ${JSON.stringify(mediaOf(site.url, { episode: { id: "next" } }))}`);
  assert.equal(await evaluate(page, "player.currentTime"), 0, "another episode starts at its beginning");
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
