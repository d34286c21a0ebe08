// The panels of the player that follow the playback: chapters and transcripts.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { put as putAudio } from "../http/api/audio.ts";
import { uploaded } from "../http/api/transcripts.ts";
import { callRpc, episode, person, podcast } from "../http/harness.ts";
import { inBrowser, type Page } from "./guest_page.ts";
import { evaluate, mediaOf, open, play, press, SEGMENTS, waitUntil } from "./player_page.ts";

const current = (page: Page, panel: string) =>
  page.getByRole("group", { name: panel }).locator("button[aria-current=true]").first();

inBrowser("the chapters panel lists chapters, marks the current one and seeks", async (page) => {
  await using _site = await open(page);
  await press(page, "Chapters");
  const panel = page.getByRole("group", { name: "Chapters" });
  await panel.getByRole("button", { name: "Borders" }).waitFor();
  assert.deepEqual(await panel.getByRole("listitem").allTextContents(), [
    "0:00Intro",
    "1:00Sleeping cars",
    "5:00Borders",
  ]);
  assert.deepEqual(
    await panel.getByRole("link").evaluateAll((links) => links.map((each) => each.getAttribute("href"))),
    [
      "https://x.example/cars",
    ],
    "only links of the web are links",
  );
  assert.equal(await current(page, "Chapters").textContent(), "0:00Intro");
  await panel.getByRole("button", { name: "Borders" }).click();
  await waitUntil(page, "player.currentTime > 300 && !player.paused");
  assert.equal(await current(page, "Chapters").textContent(), "5:00Borders");
  await press(page, "Pause");
  await evaluate(page, "player.seek(61)");
  assert.equal(await current(page, "Chapters").textContent(), "1:00Sleeping cars");
  const part = "player.shadowRoot.querySelector('[part=current-chapter]').textContent";
  assert.equal(await evaluate(page, part), "Sleeping cars");
  await press(page, "Chapters");
  assert.equal(await panel.count(), 0, "a second click closes the panel");
});

inBrowser("a chapter's own picture replaces the cover while it plays, where there is room for one", async (page) => {
  const chapters = [{ startTime: 0, title: "Intro" }, {
    startTime: 60,
    title: "Map",
    img: "https://pictures.example/map.png",
  }];
  chapters.push({ startTime: 120, title: "Bad", img: "javascript:alert(1)" });
  await page.route("**/chapters/*.json", (route) => route.fulfill({ json: { version: "1.2.0", chapters } }));
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNiAAAABgADNjd8qAAAAABJRU5ErkJggg==";
  let requests = 0;
  await page.route("https://pictures.example/**", (route) => {
    requests++;
    return route.fulfill({ contentType: "image/png", body: Buffer.from(pixel, "base64") });
  });
  const shown = "player.shadowRoot.querySelector('.artwork img')?.src";
  await using site = await open(page);
  await waitUntil(page, "player.shadowRoot.querySelectorAll('.chapter-marks i').length === 2");
  await evaluate(page, "player.seek(70)");
  await waitUntil(page, `${shown} === "https://pictures.example/map.png"`);
  await evaluate(page, "player.seek(130)");
  await waitUntil(page, `${shown} === undefined`);

  const media = { ...mediaOf(site.url, { episode: { id: "other" } }), imageOrigins: [site.url] };
  media.episode.chapters.url = `${site.url}/chapters/other.json`;
  for (const [height, data] of [["80px", mediaOf(site.url)], ["", media]] as const) {
    requests = 0;
    await evaluate(page, `(player.style.height = "${height}", player.data = ${JSON.stringify(data)})`);
    await waitUntil(page, "player.shadowRoot.querySelectorAll('.chapter-marks i').length === 2");
    await waitUntil(page, `player.shadowRoot.querySelector('.artwork').offsetWidth ${height ? "=== 0" : "> 0"}`);
    await evaluate(page, "player.seek(70)");
    await waitUntil(page, "player.shadowRoot.querySelector('.current-chapter').textContent === 'Map'");
    assert.equal(requests, 0, height ? "a bar has no picture" : "a page of ours asks no other host");
  }
}, { viewport: { width: 390, height: 844 } });

