// All pages: axe-core in both themes, on desktops and phones, narrow screens with hostile titles, focus, high contrast.
import assert from "node:assert/strict";
import { invite } from "../http/api/guest_email.ts";
import { episode, stackInfo } from "../http/harness.ts";
import { waitFor } from "../wait_for.ts";
import { assertAccessible, inBrowser, type Page } from "./guest_page.ts";
import { addChaptersAndTranscript, FOREIGN_IMAGE, LONG_WORD, publish } from "./listen_pages.ts";

const hostile = { description: `${LONG_WORD} `.repeat(12), author: LONG_WORD };
const german = await publish(`${LONG_WORD}: ${LONG_WORD}`, [
  {
    title: `${LONG_WORD} ${LONG_WORD} ${LONG_WORD}`,
    show_notes_html: `<h2>${LONG_WORD}</h2><pre>${"x ".repeat(200)}</pre><table><tr>${
      "<td>cell</td>".repeat(40)
    }</tr></table>`,
  },
  { title: "a".repeat(250), cover_image_url: FOREIGN_IMAGE },
], {
  ...hostile,
  language: "de",
  funding: [{ url: "https://x.example/", text: LONG_WORD }],
  categories: [{ category: "Society & Culture", subcategory: "Places & Travel" }],
  link: `https://${"long-".repeat(11)}host.example/`,
});
const arabic = await publish("قطارات الليل", [{ title: "رحلة طويلة عبر الصحراء إلى مدينة لا تنام" }], {
  language: "ar",
});
const japanese = await publish("夜行列車の旅とその終着駅について", [{
  title: "東京から札幌まで、寝台列車で過ごす十六時間の物語",
}], {
  language: "ja",
});
for (const show of [german, arabic]) await addChaptersAndTranscript(show, show.episodes[0]);
const { token } = await invite(await episode(german, `Pilot ${LONG_WORD}`), { displayName: LONG_WORD.slice(0, 60) });
const guestUrl = `${stackInfo.functionsUrl}/public/guest`;
const unknownUrl = `${stackInfo.functionsUrl}/public/listen/nope`;
const unsubscribeUrl = `${stackInfo.functionsUrl}/api/notifications/email/unsubscribe/nope`;

const isLoaded = (page: Page) =>
  page.waitForFunction(`!document.querySelector("castbase-player") || customElements.get("castbase-player")`);

/** Opens each page with all that it can unfold. */
async function eachPage(page: Page, check: (url: string) => Promise<void>) {
  const shows = [german, arabic, japanese].flatMap(({ url, episodes }) => [url, episodes[0].url]);
  for (const url of [...shows, german.episodes[0].embedUrl, `${german.url}/nope`, unknownUrl]) {
    await page.goto(url);
    await isLoaded(page);
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    await check(url);
  }
  await page.goto(`${guestUrl}#token=${token}`);
  await page.getByRole("button", { name: "Einladung annehmen" }).waitFor();
  await check(guestUrl);
  await page.goto(`${guestUrl}?again#token=unknown`);
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  await check("an invalid invitation");
}

for (
  const [name, viewport] of [["desktop", { width: 1280, height: 900 }], ["phone", { width: 320, height: 700 }]] as const
) {
  inBrowser(`pages pass axe-core in both themes on a ${name} and fit its width with hostile titles`, async (page) => {
    await eachPage(page, async (url) => {
      await assertAccessible(page);
      assert.equal(await page.locator("h1:visible").count(), 1, url);
    });
  }, { viewport });
}

inBrowser("pages have one primary action, and the keyboard's focus is visible on each element", async (page) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  for (
    const [url, count] of [
      [german.url, 1],
      [german.episodes[0].url, 0], // its player has the action
      [`${german.url}/nope`, 1],
      [unknownUrl, 1],
      [`${guestUrl}#token=unknown`, 1],
      [`${guestUrl}?without-token`, 1],
    ] as const
  ) {
    await page.goto(url, { referer: german.url });
    await isLoaded(page);
    await page.locator("h1:visible").waitFor();
    assert.equal(await page.locator(".primary:visible").count(), count, url);
    const stops = await page.locator("main :is(a[href], button, summary, select):visible").count();
    for (let stop = 0; stop < Math.min(stops, 12); stop++) {
      await page.keyboard.press("Tab");
      const outline = await page.evaluate(`(() => {
        let element = document.activeElement;
        while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
        if (element === document.body) return "body";
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        // a slider's thumb shows its focus
        return element.matches("[type=range]") ? "solid" : (outlineStyle === "solid" && parseFloat(outlineWidth) >= 1 ? "solid" : element.outerHTML);
      })()`);
      assert.equal(outline, "solid", `${url} ${stop} ${outline}`);
    }
  }
});

const PLAYER = `document.querySelector("castbase-player").shadowRoot`;
const styleOf = (page: Page, selector: string, property: string, root = "document") =>
  page.evaluate<string[]>(`[...${root}.querySelectorAll(${JSON.stringify(selector)})]
    .map((each) => getComputedStyle(each).${property})`);

