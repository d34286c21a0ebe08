// Pages in each language: no English is left over, and nothing is wider than the window, also from right to left.
import assert from "node:assert/strict";
import { TEXTS } from "../../functions/text/languages/all.ts";
import { fill, type Language } from "../../functions/text/languages/texts.ts";
import { callRpc, person, sql, stackInfo } from "../http/harness.ts";
import { sendEmail } from "../http/api/sent_email.ts";
import { assertAccessible, inBrowser, newGuest, type Page } from "./guest_page.ts";
import { addChaptersAndTranscript, publish, type Show } from "./listen_pages.ts";
import { evaluate, open as openSite } from "./player_page.ts";

/** A tag of each language, and titles in its script. The Arabic show has an English episode. */
const SHOWS: Record<Exclude<Language, "en">, { tag: string; title: string; episode: string }> = {
  de: { tag: "de-AT", title: "Nachtzüge", episode: "Der Schlafwagen" },
  es: { tag: "es-MX", title: "Trenes nocturnos", episode: "El coche cama" },
  fr: { tag: "fr-CA", title: "Trains de nuit", episode: "Le wagon-lit" },
  pt: { tag: "pt-PT", title: "Comboios noturnos", episode: "A carruagem-cama" },
  ar: { tag: "ar-EG", title: "قطارات الليل", episode: "The sleeper to Vienna" },
  ja: { tag: "ja", title: "夜行列車", episode: "寝台車" },
};
const owner = await person("owner"), shows = new Map<Language, Show>();
for (const [language, { tag, title, episode }] of Object.entries(SHOWS)) {
  const show = await publish(title, [{ title: episode, audio_duration_seconds: 3900 }, { title: `${episode} 2` }], {
    language: tag,
    funding: [{ url: "https://x.example/", text: "♥" }],
    link: "https://x.example/",
    categories: [{ category: "Leisure", subcategory: "Home & Garden" }, { category: "True Crime" }],
  });
  const [first] = show.episodes;
  await sql`update public.episodes set season_number = 2, episode_number = 2026, explicit = true where id = ${first.id}`;
  await callRpc(owner, "add_episode_person", { episode_id: first.id, source_type: "external", name: "Zoe" });
  await addChaptersAndTranscript(show, first);
  shows.set(language as Language, show);
}

inBrowser("the player in a frame has the direction of the language that the frame's address chooses", async (page) => {
  const direction = `getComputedStyle(player.shadowRoot.querySelector(".player")).direction`;
  for (
    const [language, query, expected] of [["ar", "", "rtl"], ["ar", "?lang=en", "ltr"], [
      "de",
      "?lang=ar",
      "rtl",
    ]] as const
  ) {
    await page.goto(shows.get(language)!.episodes[0].embedUrl + query);
    await page.locator("castbase-player .play-button").waitFor();
    assert.equal(await evaluate(page, direction), expected, language + query);
  }
});