inBrowser("the player without chapters of its API has no chapters panel and reads no other host", async (page) => {
  await using site = await open(page, { episode: { chapters: { url: "https://elsewhere.example/c.json" } } });
  await play(page).waitFor();
  assert.equal(await page.getByRole("button", { name: "Chapters" }).count(), 0);
  assert.deepEqual(site.requests, []);
});

inBrowser("the transcript follows the playback until the reader scrolls, and its lines seek", async (page) => {
  await page.emulateMedia({ reducedMotion: "reduce" }); // scrolls at once
  await using _site = await open(page);
  await press(page, "Transcript");
  const panel = page.getByRole("group", { name: "Transcript" });
  await panel.getByRole("button", { name: "This is line 0." }).waitFor();
  await evaluate(page, "player.seek(301)");
  assert.equal(await current(page, "Transcript").textContent(), "5:00MaraThis is line 50.");
  const scrollTop = `player.shadowRoot.querySelector("#transcript").scrollTop`;
  const isVisible = `(() => {
    const panel = player.shadowRoot.querySelector("#transcript"), line = panel.querySelector("[aria-current]");
    const top = line.offsetTop - panel.scrollTop;
    return top >= 0 && top < panel.clientHeight;
  })()`;
  assert.equal(await evaluate(page, isVisible), true);
  assert.equal(await page.evaluate("scrollY"), 0, "the page itself does not scroll");
  await panel.hover();
  await page.mouse.wheel(0, -5000);
  await waitUntil(page, `${scrollTop} === 0`);
  await evaluate(page, "player.seek(401)");
  assert.equal(await evaluate(page, scrollTop), 0);
  await press(page, "Follow playback");
  assert.equal(await evaluate(page, isVisible), true);
  assert.equal(await panel.getByRole("button", { name: "Follow playback" }).count(), 0);

  assert.equal(await panel.locator("ol button:not([tabindex='-1'])").count(), 1, "one line is in the tab order");
  await current(page, "Transcript").focus();
  await page.keyboard.press("ArrowDown");
  await panel.getByRole("button", { name: "This is line 67." }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await waitUntil(page, "player.currentTime >= 402 && !player.paused");
});

inBrowser(
  "the transcript in another language follows the playback alone, and its choice keeps the focus",
  async (page) => {
    await using site = await open(page, { media: null, attributes: `start="304"` });
    const [file] = mediaOf(site.url).episode.transcripts;
    const media = mediaOf(site.url, { episode: { transcripts: [file, { ...file, id: "t2", language: "de" }] } });
    const segments = SEGMENTS.map((each) => ({ ...each, startTime: each.startTime + 3, body: `Zeile ${each.body}` }));
    await page.route("**/transcripts/t2.json", (route) => route.fulfill({ json: { segments } }));
    await evaluate(page, `player.data = ${JSON.stringify(media)}`);
    await press(page, "Transcript");
    await page.getByRole("button", { name: "This is line 50." }).waitFor();
    const choice = page.getByRole("combobox", { name: "Transcript" });
    await choice.focus();
    await choice.selectOption("German");
    await current(page, "Transcript").getByText("Zeile This is line 50.").waitFor();
    await choice.and(page.locator(":focus")).waitFor();
    const scrolls = await evaluate<number[]>(
      page,
      `(() => {
    const panel = player.shadowRoot.querySelector("#transcript"), tops = [];
    Object.defineProperty(panel, "scrollTop", { set: (top) => tops.push(top) });
    player.seek(307); // only lines of the first one begin between the positions
    return tops;
  })()`,
    );
    assert.deepEqual(scrolls, []);
  },
);

inBrowser("the player shows chapters and transcript of an episode of the stack", async (page) => {
  const show = await podcast("Read aloud"), pilot = await episode(show);
  await putAudio(show, pilot, { query: { duration: "90" } });
  await callRpc(await person("owner"), "publish_episode", { episode_id: pilot.id });
  await uploaded(show, pilot, { query: { language: "en" } });
  await uploaded(show, pilot, { query: { language: "de" }, type: "application/json" });
  const body = JSON.stringify({ version: "1.2.0", chapters: [{ startTime: 1.5, title: "One" }] });
  await uploaded(show, pilot, { type: "application/json+chapters", body });
  await using _site = await open(page, { isOfStack: true, media: null, attributes: `episode="${pilot.id}"` });
  await press(page, "Chapters");
  await page.getByRole("button", { name: "0:01 One" }).waitFor();
  await press(page, "Transcript");
  await page.getByRole("button", { name: "Ana Hello ü" }).waitFor();
  await page.getByRole("combobox", { name: "Transcript" }).selectOption("German");
  await page.getByRole("button", { name: "Hello", exact: false }).and(page.locator("[part~=line]")).waitFor();
  assert.equal(await page.getByText("Ana").count(), 0);
});

inBrowser("the player links to the text of an HTML transcript", async (page) => {
  const show = await podcast("Read as text"), pilot = await episode(show);
  await putAudio(show, pilot);
  await callRpc(await person("owner"), "publish_episode", { episode_id: pilot.id });
  const { transcriptId } = await uploaded(show, pilot, { query: { language: "en" }, type: "text/html" });
  await using _site = await open(page, { isOfStack: true, media: null, attributes: `episode="${pilot.id}"` });
  await press(page, "Transcript");
  const url = (await page.getByRole("link", { name: "Transcript: English" }).getAttribute("href"))!;
  assert.equal(new URL(url).pathname.split("/").pop(), `${transcriptId}.txt`);
  const response = await fetch(url);
  assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(await response.text(), "Ana:0:00\n\nHello\n");
});

inBrowser("a speaker's name has its own direction, at the side where the words of the line begin", async (page) => {
  const segments = [{ startTime: 0, endTime: 6, speaker: "Mara", body: "رحلة طويلة عبر الصحراء" }];
  await page.route("**/transcripts/t1.json", (route) => route.fulfill({ json: { segments } }));
  await using _site = await open(page);
  await press(page, "Transcript");
  await page.getByRole("group", { name: "Transcript" }).getByText("Mara").waitFor();
  const found = `(() => {
    const name = player.shadowRoot.querySelector(".line b"), { parentElement: line } = name, range = new Range();
    range.selectNodeContents(name);
    const gap = line.getBoundingClientRect().right - range.getBoundingClientRect().right;
    return [getComputedStyle(line).direction, getComputedStyle(name).direction, Math.round(gap)];
  })()`;
  assert.deepEqual(await evaluate(page, found), ["rtl", "ltr", 0]);
});

inBrowser("the transcript panel tries again after an outage, and links files without times", async (page) => {
  await using site = await open(page);
  site.failures.set("/transcripts/t1.json", 503);
  await press(page, "Transcript");
  await page.getByRole("alert").getByText("This could not be loaded.").waitFor();
  site.failures.clear();
  await press(page, "Try again");
  await page.getByRole("button", { name: "This is line 0." }).waitFor();
  const external = { id: "t2", language: "fr", url: "https://elsewhere.example/t.html", formats: [] };
  const media = mediaOf(site.url, { episode: { id: "other", transcripts: [external] } });
  await evaluate(page, `player.data = ${JSON.stringify(media)}`);
  await press(page, "Transcript");
  const link = page.getByRole("link", { name: "Transcript: French" });
  assert.equal(await link.getAttribute("href"), external.url);
});

inBrowser(
  "the next panel opens and has the focus when chapters that a listener waits for do not come",
  async (page) => {
    const { promise: isOpen, resolve: end } = Promise.withResolvers<void>();
    await page.route("**/chapters/*", (route) => isOpen.then(() => route.fulfill({ status: 404 })));
    await using _site = await open(page, { style: "castbase-player { height: 180px }" });
    await press(page, "More");
    await page.getByRole("button", { name: "Chapters" }).and(page.locator(":focus")).waitFor();
    end();
    await page.getByRole("button", { name: "Transcript" }).and(page.locator(":focus")).waitFor();
    await page.getByRole("button", { name: "This is line 0." }).waitFor();
  },
);
