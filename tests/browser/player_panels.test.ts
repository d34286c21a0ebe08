// The panels of the player: their script, credits, subscribe and share.
import assert from "node:assert/strict";
import panels from "../../functions/built/panels.json" with { type: "json" };
import { inBrowser } from "./guest_page.ts";
import { evaluate, mediaOf, open, play, press, SCRIPT, waitUntil } from "./player_page.ts";

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