/** All texts of a page: its visible texts, and names of controls, also those of the player. */
const textsOn = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const found = [document.title];
    const visit = (node) => {
      if (node.nodeType === 3) found.push(node.textContent.trim());
      if (node.nodeType === 1) {
        if (/^(script|style|noscript)$/.test(node.localName)) return;
        for (const name of ["aria-label", "title", "alt"]) if (node.hasAttribute(name)) found.push(node.getAttribute(name));
        if (node.shadowRoot) visit(node.shadowRoot);
      }
      node.childNodes.forEach(visit);
    };
    visit(document.body);
    return found.filter(Boolean);
  })()`);

/** The fixed parts of the English texts, without those that the language shares. */
function englishParts(language: Language): string[] {
  return Object.entries(TEXTS.en).flatMap(([section, texts]) => {
    const own: Record<string, string> = TEXTS[language][section as keyof typeof TEXTS.en];
    return Object.entries(texts as Record<string, string>).filter(([key, text]) => own[key] !== text)
      .flatMap(([, text]) => text.split(/\{\d\}/)).map((part) => part.trim());
  }).filter((part) => /[a-z]{2}/i.test(part) && !/^(of|episode)$/.test(part));
}

async function assertNoEnglish(page: Page, language: Language, what: string) {
  const parts = englishParts(language), foreign = new Set(["The sleeper to Vienna", "The sleeper to Vienna 2"]);
  const texts = (await textsOn(page)).filter((text) => !foreign.has(text));
  assert.ok(texts.length >= 3, `${what}: ${texts}`);
  // short words, such as "Guest", only as a whole text
  const left = texts.filter((text) => parts.some((part) => part.length > 12 ? text.includes(part) : text === part));
  assert.deepEqual(left, [], what);
}

const isPlayerThere = (page: Page) => page.locator("castbase-player [part~=player]:not([aria-busy=true])").waitFor();
const unfold = (page: Page) =>
  page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");

for (const [language, show] of shows) {
  const texts = TEXTS[language], [first] = show.episodes;
  inBrowser(
    `pages of a podcast in ${language} have no English texts, and no request for the player's`,
    async (page) => {
      const requested: string[] = [];
      page.on("request", (request) => requested.push(request.url()));
      await page.goto(show.url);
      await unfold(page);
      await assertNoEnglish(page, language, "show");
      await page.locator(".episodes [data-play]").first().click();
      await page.getByRole("button", { name: texts.shared.pause, exact: true }).first().waitFor();
      await assertNoEnglish(page, language, "show that plays");
      await assertAccessible(page);

      await page.goto(first.url);
      await isPlayerThere(page);
      await unfold(page);
      await assertNoEnglish(page, language, "episode");
      await assertAccessible(page);

      await page.goto(first.embedUrl);
      for (const tab of ["transcript", "credits", "subscribe"] as const) {
        await page.getByRole("button", { name: texts.shared[tab], exact: true }).click();
      }
      await page.getByRole("button", { name: texts.player.share, exact: true }).click();
      await assertNoEnglish(page, language, "player");
      assert.deepEqual(requested.filter((url) => url.includes("/player/texts/")), []);

      await page.goto(`${show.url}/nope`);
      await assertNoEnglish(page, language, "unknown episode");
      await assertAccessible(page);
    },
    { viewport: { width: 390, height: 844 } },
  );

  inBrowser(`the guest page of a podcast in ${language} has no English texts`, async (page, open) => {
    const { pilot, token } = await newGuest(`${SHOWS[language as "de"].title} ${language}`, "Gus");
    await sql`update public.podcasts set language = ${SHOWS[language as "de"].tag}
      where id = (select podcast_id from public.episodes where id = ${pilot.id})`;
    await open(token);
    await page.getByText(fill(texts.guestScript.invited, "Gus").split("Gus")[1].trim()).waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), language);
    await assertNoEnglish(page, language, "invitation");
    await page.getByRole("button", { name: texts.guest.accept }).click();
    await page.getByRole("button", { name: texts.guest.createAccount }).click();
    await page.getByLabel(texts.guest.yourMessage).fill("Hello");
    await page.getByRole("button", { name: texts.guest.sendMessage }).click();
    await page.locator("#messages .mine").waitFor();
    await assertNoEnglish(page, language, "account and chat");
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await assertAccessible(page);
    }
  });

  inBrowser(`pages without a podcast are in ${language} for a browser of that language`, async (page, open) => {
    await open("unknown");
    await page.getByRole("heading", { name: texts.guest.invalid }).waitFor();
    await assertNoEnglish(page, language, "invalid invitation");
    for (const path of ["/public/listen/nope", "/api/notifications/email/unsubscribe/nope"]) {
      await page.goto(stackInfo.functionsUrl + path);
      assert.equal(await page.locator("html").getAttribute("lang"), language);
      await assertNoEnglish(page, language, path);
      await assertAccessible(page);
    }
    await page.goto(`${stackInfo.functionsUrl}/public/guest?another#token_hash=x&type=recovery`);
    await page.getByRole("heading", { name: texts.guestScript.recovery }).waitFor();
    await assertNoEnglish(page, language, "recovery");
  }, { locale: SHOWS[language as "de"].tag });

  inBrowser(`the unsubscribe page of a reader of ${language} has no English texts`, async (page) => {
    const address = `${crypto.randomUUID()}@people.test`, podcast = { id: show.id, title: "夜" };
    const { tokens } = await sendEmail({ address, locale: SHOWS[language as "de"].tag, podcast }, {
      type: "automation.email",
    });
    await page.goto(`${stackInfo.functionsUrl}/api/notifications/email/unsubscribe/${tokens.unsubscribe}`);
    await assertNoEnglish(page, language, "off");
    for (const name of ["turnAllOff", "turnOn", "turnOn", "turnOff"] as const) {
      await page.getByRole("button", { name: texts.unsubscribe[name], exact: true }).click();
      await assertNoEnglish(page, language, name);
    }
    await assertAccessible(page);
  }, { viewport: { width: 320, height: 700 } });
}

