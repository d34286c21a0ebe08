// The player's box in every container of a page, and its controls in each size.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import {
  CHECK_CONTAINER,
  CHECK_HEIGHT,
  CHECK_SIZE,
  CONTAINERS,
  FRAME_HEIGHTS,
  FRAME_WIDTHS,
  HEIGHTS,
} from "./containers.ts";
import { inBrowser } from "./guest_page.ts";
import { elementText, evaluate, open, waitUntil } from "./player_page.ts";

for (const width of [800, 320]) {
  inBrowser(`the player has a width in each container of a page of ${width} pixels`, async (page) => {
    await using site = await open(page);
    for (const direction of ["ltr", "rtl"]) {
      for (const [name, expected, html] of CONTAINERS) {
        const call = [html.replace("{player}", elementText(site.url)), expected, direction].map((each) =>
          JSON.stringify(each)
        );
        assert.deepEqual([name, ...await page.evaluate<string[]>(`(${CHECK_CONTAINER})(${call})`)], [name], direction);
      }
    }
  }, { viewport: { width, height: 900 } });
}

inBrowser(
  "the player's height is a CSS height or that of its place if height is fit, else that of its content",
  async (page) => {
    await using site = await open(page);
    for (const [name, expected, html] of HEIGHTS) {
      const element = html.replace("{player}", elementText(site.url)).replace(
        "{fit}",
        elementText(site.url, { attributes: "height=fit" }),
      );
      const problems = await page.evaluate<string[]>(
        `(${CHECK_HEIGHT})(${JSON.stringify(element)}, ${JSON.stringify(expected)})`,
      );
      assert.deepEqual([name, ...problems], [name]);
    }
  },
);

const axe = await Deno.readTextFile(join(repository, "node_modules/axe-core/axe.min.js"));

for (const [name, html] of [["", 'lang="en"'], [" from right to left", 'lang="de" dir="rtl"']]) {
  inBrowser(`each control of the player is whole, apart and large enough in each size${name}`, async (page) => {
    await using _site = await open(page, { style: "castbase-player { height: 100vh } h1 { display: none }", html });
    await page.evaluate(axe);
    const targets = `axe.run({ runOnly: ["target-size"] }).then(({ violations }) => violations.flatMap(({ nodes }) =>
      nodes.map(({ html, any }) => html + any.map(({ message }) => message))))`;
    for (const width of FRAME_WIDTHS) {
      for (const height of FRAME_HEIGHTS) {
        await page.setViewportSize({ width, height });
        const problems = [
          ...await page.evaluate<string[]>(`(${CHECK_SIZE})()`),
          ...await page.evaluate<string[]>(targets),
        ];
        assert.deepEqual([width, height, ...problems], [width, height]);
      }
    }
  });
}

inBrowser("the tab key scrolls nothing sideways in the smallest sizes", async (page) => {
  await using _site = await open(page, { style: "castbase-player { height: 100vh } h1 { display: none }" });
  for (const [width, height] of [[180, 80], [180, 180], [200, 180], [200, 200], [240, 320]]) {
    await page.setViewportSize({ width, height });
    await evaluate(page, "document.activeElement.blur()");
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("Tab");
      const scrolled =
        `[document.documentElement, ...player.shadowRoot.querySelectorAll(".player, .main, .controls, .heading")]
        .filter((each) => each.scrollLeft || each.scrollTop).map((each) => each.className)`;
      assert.deepEqual(await evaluate(page, scrolled), [], `${width} × ${height}`);
    }
  }
});

inBrowser(
  "a tall player opens more than three chapters by itself, without moving the page or the focus",
  async (page) => {
    let count = 3;
    await page.route("**/chapters/*.json", (route) => {
      const chapters = Array.from({ length: count }, (_, i) => ({ startTime: 10 * i, title: `Chapter ${i}` }));
      return route.fulfill({ json: { version: "1.2.0", chapters } });
    });
    const style = "castbase-player { display: block; height: 480px; margin-top: 200vh }";
    const expanded = `player.shadowRoot.querySelector(".tab").ariaExpanded`,
      marks = `player.shadowRoot.querySelectorAll(".chapter-marks i").length`;
    await using _site = await open(page, { style });
    await waitUntil(page, `${marks} === 2`);
    assert.equal(await evaluate(page, expanded), "false");
    const cover = `player.shadowRoot.querySelector(".artwork").offsetWidth`,
      large = await evaluate<number>(page, cover);
    count = 4;
    await page.reload();
    await waitUntil(page, `${expanded} === "true"`);
    assert.deepEqual(await page.evaluate("[scrollY, document.activeElement.localName]"), [0, "body"]);
    assert.ok(await evaluate<number>(page, cover) < large, "the cover makes room");
    await evaluate(page, `player.style.height = "auto"`);
    await page.reload();
    await evaluate(page, `(player.style.height = "300px")`);
  },
  { viewport: { width: 390, height: 600 } },
);

