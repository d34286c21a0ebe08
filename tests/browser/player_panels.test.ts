// The panels of the player: chapters, transcripts, credits, subscribe and share.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import panels from "../../functions/built/panels.json" with { type: "json" };
import { put as putAudio } from "../http/api/audio.ts";
import { uploaded } from "../http/api/transcripts.ts";
import { callRpc, episode, person, podcast } from "../http/harness.ts";
import { inBrowser, type Page } from "./guest_page.ts";
import { evaluate, mediaOf, open, play, press, SCRIPT, SEGMENTS, waitUntil } from "./player_page.ts";

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

inBrowser("credits and subscribe links use only URLs of the web, the feed's and the apps' schemes", async (page) => {
  await using _site = await open(page);
  await press(page, "Credits");
  const credits = page.getByRole("group", { name: "Credits" });
  await credits.getByRole("link").waitFor();
  assert.deepEqual(await credits.getByRole("listitem").allTextContents(), [
    "MWMara WinterHost",
    "IVIlse van der BergGuest",
  ]);
  const hrefs = (name: string) =>
    page.getByRole("group", { name }).getByRole("link").evaluateAll((links) =>
      links.map((each) => [each.textContent, each.getAttribute("href")])
    );
  assert.deepEqual(await hrefs("Credits"), [["Mara Winter", "https://x.example/mara"]]);
  await press(page, "Subscribe");
  const feed = "x.example/feeds/night-trains.xml";
  assert.deepEqual(await hrefs("Subscribe"), [
    ["RSS feed", `https://${feed}`],
    ["AntennaPod", `antennapod-subscribe://${feed}`],
    ["Apple Podcasts", `podcast://${feed}`],
    ["Overcast", `overcast://x-callback-url/add?url=${encodeURIComponent(`https://${feed}`)}`],
    ["Pocket Casts", `pktc://subscribe/${feed}`],
    ["Castro", `castro://subscribe/${feed}`],
    ["Podcast Addict", `podcastaddict://${feed}`],
    ["Become a member", "https://x.example/support"],
  ]);
});

inBrowser("pages of directories replace the links of their apps, and only URLs of the web are links", async (page) => {
  const directoryLinks = [
    { directory: "spotify", url: "https://open.spotify.example/show/1" },
    { directory: "overcast", url: "https://overcast.example/night-trains" },
    { directory: "youtube", url: "javascript:alert(1)" },
  ];
  await using _site = await open(page, { podcast: { directoryLinks } });
  await press(page, "Subscribe");
  const links = page.getByRole("group", { name: "Subscribe" }).getByRole("link");
  await links.first().waitFor();
  assert.deepEqual(await links.allTextContents(), [
    ...["RSS feed", "Spotify", "Overcast", "AntennaPod", "Apple Podcasts", "Pocket Casts", "Castro", "Podcast Addict"],
    "Become a member",
  ]);
  assert.equal(await links.getByText("Overcast").getAttribute("href"), "https://overcast.example/night-trains");
});

inBrowser("panels whose script cannot be loaded say so, and open with another attempt", async (page) => {
  let isDown = true;
  await page.route("**/player/v1.js?panels=*", (route) => isDown ? route.fulfill({ status: 503 }) : route.continue());
  await using _site = await open(page);
  await press(page, "Credits");
  await page.getByRole("alert").getByText("This could not be loaded.").waitFor();
  await press(page, "Try again");
  await page.getByRole("alert").waitFor();
  await press(page, "Play");
  await waitUntil(page, "player.currentTime > 0.1");
  isDown = false;
  await press(page, "Try again");
  await page.getByRole("link", { name: "Mara Winter" }).waitFor();
});

inBrowser("the script of the panels is loaded with the first of them, in the version of the player", async (page) => {
  const urls: string[] = [];
  page.on("request", (request) => request.url().includes("/player/") && urls.push(request.url()));
  await using _site = await open(page);
  await play(page).waitFor();
  assert.deepEqual(urls, [SCRIPT]);
  await press(page, "Credits");
  await page.getByRole("link", { name: "Mara Winter" }).waitFor();
  await press(page, "Subscribe");
  await page.getByRole("link", { name: "RSS feed" }).waitFor();
  assert.deepEqual(urls, [SCRIPT, `${SCRIPT}?panels=${panels.etag}`]);
});

inBrowser("the share panel copies a link and an embed code, from the position on if wanted", async (page) => {
  await using site = await open(page, { attributes: `start="75"`, episode: { title: `"Quoted" & <b>bold</b>` } });
  await press(page, "Share");
  const link = page.getByRole("textbox", { name: "Link" }), code = page.getByRole("textbox", { name: "Embed code" });
  assert.equal(await link.inputValue(), "https://x.example/listen/night-trains/vienna");
  await page.getByRole("checkbox", { name: "Start at 1:15" }).check();
  assert.equal(await link.inputValue(), "https://x.example/listen/night-trains/vienna#t=75");
  const frame = `(() => {
    const { content } = Object.assign(document.createElement("template"), { innerHTML: ${
    JSON.stringify(await code.inputValue())
  } });
    const { src, title, sandbox } = content.querySelector("iframe");
    return [content.childNodes.length, src, title, sandbox.value];
  })()`;
  assert.deepEqual(await page.evaluate(frame), [
    1,
    "https://x.example/ep/7d9a1c1e-0000-4000-8000-000000000001?t=75",
    `"Quoted" & <b>bold</b> · Night Trains`,
    "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox",
  ]);
  await page.getByRole("combobox", { name: "Colors" }).selectOption("Dark");
  assert.match(
    await code.inputValue(),
    /"https:\/\/x\.example\/ep\/[-\da-f]+\?theme=dark&#38;t=75" width="100%" height="180"/,
  );
  await page.getByRole("combobox", { name: "Share" }).selectOption("All episodes");
  assert.equal(await link.inputValue(), "https://x.example/listen/night-trains");
  assert.match(
    await code.inputValue(),
    /"https:\/\/x\.example\/show\/night-trains\?theme=dark" width="100%" height="420" title="Night Trains"/,
  );
  assert.equal(await page.getByRole("checkbox").count(), 0, "a show has no time");
  await page.getByRole("combobox", { name: "Share" }).selectOption("This episode");
  const download = page.getByRole("link", { name: "Download" });
  assert.equal(await download.getAttribute("href"), `${site.url}/audio.wav`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await press(page, "Copy: Link");
  await page.getByRole("status").getByText("Link: Copied").waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), await link.inputValue());
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden'))");
  await press(page, "Copy: Embed code");
  await page.getByRole("status").getByText("Embed code: Copied").waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), await code.inputValue());

  const audioUrl = `${site.url}/storage/v1/object/public/media/1.mp3?_from=player`;
  const media = mediaOf(site.url, {
    episode: { id: "other", title: "A/B?", audioUrl, listenUrl: null, embedUrl: null },
  });
  await evaluate(page, `player.data = ${JSON.stringify(media)}`);
  await press(page, "Share");
  assert.equal(await download.getAttribute("href"), `${audioUrl}&download=Night+Trains+-+A+B.mp3`, "storage names it");
  assert.equal(await link.inputValue(), `${site.url}/`);
  assert.match(
    await code.inputValue(),
    /^<script src="http[^"]+\/player\/v1\.js" async><\/script><castbase-player episode="other"><\//,
  );
});

inBrowser("texts of people are never markup in the player", async (page) => {
  const markup = `<img src=x onerror="document.title='hacked'">`;
  await using _site = await open(page, {
    podcast: {
      title: markup,
      funding: [{ url: "javascript:alert(1)", text: markup }],
      link: null,
      listenUrl: "javascript:alert(1)",
    },
    episode: {
      title: markup,
      listenUrl: "javascript:alert(1)",
      coverImageUrl: "javascript:alert(1)",
      credits: [{ name: markup, roleLabel: markup, avatarUrl: null, externalUrl: null }],
    },
  });
  for (const name of ["Credits", "Subscribe", "Share", "Chapters", "Transcript"]) await press(page, name);
  await page.getByRole("button", { name: "This is line 0." }).waitFor();
  assert.equal(await evaluate(page, "player.shadowRoot.querySelectorAll('img, [href^=javascript]').length"), 0);
  assert.equal(await page.title(), "Embedding page");
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
