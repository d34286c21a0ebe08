// The player's sizes, themes, languages and policies, and the interface that interface.json lists.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { assertAccessible, inBrowser } from "./guest_page.ts";
import { evaluate, mediaOf, open, PHONE, play, press, SCRIPT, waitUntil } from "./player_page.ts";

const HIDDEN_HEADING = "h1 { position: absolute; margin: 0; height: 1px; overflow: hidden; clip-path: inset(50%) }";
const SIZES = [[320, 180], [600, 180], [320, 80], [600, 80], [1100, 80], [320, 240], [600, 400]];
/** Of frames of other players, which teams replace. */
SIZES.push([320, 152], [600, 152], [320, 166], [600, 130], [600, 160], [320, 176], [600, 176]);

inBrowser("the whole play button is visible in each size that pages embed, with titles of any length", async (page) => {
  const episode = { title: "Ein sehr langer Titel mit Donaudampfschifffahrtsgesellschaft ".repeat(4) };
  const podcast = { title: "A podcast with a name that is long as well ".repeat(3) };
  await using site = await open(page, {
    style: `${HIDDEN_HEADING} castbase-player { height: 100vh }`,
    podcast,
    episode,
  });
  const boxOf = (selector: string) =>
    evaluate<number[]>(
      page,
      `(() => {
      const { left, top, right, bottom, width, height } =
        player.shadowRoot.querySelector("${selector}").getBoundingClientRect();
      return [left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight, width >= 44, height >= 44];
    })()`,
    );
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await waitUntil(page, `player.clientHeight === ${height}`);
    // the player's observer of its size runs in the next frame, and what it changes may change the size
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const size = `${width} × ${height}`;
    assert.deepEqual([size, ...await boxOf(".play-button")], [size, true, true, true]);
    const overflow = `[...player.shadowRoot.querySelectorAll(".main, .controls, .heading")]
      .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1).map((each) => each.className)`;
    assert.deepEqual([size, ...await evaluate<string[]>(page, overflow)], [size]);
    assert.deepEqual(
      await page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"),
      [
        width,
        height,
      ],
    );
  }
  await page.setViewportSize({ width: 320, height: 180 });
  await press(page, "More");
  const tab = page.getByRole("button", { name: "Chapters" });
  await tab.and(page.locator(":focus")).waitFor();
  assert.equal(await tab.getAttribute("aria-expanded"), "true");
  assert.equal(await play(page).count(), 0, "covered controls cannot be reached");
  await assertAccessible(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "More" }).and(page.locator(":focus")).waitFor();
  await play(page).waitFor();
  for (const key of ["t", "t"]) { // also if it was open before
    await page.keyboard.press(key);
    await page.getByRole("button", { name: "Transcript" }).and(page.locator(":focus")).waitFor();
    await page.getByRole("group", { name: "Transcript" }).waitFor();
    await page.keyboard.press("Escape");
  }
  assert.equal(site.requests.filter((each) => each.startsWith("/audio")).length, 0);
});

inBrowser("the player fits into its element's height, and is as high as its content without one", async (page) => {
  await using _site = await open(page, { style: "castbase-player { padding: 10px }" });
  await press(page, "Credits");
  await page.getByRole("link", { name: "Mara Winter" }).waitFor();
  const heights = () =>
    evaluate<number[]>(page, "[player, player.shadowRoot.querySelector('.player')].map((each) => each.offsetHeight)");
  const natural = await heights();
  assert.ok(natural[1] > 300 && natural[0] === natural[1] + 20, `${natural}`);
  for (const height of [180, 500, 250]) {
    await evaluate(page, `player.style.height = "${height}px"`);
    await waitUntil(page, `player.shadowRoot.querySelector(".player").offsetHeight === ${height}`);
  }
  assert.equal(await page.getByRole("group", { name: "Credits" }).count(), 0, "panels wait behind the button More");
  await evaluate(page, `player.style.height = ""`);
  await waitUntil(page, `player.offsetHeight === ${natural[0]}`);
  assert.deepEqual(await heights(), natural);
});

inBrowser("the player is accessible with each panel open, in both themes and at 320 pixels", async (page) => {
  await using _site = await open(page);
  for (const name of ["Chapters", "Transcript", "Credits", "Subscribe", "Share"]) {
    await press(page, name);
    if (name === "Transcript") await page.getByRole("button", { name: "This is line 0." }).waitFor();
    await page.getByRole("group", { name }).locator("a, button, input").first().waitFor();
    await assertAccessible(page);
  }
}, { viewport: { width: 320, height: 900 } });

