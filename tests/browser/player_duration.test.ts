// The measured duration decides if the browser estimates another, and seeking finds the position in a file whose length the browser can only estimate.
import assert from "node:assert/strict";
import { inBrowser } from "./guest_page.ts";
import { evaluate, open, play, waitUntil } from "./player_page.ts";
import { vbrAudio } from "./vbr_audio.ts";

const audio = `player.shadowRoot.querySelector("audio")`;

inBrowser(
  "the player of a file without a table of positions shows, seeks and ends by its measured duration",
  async (page) => {
    const chapters = [0, 20, 45].map((startTime, i) => ({ startTime, title: `Part ${i}` }));
    await page.route("**/chapters/*.json", (route) => route.fulfill({ json: { version: "1.2.0", chapters } }));
    await page.addInitScript(() => {
      const target = globalThis as unknown as { durations: Set<number> };
      const { mediaSession } = navigator as unknown as { mediaSession: { setPositionState(state: object): void } };
      target.durations = new Set();
      mediaSession.setPositionState = ({ duration }: { duration: number }) => target.durations.add(duration);
    });
    const mp3 = vbrAudio(60);
    await using site = await open(page, {
      mp3,
      episode: { durationSeconds: 60, audioUrl: "/audio.mp3" },
      attributes: "start=45",
    });
    await evaluate(
      page,
      `(player.data = { ...player.data, episode: { ...player.data.episode, audioUrl: "${site.url}/audio.mp3" } })`,
    );
    await evaluate(
      page,
      `void (window.ended = new Promise((resolve) => player.addEventListener("castbase-ended", ({ detail }) => resolve(detail))))`,
    );
    await evaluate(page, "player.play()");
    await waitUntil(page, "player.currentTime > 45");
    const estimate = await evaluate<number>(page, `${audio}.duration`);
    assert.ok(estimate > 80, `the browser estimates ${estimate} seconds`);
    assert.equal(await evaluate(page, "player.duration"), 60);
    const slider = page.getByRole("slider", { name: "Position" });
    assert.equal(await slider.getAttribute("max"), "60");
    assert.equal(await evaluate(page, `player.shadowRoot.querySelector(".duration").textContent`), "1:00");
    const marks =
      `[...player.shadowRoot.querySelectorAll(".chapter-marks i")].map((each) => Math.round(parseFloat(each.style.left)))`;
    assert.deepEqual(await evaluate(page, marks), [33, 75]);
    await evaluate(page, "player.seek(57)");
    const [position, from] = await evaluate<number[]>(page, `[player.currentTime, ${audio}.currentTime]`);
    assert.equal(Math.floor(position), 57);
    const { currentTime, duration } = await page.evaluate<{ currentTime: number; duration: number }>("ended");
    assert.deepEqual([currentTime, duration], [60, 60], "the last three seconds were played");
    assert.deepEqual(await page.evaluate("[...durations]"), [60], "of the system's controls");
    assert.ok(Math.abs(from - position - 57 * (estimate / 60 - 1)) < 0.1, "in the browser's own seconds");
    assert.equal(await page.evaluate(`JSON.parse(localStorage.getItem("castbase-player")).positions.length`), 0);
    await evaluate(page, "player.play()");
    await waitUntil(page, "!player.paused && player.currentTime < 5");
    assert.ok(await evaluate<number>(page, "player.currentTime") < 5, "it plays from the beginning");
  },
);

inBrowser("an episode plays to its end if its measured duration is too short, or too long", async (page) => {
  for (const [durationSeconds, start] of [[500, 495], [700, 697]]) { // of 600 seconds
    await using _site = await open(page, { episode: { durationSeconds }, attributes: `start="${start}"` });
    await evaluate(page, "player.playbackRate = 3");
    await play(page).click();
    await waitUntil(page, `${audio}.ended`);
    const [position, duration] = await evaluate<number[]>(page, "[player.currentTime, player.duration]");
    assert.equal(position, duration);
    assert.ok(position >= durationSeconds, `${position}`);
    await page.evaluate("localStorage.clear()");
  }
});

inBrowser("the audio's own length decides if the measured duration differs by five percent or less", async (page) => {
  for (const [durationSeconds, duration, to] of [[580, 600, 300], [620, 600, 300], [560, 560, 321.4]]) { // of 600 seconds
    await using _site = await open(page, { episode: { durationSeconds } });
    assert.equal(await evaluate(page, "player.duration"), durationSeconds, "before it is known");
    await play(page).click();
    await waitUntil(page, "player.currentTime > 0.1");
    await evaluate(page, "player.pause()");
    await evaluate(page, "player.seek(300)");
    const found = await evaluate<number[]>(page, `[player.duration, player.currentTime, ${audio}.currentTime]`);
    assert.deepEqual(found.map((each) => Math.round(each * 10) / 10), [duration, 300, to]);
    assert.equal(
      await page.getByRole("slider", { name: "Position" }).getAttribute("max"),
      String(duration),
    );
    await page.evaluate("localStorage.clear()");
  }
});

inBrowser("a position chosen before the audio is loaded is exact once its length is known", async (page) => {
  for (const [durationSeconds, asked, shown, found] of [[590, 596, 590, 596], [620, 610, 610, 600]]) { // of 600 seconds
    await using _site = await open(page, { episode: { durationSeconds } });
    await evaluate(page, `player.seek(${asked})`);
    assert.equal(await evaluate(page, "player.currentTime"), shown, "within the duration that is known");
    await evaluate(page, `${audio}.preload = "metadata"`);
    await waitUntil(page, `${audio}.readyState > 0`);
    assert.equal(await evaluate(page, "player.currentTime"), found);
    assert.equal(await page.getByRole("slider", { name: "Position" }).inputValue(), String(found));
    await page.evaluate("localStorage.clear()");
  }
});
