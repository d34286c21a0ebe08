// All pages: axe-core in both themes, on desktops and phones, narrow screens with hostile titles, focus.
import assert from "node:assert/strict";
import { invite } from "../http/api/guest_email.ts";
import { episode, stackInfo } from "../http/harness.ts";
import { inBrowser, type Page } from "./guest_page.ts";
import { addChaptersAndTranscript, FOREIGN_IMAGE, LONG_WORD, publish } from "./listen_pages.ts";
import { assertAccessible } from "./player_page.ts";

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

const isLoaded = (page: Page) =>
  page.waitForFunction(`!document.querySelector("castbase-player") || customElements.get("castbase-player")`);

/** Opens each page with all that it can unfold. */
async function eachPage(page: Page, check: (url: string) => Promise<void>) {
  const shows = [german, arabic, japanese].flatMap(({ url, episodes }) => [url, episodes[0].url]);
  for (const url of [...shows, german.episodes[0].embedUrl, `${german.url}/nope`]) {
    await page.goto(url);
    await isLoaded(page);
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    await check(url);
  }
  await page.goto(`${guestUrl}#token=${token}`);
  await page.getByRole("button", { name: "Accept invitation" }).waitFor();
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
  for (const [url, count] of [[german.url, 1], [german.episodes[0].url, 0], [`${german.url}/nope`, 1]] as const) {
    await page.goto(url);
    await isLoaded(page);
    assert.equal(await page.locator(".primary").count(), count, url);
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
