// The player on a page of another site: its data, and playback.
import assert from "node:assert/strict";
import { inBrowser } from "./guest_page.ts";
import { startHttpServer } from "../http_server.ts";
import { EPISODE_ID, evaluate, mediaOf, open, press, recordEvents, SCRIPT, SECONDS, waitUntil } from "./player_page.ts";

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