inBrowser("the theme attribute and CSS variables decide the colors of the player", async (page) => {
  await using _site = await open(page);
  await play(page).waitFor();
  const background = (selector: string) =>
    evaluate<string>(page, `getComputedStyle(player.shadowRoot.querySelector("${selector}")).backgroundColor`);
  const light = await background(".player");
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await background(".player");
  assert.notEqual(light, dark);
  await evaluate(page, `player.setAttribute("theme", "light")`);
  assert.equal(await background(".player"), light);
  await page.emulateMedia({ colorScheme: "light" });
  await evaluate(page, `player.setAttribute("theme", "dark")`);
  assert.equal(await background(".player"), dark);
  const onAccent = `getComputedStyle(player.shadowRoot.querySelector(".play-button")).color`;
  for (const [accent, lightness] of [["rgb(250, 210, 0)", 0], ["rgb(20, 20, 120)", 1]] as const) {
    await evaluate(page, `player.style.setProperty("--castbase-accent", "${accent}")`);
    assert.equal(await background(".play-button"), accent);
    assert.match(await evaluate<string>(page, onAccent), new RegExp(`^oklch\\(${lightness} 0 0\\)$`), "black or white");
  }
});

inBrowser("the player keeps its size and look on a page that resets all styles", async (page) => {
  const boxes = `["player", "play-button", "title"].map((part) => {
    const { width, height } = player.shadowRoot.querySelector("." + part).getBoundingClientRect();
    return [part, width, height, getComputedStyle(player.shadowRoot.querySelector("." + part)).fontFamily];
  })`;
  const reset = "* { all: unset; display: revert } svg, button, section { display: none } body { font: 9px monospace }";
  const measured: unknown[] = [];
  for (const style of ["", `${reset} html { color-scheme: light }`]) {
    await using _site = await open(page, { style });
    await page.getByRole("button", { name: "Share" }).waitFor();
    measured.push(await evaluate(page, boxes));
  }
  assert.deepEqual(measured[1], measured[0]);
});

inBrowser("the player speaks German on a German page, and mirrors its layout from right to left", async (page) => {
  await using _site = await open(page, { html: `lang="de-AT" dir="rtl"`, podcast: { coverImageUrl: "/missing.png" } });
  await press(page, "Mitwirkende");
  await page.getByText("Gast", { exact: true }).waitFor();
  const slider = page.getByRole("slider", { name: "Position" });
  assert.equal(await slider.getAttribute("aria-valuetext"), "0 Sekunden von 10 Minuten, 0 Sekunden");
  const left = (part: string) =>
    evaluate<number>(page, `player.shadowRoot.querySelector(".${part}").getBoundingClientRect().left`);
  assert.ok(await left("artwork") > await left("heading"));
  const align = `getComputedStyle(player.shadowRoot.querySelector(".title > *")).textAlign`;
  assert.equal(await evaluate(page, align), "right", "beside the cover, also a title in Latin letters");
  assert.ok(await left("back-button") < await left("forward-button"), "time runs from left to right");
  assert.equal(await evaluate(page, "player.shadowRoot.querySelector('.artwork').textContent"), "NT", "initials");
  await evaluate(page, `player.style.height = "80px"`);
  await waitUntil(page, "player.shadowRoot.querySelector('.player').offsetHeight === 80");
  assert.ok(await left("time") < await left("duration"), "also in a bar");
  await evaluate(page, `player.style.height = "", player.lang = "en"`);
  await page.getByRole("button", { name: "Credits" }).waitFor();
}, { viewport: PHONE });

inBrowser("the player obeys a policy that allows its script, its API and its media only", async (page) => {
  await page.addInitScript(() => {
    const target = globalThis as unknown as { blocked: string[]; addEventListener: typeof addEventListener };
    target.blocked = [];
    target.addEventListener("securitypolicyviolation", (event) => {
      target.blocked.push((event as Event & { effectiveDirective: string }).effectiveDirective);
    });
  });
  const { origin } = new URL(SCRIPT);
  const policy = `default-src 'none'; script-src ${origin}; connect-src 'self'; media-src 'self'; img-src 'self'; ` +
    `require-trusted-types-for 'script'`;
  const headers = { "content-security-policy": policy };
  await using _site = await open(page, { headers, podcast: { coverImageUrl: "https://elsewhere.example/cover.jpg" } });
  await press(page, "Transcript");
  await page.getByRole("button", { name: "This is line 0." }).waitFor();
  await press(page, "Play");
  await waitUntil(page, "player.currentTime > 0.1");
  assert.equal(await evaluate(page, "player.shadowRoot.querySelector('.artwork').textContent"), "NT");
  assert.deepEqual([...new Set(await page.evaluate("blocked") as string[])].sort(), ["img-src", "style-src-elem"]);
});