inBrowser(
  "an Arabic show with an English episode is laid out from the right, and times from the left",
  async (page) => {
    const show = shows.get("ar")!, [{ url }] = show.episodes;
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      for (const each of [show.url, url]) {
        await page.goto(each);
        await unfold(page);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, each);
      }
    }
    await isPlayerThere(page);
    const direction = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector("${selector}")).direction`);
    assert.deepEqual(await Promise.all(["body", "h1", ".show-link", ".notes, .text"].map(direction)), [
      ...["rtl", "ltr", "rtl", "ltr"],
    ]);
    const left = async (selector: string) => (await page.locator(selector).first().boundingBox())!.x;
    assert.ok(await left(".hero .cover") > await left("h1"), "the cover is on the right");
    assert.ok(await left(".chapters .time") > await left(".chapters span:not(.time)"));
    const facts = await page.locator(".facts > span").allInnerTexts();
    assert.deepEqual(facts.toSpliced(1, 1).map((fact) => fact.replaceAll("\u00a0", " ")), [
      "الموسم ٢، الحلقة ٢٠٢٦",
      "١ س ٥ د",
      "محتوى صريح",
    ]);
  },
);

inBrowser(
  "a player on another site loads the texts of its language once, and is laid out in their direction",
  async (page) => {
    const second = `<castbase-player lang="ar-EG" style="display:grid"></castbase-player>`;
    await using site = await openSite(page, { attributes: `lang="ar"`, body: second });
    await page.getByRole("button", { name: TEXTS.ar.shared.play, exact: true }).waitFor();
    await page.getByText(TEXTS.ar.player.notFound).waitFor();
    assert.deepEqual(site.requests.filter((line) => line.includes("/player/texts/")), ["/player/texts/ar.json"]);
    const direction = "getComputedStyle(player.shadowRoot.querySelector('.player')).direction";
    assert.equal(await evaluate(page, direction), "rtl");
    await evaluate(page, `player.lang = "ja"`);
    await page.getByRole("button", { name: TEXTS.ja.shared.play, exact: true }).waitFor();
    assert.equal(await evaluate(page, direction), "ltr");
  },
);

inBrowser("a player on a page that names no language is in that of the podcast", async (page) => {
  await using _site = await openSite(page, { html: "" });
  await page.getByRole("button", { name: TEXTS.en.player.share, exact: true }).waitFor();
  await evaluate(page, "player.data = { ...player.data, podcast: { ...player.data.podcast, language: 'de-AT' } }");
  await page.getByRole("button", { name: TEXTS.de.player.share, exact: true }).waitFor();
});

inBrowser("a player whose texts cannot be loaded, or have no such language, is in English", async (page) => {
  await using site = await openSite(page);
  site.failures.set("/player/texts/", 503);
  for (const lang of ["fr", "fi"]) {
    await evaluate(page, `player.lang = "${lang}"`);
    await page.getByRole("button", { name: "Share", exact: true }).waitFor();
    assert.equal(await evaluate(page, "player.shadowRoot.querySelector('section').lang"), "en");
  }
  site.failures.clear();
  await evaluate(page, `player.lang = "fr-CA"`);
  await page.getByRole("button", { name: TEXTS.fr.player.share, exact: true }).waitFor();
  assert.deepEqual(site.requests.filter((line) => line.includes("/player/texts/")), [
    "/player/texts/fr.json",
    "/player/texts/fr.json",
  ]);
});
