// What the player says when an episode or its audio is missing or cannot be loaded, and the next attempt.
import assert from "node:assert/strict";
import { inBrowser } from "./guest_page.ts";
import { startHttpServer } from "../http_server.ts";
import { EPISODE_ID, evaluate, open, press, recordEvents, SCRIPT, waitUntil } from "./player_page.ts";

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