inBrowser(
  "a policy that allows the URL of the player's script allows its panels",
  async (page) => {
    const headers = { "content-security-policy": `script-src ${SCRIPT}` };
    await using _site = await open(page, { headers });
    await press(page, "Credits");
    await page.getByRole("link", { name: "Mara Winter" }).waitFor();
    await press(page, "Play");
    await waitUntil(page, "player.currentTime > 0.1");
  },
);

inBrowser("a browser without scripts shows the audio controls in the element", async (page) => {
  await using _site = await open(page, { isScriptless: true });
  await page.locator("castbase-player audio").waitFor({ state: "visible" });
}, { javaScriptEnabled: false });

interface Listed {
  name: string;
}

inBrowser(
  "interface.json lists the parts, properties, methods, events and attributes of the player",
  async (page) => {
    const released: Record<string, Listed[]> = JSON.parse(
      await Deno.readTextFile(join(repository, "functions/browser/player/interface.json")),
    );
    const names = (list: string) => released[list].map(({ name }) => name).sort();
    await page.addInitScript((events) => {
      const target = globalThis as unknown as { fired: Set<string>; addEventListener: typeof addEventListener };
      target.fired = new Set();
      for (const name of events) target.addEventListener(name, () => target.fired.add(name));
      Object.assign((globalThis as unknown as { navigator: object }).navigator, { share: () => Promise.resolve() });
    }, names("events"));
    await using site = await open(page, { attributes: `start="595"` });
    const parts = new Set<string>();
    const collect = async () => {
      const found = `[...player.shadowRoot.querySelectorAll("[part]")].flatMap((each) => [...each.part])`;
      for (const part of await evaluate<string[]>(page, found)) parts.add(part);
    };
    for (const name of ["Chapters", "Transcript", "Credits", "Subscribe", "Share"]) await press(page, name);
    await page.getByRole("button", { name: "This is line 0.", includeHidden: true }).waitFor({ state: "attached" });
    await evaluate(page, "player.playbackRate = 2, player.volume = 0.5");
    await press(page, "Play");
    await waitUntil(page, "fired.has('castbase-ended')");
    await collect();
    const external = { id: "t2", language: null, url: "https://elsewhere.example/t.html", formats: [] };
    const media = mediaOf(site.url, {
      episode: { id: "other", transcripts: [external], audioUrl: `${site.url}/missing.wav` },
    });
    await evaluate(page, `player.data = ${JSON.stringify(media)}`);
    await press(page, "Transcript");
    await press(page, "Play");
    await press(page, "Try again");
    await page.getByRole("alert").waitFor();
    await collect();
    assert.deepEqual([...await page.evaluate("[...fired]") as string[]].sort(), names("events"));
    await evaluate(page, `(player.data = null, player.setAttribute("podcast", "night-trains"))`);
    await page.getByRole("button", { name: "More episodes" }).waitFor();
    await collect();
    await page.route("**/v1/**", () => {}); // stays in the loading state
    await evaluate(page, `player.setAttribute("episode", "third")`);
    await collect();
    assert.deepEqual([...parts].sort(), names("parts"));

    const members = await evaluate<string[]>(page, `Object.getOwnPropertyNames(Object.getPrototypeOf(player))`);
    const callbacks = ["attributeChangedCallback", "connectedCallback", "constructor", "disconnectedCallback"];
    assert.deepEqual(members.sort(), [...names("properties"), ...names("methods"), ...callbacks].sort());
    assert.deepEqual(
      names("methods"),
      await evaluate(page, `${JSON.stringify(names("methods"))}.filter((name) => typeof player[name] === "function")`),
    );
    const observed = await evaluate<string[]>(page, "player.constructor.observedAttributes");
    assert.deepEqual([...observed, "start", "theme", "height"].sort(), names("attributes"));
    const css = await evaluate<string>(
      page,
      `[...player.shadowRoot.adoptedStyleSheets[0].cssRules].map(({ cssText }) => cssText).join()`,
    );
    assert.deepEqual([...new Set(css.match(/--castbase-[a-z-]+/g))].sort(), names("variables"));
    assert.equal(await evaluate(page, "player.localName"), (released as unknown as { element: string }).element);
  },
);