inBrowser("the player at the bottom of a podcast's page never covers the focused element", async (page) => {
  const show = await publish("Dock", Array.from({ length: 14 }, (_, n) => ({ title: `No. ${n + 1}` })));
  const overlap = () =>
    page.evaluate<number>(`document.activeElement.getBoundingClientRect().bottom + 5 -
      document.querySelector(".dock").getBoundingClientRect().top`);
  await page.goto(show.url);
  await isLoaded(page);
  await page.evaluate(`{
    const { bottom } = document.querySelectorAll(".episodes [data-play]")[4].getBoundingClientRect();
    scrollBy(0, bottom + 10 - innerHeight);
  }`);
  await page.locator(".episodes [data-play]").nth(4).press("Enter");
  await page.locator(".dock castbase-player").waitFor();
  assert.ok(await overlap() <= 0, `the pressed button: ${await overlap()}`);
  const stops: string[] = [];
  while (stops.at(-1) !== "aside") {
    await page.keyboard.press("Tab");
    stops.push(await page.evaluate("document.activeElement.closest('main, aside').localName"));
    if (stops.at(-1) === "main") assert.ok(await overlap() <= 0, `${stops.length}: ${await overlap()}`);
  }
  assert.equal(stops.length, 2 * 9 + 1);
}, { viewport: { width: 1280, height: 700 } });

inBrowser("high contrast outlines what plays, and tiles have a border", async (page) => {
  const show = await publish("Contrast", [{ title: "One" }]), [{ url }] = show.episodes;
  await addChaptersAndTranscript(show, show.episodes[0]);
  await page.goto(url);
  await isLoaded(page);
  await page.locator("summary", { hasText: "Transcript" }).click();
  await page.locator(".line [data-seek]").first().click();
  await page.locator(".line[aria-current]").waitFor();
  assert.deepEqual(await styleOf(page, "[aria-current]", "outlineStyle"), ["solid", "solid"]);
  assert.deepEqual(await styleOf(page, ".tile", "borderTopStyle"), ["solid", "solid"], "cover and portrait");
  await page.goto(show.url);
  await isLoaded(page);
  await page.locator("[data-play]").last().click();
  await page.locator(".dock [part~=artwork]").waitFor();
  assert.deepEqual(await styleOf(page, "span.tile", "borderTopStyle"), ["solid", "solid"]);
  assert.deepEqual(await styleOf(page, "[part~=artwork]", "borderTopStyle", PLAYER), ["solid"]);
}, { forcedColors: "active" });

inBrowser(
  "a show without artwork has the same tile in its header, list and player and on its episodes' pages",
  async (page) => {
    const show = await publish("Night Trains", [{ title: "Early bird" }]), tiles: string[][] = [];
    await page.goto(show.url);
    await isLoaded(page);
    tiles.push(await tile(".hero .tile"), await tile(".episodes .tile"));
    await page.locator("[data-play]").first().click();
    await page.locator(".dock [part~=artwork]").waitFor();
    tiles.push(await tile("[part~=artwork]", PLAYER));
    await page.goto(show.episodes[0].url);
    tiles.push(await tile(".hero .tile"));
    assert.equal(tiles[0][0], "NT");
    assert.deepEqual(tiles, Array(4).fill(tiles[0]));

    async function tile(selector: string, root = "document") {
      const text: string = await page.evaluate(`${root}.querySelector("${selector}").textContent`);
      return [text.replace("\u200c", ""), ...await styleOf(page, selector, "backgroundColor", root)];
    }
  },
);

inBrowser("an episode's description and its show notes have a gap", async (page) => {
  const { episodes: [{ url }] } = await publish("Gaps", [{ title: "One", show_notes_html: "<p>Notes.</p>" }]);
  await waitFor("sanitized notes", async () => /class="notes"/.test(await (await fetch(url)).text()));
  await page.goto(url);
  const [lead, notes] = await Promise.all([".lead", ".notes"].map((each) => page.locator(each).boundingBox()));
  assert.ok(notes!.y - lead!.y - lead!.height >= 16, JSON.stringify([lead, notes]));
});

for (const viewport of [{ width: 1280, height: 900 }, { width: 390, height: 844 }]) {
  inBrowser(`all pages with a message are in the middle of a window of ${viewport.width} pixels`, async (page) => {
    const layouts = new Set<string>(), invalid = `${guestUrl}?invalid#token=unknown`;
    for (const url of [unknownUrl, `${german.url}/nope`, unsubscribeUrl, invalid, `${guestUrl}?without-token`]) {
      await page.goto(url);
      const { x } = (await page.locator("h1:visible").boundingBox())!;
      const { y, height, width } = (await page.locator("main").boundingBox())!;
      assert.ok(Math.abs(y + height / 2 - viewport.height / 2) <= 1, `${url} ${y} ${height}`);
      const fontSizes = await styleOf(page, "h1", "fontSize");
      layouts.add([x, width, ...new Set(fontSizes)].join());
    }
    assert.equal(layouts.size, 1, [...layouts].join("; "));
  }, { viewport });
}

inBrowser("times of chapters and transcripts are at the side where the page begins", async (page) => {
  for (const [show, side] of [[german, "left"], [arabic, "right"]] as const) {
    await page.goto(show.episodes[0].url);
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    const gaps = `[...document.querySelectorAll(".chapters .time, .line .time")].map((time) => {
      const range = new Range();
      range.selectNodeContents(time);
      return Math.round(Math.abs(time.getBoundingClientRect().${side} - range.getBoundingClientRect().${side}));
    })`;
    assert.deepEqual(await page.evaluate(gaps), Array(9).fill(0), side);
  }
});
