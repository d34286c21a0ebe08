// <castbase-player podcast="…">: the list of a podcast's episodes.
import assert from "node:assert/strict";
import { assertAccessible, inBrowser, type Page } from "./guest_page.ts";
import { EPISODE_COUNT, evaluate, open, play, press, waitUntil } from "./player_page.ts";

const SHOW = { media: null, attributes: `podcast="night-trains"` } as const;
const LISTED = "/v1/podcasts/night-trains/episodes";

const list = (page: Page) => page.getByRole("group", { name: "Episodes" });
const items = (page: Page) => list(page).getByRole("listitem");
const item = (page: Page, name: string) => list(page).getByRole("button", { name });
const current = (page: Page) => list(page).locator("[aria-current=true] span").allTextContents();

inBrowser(
  "a podcast's player shows the latest episode, and below it the list with dates and durations",
  async (page) => {
    await using site = await open(page, SHOW);
    await page.getByRole("region", { name: /^Podcast player: The sleeper to Vienna/ }).waitFor();
    await item(page, "Episode 31").waitFor();
    assert.equal(await items(page).count(), 25);
    assert.equal(await items(page).nth(1).textContent(), "Episode 54Jun 29, 2026 · 10:00");
    assert.match((await current(page)).join(), /^The sleeper to Vienna/);
    assert.equal(site.requests.filter((each) => each === LISTED).length, 1);
    assert.equal(site.requests.some((each) => each.startsWith("/audio")), false);
    await assertAccessible(page);
  },
);

inBrowser("a chosen episode plays, is marked, and keeps its place in the list and the focus", async (page) => {
  await using site = await open(page, SHOW);
  await item(page, "Episode 35").click();
  await waitUntil(page, "!player.paused && player.currentTime > 0.1");
  assert.deepEqual(await evaluate(page, "[player.data.episode.id, player.data.podcast.slug]"), [
    "episode-20",
    "night-trains",
  ]);
  await page.getByRole("region", { name: "Podcast player: Episode 35" }).waitFor();
  assert.deepEqual(await current(page), ["Episode 35"]);
  assert.equal(await item(page, "Episode 35").and(page.locator(":focus")).count(), 1);
  const panel = "player.shadowRoot.querySelector('#episodes')";
  assert.ok(await evaluate<number>(page, `${panel}.scrollTop`) > 0, "the list stays where it was");
  assert.equal(site.requests.filter((each) => each === LISTED).length, 1, "the list is not loaded again");

  await press(page, "Pause");
  await evaluate(page, "player.seek(100)");
  await item(page, "Episode 35").click();
  await waitUntil(page, "!player.paused && player.currentTime >= 100");
  await page.keyboard.press("k");
  assert.equal(await evaluate(page, "player.paused"), true, "the player's keys work in the list");
});

inBrowser("older episodes join the list while the audio plays on, and a failure can be repeated", async (page) => {
  await using site = await open(page, SHOW);
  await press(page, "Play");
  await waitUntil(page, "player.currentTime > 0.1");
  await press(page, "More episodes");
  await item(page, "Episode 30").and(page.locator(":focus")).waitFor();
  assert.equal(await items(page).count(), 50);
  site.failures.set(LISTED, 503);
  await press(page, "More episodes");
  await page.getByRole("alert").getByText("This could not be loaded.").waitFor();
  assert.equal(await items(page).count(), 50);
  site.failures.clear();
  await press(page, "Try again");
  await item(page, "Episode 1").last().waitFor();
  assert.equal(await items(page).count(), EPISODE_COUNT);
  assert.equal(await page.getByRole("button", { name: "More episodes" }).count(), 0);
  assert.equal(await evaluate(page, "player.paused"), false);
});

inBrowser("arrow keys move in the list of episodes, of which one is in the tab order", async (page) => {
  await using _site = await open(page, SHOW);
  await item(page, "Episode 54").waitFor();
  assert.equal(await list(page).locator("ol button:not([tabindex='-1'])").count(), 1);
  await item(page, "The sleeper").focus();
  for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  await item(page, "Episode 53").and(page.locator(":focus")).waitFor();
  await page.keyboard.press("End");
  await item(page, "Episode 31").and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await waitUntil(page, "!player.paused && player.data.episode.id === 'episode-24'");
});

inBrowser("the next episode does not begin by itself when one has ended", async (page) => {
  await using _site = await open(page, { ...SHOW, attributes: `podcast="night-trains" start="9:59"` });
  await press(page, "Play");
  await play(page).waitFor();
  await waitUntil(page, "player.currentTime >= 599");
  assert.equal(await evaluate(page, "player.paused"), true);
  assert.match((await current(page)).join(), /^The sleeper/);
});

inBrowser(
  "a player without room for the list loads it when it is opened, and then focuses the play button",
  async (page) => {
    await using site = await open(page, { ...SHOW, style: "castbase-player { height: 180px }" });
    await play(page).waitFor();
    assert.equal(site.requests.includes(LISTED), false);
    await press(page, "More");
    await page.getByRole("button", { name: "Episodes", exact: true }).and(page.locator(":focus")).waitFor();
    await item(page, "Episode 50").click();
    await waitUntil(page, "!player.paused && player.data.episode.id === 'episode-5'");
    await page.getByRole("button", { name: "Pause", exact: true }).and(page.locator(":focus")).waitFor();
  },
);

inBrowser("a player with latest or an episode has no list", async (page) => {
  for (
    const attributes of [
      `podcast="night-trains" latest`,
      `podcast="night-trains" episode="7d9a1c1e-0000-4000-8000-000000000001"`,
    ]
  ) {
    await using site = await open(page, { media: null, attributes });
    await play(page).waitFor();
    await page.getByRole("button", { name: "Chapters" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Episodes" }).count(), 0);
    assert.equal(site.requests.includes(LISTED), false);
  }
});
