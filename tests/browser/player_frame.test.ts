// Players in frames of other pages: parameters, the list of a show, and messages.
import assert from "node:assert/strict";
import { stackInfo } from "../http/harness.ts";
import { startHttpServer } from "../http_server.ts";
import { waitFor } from "../wait_for.ts";
import { assertAccessible, inBrowser, type Page } from "./guest_page.ts";
import { addChaptersAndTranscript, FOREIGN_IMAGE, publish } from "./listen_pages.ts";
import { evaluate, press, waitUntil } from "./player_page.ts";

const show = await publish("Night Frames", [
  { title: "Vienna" },
  { title: "Paris", cover_image_url: FOREIGN_IMAGE },
]);
const [vienna] = show.episodes;
await addChaptersAndTranscript(show, vienna);
const showUrl = `${stackInfo.functionsUrl}/public/show/${show.slug}`;

inBrowser("theme, accent, lang and t of a frame's address decide its look, language and start", async (page) => {
  const colors = () =>
    evaluate<string[]>(
      page,
      `[document.body, player.shadowRoot.querySelector(".play-button")].map((each) =>
        getComputedStyle(each === document.body ? document.documentElement : each).backgroundColor)`,
    );
  await page.goto(vienna.embedUrl);
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  const [light, accent] = await colors();
  await page.goto(`${vienna.embedUrl}?theme=dark&accent=0a6c74&lang=de&t=0:04`);
  await page.getByRole("button", { name: "Abspielen", exact: true }).waitFor();
  assert.equal(await evaluate(page, "player.currentTime"), 4);
  const [dark, chosen] = await colors();
  assert.notEqual(dark, light);
  assert.equal(chosen, "rgb(10, 108, 116)");
  const icon = `getComputedStyle(player.shadowRoot.querySelector(".play-button")).color`;
  assert.match(await evaluate(page, icon), /^oklch\(1 0 0\)$/, "white on a dark color");
  await assertAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${vienna.embedUrl}?theme=light&accent=%23ffd400#t=1m30s`);
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  assert.deepEqual(await colors(), [light, "rgb(255, 212, 0)"]);
  assert.match(await evaluate(page, icon), /^oklch\(0 0 0\)$/, "black on a light color");
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`${vienna.embedUrl}?theme=auto&accent=red&lang=xx&t=soon`);
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  assert.deepEqual(await colors(), [light, accent]);
});

inBrowser("the player of a show lists its episodes, and asks no other host for their covers", async (page) => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(showUrl);
  await page.getByRole("region", { name: "Podcast player: Vienna" }).waitFor();
  assert.equal(await page.title(), "Night Frames");
  await page.getByRole("button", { name: /^Paris/ }).click();
  await waitUntil(page, "!player.paused && player.data.episode.title === 'Paris'");
  assert.equal(await evaluate(page, "navigator.mediaSession.metadata.artwork.length"), 0);
  await assertAccessible(page);
  assert.deepEqual(requests.filter((url) => new URL(url).origin !== stackInfo.url), []);
}, { viewport: { width: 600, height: 420 } });

/** Opens a page of another origin with a frame, whose messages it collects. */
async function embed(page: Page, src: string) {
  const server = startHttpServer(() =>
    new Response(
      `<!doctype html><title>Blog</title><link rel="icon" href="data:,"><script>
        const received = [];
        addEventListener("message", ({ data, origin }) => received.push({ ...JSON.parse(data), origin }));
        const post = (message) => document.querySelector("iframe").contentWindow.postMessage(message, "*");
        const send = (message) => post(JSON.stringify({ context: "player.js", version: "0.0.11", ...message }));
      </script><iframe src="${src}" width="600" height="180" allow="autoplay"></iframe>`,
      { headers: { "content-type": "text/html" } },
    )
  );
  await page.goto(server.url);
  return server;
}

interface Received {
  context: string;
  event: string;
  value?: unknown;
  listener?: unknown;
  origin: string;
}
const received = (page: Page) => page.evaluate("received") as Promise<Received[]>;
const send = (page: Page, message: object) => page.evaluate(`send(${JSON.stringify(message)})`);
/** The first message of an event. */
const message = (page: Page, event: string) =>
  waitFor(event, async () => (await received(page)).find((each) => each.event === event));
async function ask(page: Page, method: string, listener: string | number = `${method}-1`) {
  await send(page, { method, listener });
  return await waitFor(
    method,
    async () => (await received(page)).find((each) => each.listener === listener && each.event === method),
  );
}