inBrowser("an open panel of a player with tabs has room below the controls in each size", async (page) => {
  await using _site = await open(page, { style: "castbase-player { height: 100vh } h1 { display: none }" });
  await evaluate(page, `player.shadowRoot.querySelector(".tab").click()`);
  for (const [width, height] of [[180, 480], [300, 480], [320, 416], [511, 416], [512, 416], [800, 416], [800, 640]]) {
    await page.setViewportSize({ width, height });
    await waitUntil(page, `player.clientHeight === ${height}`);
    const heights = `[player.shadowRoot.querySelector(".panel:not([hidden])").offsetHeight >= 100,
      player.shadowRoot.querySelector(".player").scrollHeight <= ${height}]`;
    assert.deepEqual([width, height, ...await evaluate<boolean[]>(page, heights)], [width, height, true, true]);
  }
});

inBrowser("the player loads a small copy of its cover, and only while its layout shows it", async (page) => {
  const pictures: string[] = [];
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  await page.route("**/picture/**", (route) => {
    pictures.push(new URL(route.request().url()).pathname.split("/").at(-1)!);
    return route.fulfill({ body: png as never, contentType: "image/png" });
  });
  const copies = [[160, "webp"], [640, "webp"], [640, "jpeg"]].map(([width, type]) => (
    { url: `https://x.example/picture/${width}.${type}`, type: `image/${type}`, width, height: width }
  ));
  const podcast = { coverImageUrl: "https://x.example/picture/original.jpg", coverCopies: copies };
  const credits = [{
    name: "Mara",
    roleLabel: "Host",
    avatarUrl: "https://x.example/picture/mara.jpg",
    avatarCopies: [{ ...copies[0], url: "https://x.example/picture/mara-160.webp" }],
  }];
  const style = "castbase-player { height: 80px; max-width: 320px } h1 { display: none }";
  await using site = await open(page, { style, podcast, episode: { credits } });
  await waitUntil(page, `player.shadowRoot.querySelector(".artwork")`);
  await page.evaluate("new Promise((done) => requestIdleCallback(done))");
  assert.equal(pictures.length, 0);
  await evaluate(page, `player.style.height = "180px"`);
  await waitUntil(
    page,
    `player.shadowRoot.querySelector(".artwork").textContent === ""`,
  );
  assert.deepEqual(pictures, ["160.webp"]);
  await evaluate(page, `player.style.height = "auto"`);
  await page.getByRole("button", { name: "Credits" }).click();
  await waitUntil(page, `player.shadowRoot.querySelector(".avatar")?.textContent === ""`);
  assert.ok(pictures.includes("mara-160.webp") && !pictures.some((each) => each.endsWith(".jpg")), pictures.join());
  await evaluate(page, "player.play()");
  const artwork = "[...navigator.mediaSession.metadata.artwork].map(({ src, sizes, type }) => [src, sizes, type])";
  assert.deepEqual(await page.evaluate(artwork), [["https://x.example/picture/640.jpeg", "640x640", "image/jpeg"]]);
  const { coverImageUrl } = podcast;
  await evaluate(
    page,
    `player.data = ${
      JSON.stringify({
        podcast: { slug: "p", title: "P", coverImageUrl },
        episode: { id: "e", podcastSlug: "p", title: "E", audioUrl: `${site.url}/audio.wav` },
      })
    }`,
  );
  await waitUntil(page, `player.shadowRoot.querySelector(".artwork").textContent === ""`);
  assert.equal(pictures.at(-1), "original.jpg", "without copies");
});
