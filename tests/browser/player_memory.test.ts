// What the player remembers in the browser.
import assert from "node:assert/strict";
import { inBrowser } from "./guest_page.ts";
import { EPISODE_ID, evaluate, open, press, recordEvents, waitUntil } from "./player_page.ts";

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