inBrowser("a page controls the player in its frame by the messages of player.js", async (page) => {
  await using _server = await embed(page, vienna.embedUrl);
  const ready = await message(page, "ready"), { src, events, methods } = ready.value as Record<string, string[]>;
  assert.deepEqual([ready.context, ready.origin, src], ["player.js", stackInfo.url, vienna.embedUrl]);
  for (const name of ["ready", "play", "pause", "ended", "timeupdate", "progress", "error", "seeked"]) {
    assert.ok(events.includes(name), name);
  }
  assert.ok(methods.includes("setCurrentTime") && !methods.includes("setLoop"));
  assert.equal((await ask(page, "getPaused")).value, true);
  assert.equal((await ask(page, "getDuration", 7)).value, 9);
  for (const event of ["play", "pause", "timeupdate", "progress", "castbase-seeked"]) {
    await send(page, { method: "addEventListener", value: event, listener: `on-${event}` });
  }
  await send(page, { method: "setCurrentTime", value: 3 });
  assert.equal((await ask(page, "getCurrentTime")).value, 3);
  await send(page, { method: "play" });
  assert.equal((await message(page, "play")).listener, "on-play");
  const { value } = await message(page, "timeupdate");
  assert.deepEqual(Object.keys(value as object), ["seconds", "duration"]);
  await message(page, "progress");
  const { value: detail } = await message(page, "castbase-seeked");
  assert.equal((detail as { episodeId: string }).episodeId, vienna.id);
  await send(page, { method: "pause" });
  await message(page, "pause");
  for (
    const [method, value] of [["setVolume", 30], ["mute", undefined], ["setVolume", "loud"], ["setCurrentTime", null]]
  ) {
    await send(page, { method, value });
  }
  assert.equal((await ask(page, "getVolume")).value, 30);
  assert.equal((await ask(page, "getMuted")).value, true);
  await send(page, { method: "unmute" });
  assert.equal((await ask(page, "getMuted", "again")).value, false);

  await send(page, { method: "removeEventListener", value: "play", listener: "on-play" });
  await page.evaluate("received.length = 0");
  await send(page, { method: "play" });
  await message(page, "timeupdate");
  assert.equal((await received(page)).some(({ event }) => event === "play"), false);
});

inBrowser("the player tells a page only what it asked for, and ignores messages that are malformed", async (page) => {
  await using _server = await embed(page, `${vienna.embedUrl}?theme=dark#t=2`);
  const { src } = (await message(page, "ready")).value as { src: string };
  assert.equal(src, `${vienna.embedUrl}?theme=dark#t=2`, "the frame's address, by which clients know it");
  const frame = page.frames()[1];
  for (
    const bad of [
      `null`,
      `"play"`,
      `"{"`,
      `JSON.stringify({ method: "play" })`,
      `JSON.stringify({ context: "player.js", method: "constructor" })`,
      `JSON.stringify({ context: "player.js", method: "play", padding: "x".repeat(2000) })`,
      `JSON.stringify({ context: "player.js", method: "play", listener: {} })`,
      `({ context: "player.js", method: ["play"] })`,
    ]
  ) await page.evaluate(`post(${bad})`);
  await frame.evaluate(`postMessage(JSON.stringify({ context: "player.js", method: "play" }), "*")`); // not the parent
  for (let i = 0; i < 300; i++) await send(page, { method: "addEventListener", value: "pause", listener: i });
  await send(page, { method: "addEventListener", value: "nonsense", listener: 1 });
  assert.equal((await ask(page, "getPaused")).value, true);
  assert.deepEqual((await received(page)).map(({ event }) => event), ["ready", "getPaused"]);

  await frame.getByRole("button", { name: "Play", exact: true }).click();
  await frame.getByRole("button", { name: "Pause", exact: true }).click();
  await message(page, "pause");
  assert.equal((await received(page)).length, 2 + 200, "listeners are bounded");
});

inBrowser(
  "a page learns that the player does not support a method, or that the audio cannot be loaded",
  async (page) => {
    await page.route("**/*.mp3*", (route) => route.fulfill({ status: 404 }));
    await using _server = await embed(page, vienna.embedUrl);
    await message(page, "ready");
    await send(page, { method: "addEventListener", value: "error" });
    await send(page, { method: "setLoop", value: true });
    assert.deepEqual((await message(page, "error")).value, { code: 2, msg: "This method is not supported" });
    await page.evaluate("received.length = 0");
    await send(page, { method: "play" });
    assert.deepEqual((await message(page, "error")).value, { code: -1, msg: "The audio could not be loaded." });
    await ask(page, "getPaused");
    assert.equal((await received(page)).filter(({ event }) => event === "error").length, 1, "once");
  },
);

inBrowser("a page that pauses the player before it plays gets no error", async (page) => {
  await using _server = await embed(page, vienna.embedUrl);
  await message(page, "ready");
  for (const value of ["error", "pause"]) await send(page, { method: "addEventListener", value });
  await send(page, { method: "play" });
  await send(page, { method: "pause" });
  await message(page, "pause");
  await ask(page, "getPaused");
  assert.deepEqual((await received(page)).filter(({ event }) => event === "error"), []);
});

inBrowser("a page of its own with the player of a frame sends no messages", async (page) => {
  await page.addInitScript("addEventListener('message', () => window.hasMessage = true)");
  await page.goto(vienna.embedUrl);
  await press(page, "Play");
  await waitUntil(page, "player.currentTime > 0");
  assert.equal(await page.evaluate("window.hasMessage"), undefined);
});
