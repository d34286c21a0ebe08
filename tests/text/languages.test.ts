// The texts of pages and of the player: all languages have the same keys and placeholders, in their own words.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { CATEGORIES } from "../../functions/feed_report/apple_categories.ts";
import { TEXTS } from "../../functions/text/languages/all.ts";
import { fill, formatTag, type Language, languageOf, LANGUAGES } from "../../functions/text/languages/texts.ts";
import { sourceFiles } from "../source_files.ts";

const textsOf = (language: Language) =>
  Object.entries(TEXTS[language]).flatMap(([section, texts]) =>
    Object.entries(texts).map(([key, text]) => ({ key: `${section}.${key}`, text }))
  );
const english = new Map(textsOf("en").map(({ key, text }) => [key, text]));
const others = LANGUAGES.filter((language) => language !== "en");
/** Many sports and genres have the same name everywhere. */
const isCategory = (key: string) => key.startsWith("categories.");
const placeholders = (text: string) => [...new Set(text.match(/\{\d\}/g))].sort();

/** Words that a language shares with English: international ones, and the form of a text. */
const SAME: Record<string, Language[]> = {
  "shared.Host": ["de"],
  "player.link": ["de", "pt"],
  "player.position": ["de", "fr"],
  "player.volume": ["fr", "pt"],
  "pages.website": ["de"],
  "pages.image": ["fr"],
  "pages.player": ["de", "pt"],
  "pages.page": ["fr"],
  "pages.trailer": ["pt"],
  "pages.seasonAndEpisode": ["de", "es", "fr", "pt"],
  "pages.shortSeason": ["de", "fr", "ja"],
  "pages.shortEpisode": ["es", "pt"],
  "guest.title": ["fr"],
  "guest.messages": ["fr"],
};

Deno.test("each language has one file, which all.ts and LANGUAGES name", () => {
  const files = sourceFiles(["functions/text/languages"], /\/[a-z]{2}\.ts$/).map(({ path }) => path.slice(-5, -3));
  deepEqual(files.sort(), [...LANGUAGES].sort());
  deepEqual(Object.keys(TEXTS).sort(), [...LANGUAGES].sort());
});

for (const language of others) {
  Deno.test(`the texts of ${language} have the keys of the English ones in their order, and no others`, () => {
    deepEqual(textsOf(language).map(({ key }) => key), [...english.keys()]);
  });

  Deno.test(`the texts of ${language} have the placeholders of the English ones`, () => {
    const of = (texts: { key: string; text: string }[]) => texts.map(({ key, text }) => [key, ...placeholders(text)]);
    deepEqual(of(textsOf(language)), of(textsOf("en")));
  });

  Deno.test(`the texts of ${language} differ from the English ones, except those that are listed`, () => {
    const same = textsOf(language).filter(({ key, text }) => !isCategory(key) && text === english.get(key))
      .map(({ key }) => key);
    const listed = Object.keys(SAME).filter((key) => SAME[key].includes(language));
    deepEqual(same.sort(), listed.sort());
  });
}

Deno.test("each of Apple's categories has a name, which is its own in English", () => {
  const names = [...CATEGORIES].flatMap(([category, subcategories]) => [category, ...subcategories]);
  deepEqual(TEXTS.en.categories, Object.fromEntries(names.map((name) => [name, name])));
});

Deno.test("texts are not empty, have no space at an end, no straight quotes except in English, and no double spaces", () => {
  for (const language of LANGUAGES) {
    for (const { key, text } of textsOf(language)) {
      equal(text.trim(), text, `${language} ${key}`);
      ok(text && !/ {2}/.test(text), `${language} ${key}`);
      if (language !== "en") ok(!/['"]/.test(text), `${language} ${key}: ${text}`);
    }
  }
});

Deno.test("French texts keep their punctuation on the line of the word", () => {
  deepEqual(textsOf("fr").filter(({ text }) => / [:;?!»]|« /.test(text)), []);
});

Deno.test("Arabic and Japanese texts are in their own scripts", () => {
  const SCRIPTS = [["ar", /\p{Script=Arabic}/u], [
    "ja",
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  ]] as const;
  for (const [language, script] of SCRIPTS) {
    const foreign = textsOf(language).filter(({ text }) => !script.test(text)).map(({ key }) => key);
    deepEqual(
      foreign,
      language === "ar" ? ["pages.seasonAndEpisode"] : [
        "pages.seasonAndEpisode",
        "pages.shortSeason",
        "pages.shortEpisode",
      ],
    );
  }
});

/**
 * A number beside a noun needs the plural forms of each language, which a text does not have. The placeholders are times,
 * names, titles, searched words, or the number of a page, a season or an episode, which is not a count. A count stands
 * behind the colon of a label, whose noun does not depend on it.
 */
const PLACEHOLDER_TEXTS = [
  ...["player.of", "player.startAt", "pages.chapterLink", "pages.seasonAndEpisode"],
  ...["pages.season", "pages.full", "pages.bonus", "pages.trailer", "pages.shortSeason", "pages.shortEpisode"],
  ...["pages.page", "pages.results", "pages.noResults", "pages.moreLoaded"],
  "errors.goTo",
  ...["invited", "active", "declined", "published", "scheduled", "guest", "waitForCode", "codeSent", "newCodeSent"]
    .concat("enterSentCode", "accountReady", "linked").map((key) => `guestScript.${key}`),
  ...["off", "podcastOff", "allOff", "on", "podcastOn", "allOn", "restOn"].map((key) => `unsubscribe.${key}Text`),
];

Deno.test("a placeholder is never a count beside its noun, which would need plural forms", () => {
  const found = textsOf("en").filter(({ text }) => placeholders(text).length).map(({ key }) => key);
  deepEqual(found.sort(), PLACEHOLDER_TEXTS.sort());
});

Deno.test("each kind of email that can be turned off has its name", () => {
  const [{ text }] = sourceFiles(["sql/70_notifications"], /70_notifications\/rows\.sql$/);
  const types = [...text.matchAll(/^ {4}\('([a-z_.]+)', '\w+', '\w+', (null|'\w+'), [^,]+,\s*'(\{[^}]*\})'/gm)];
  ok(types.length > 30, `${types.length}`);
  const kinds = types.filter(([, , , more]) => !more.includes('"is_essential": true'))
    .map(([, type, preference]) => preference === "null" ? type.replace(".", "_") : preference.slice(1, -1))
    .filter((kind) => kind !== "guest_invited"); // essential to addresses, and users choose no channel
  deepEqual(Object.keys(TEXTS.en.emails).sort(), [...new Set([...kinds, "new_booking_address"])].sort());
});

Deno.test("languageOf() takes the language of a tag, and English for a language without texts", () => {
  for (
    const [tag, language] of [
      ["de", "de"],
      ["de-AT", "de"],
      ["PT-br", "pt"],
      ["ar-u-nu-latn", "ar"],
      ["arn", "en"],
      ["he", "en"],
      ["", "en"],
    ]
  ) {
    equal(languageOf(tag), language, tag);
  }
});

Deno.test("formatTag() keeps the region of a language with texts, and the calendar of feeds", () => {
  const format = (tag: string) =>
    new Date("2026-11-22T12:00Z").toLocaleDateString(formatTag(tag), { dateStyle: "medium", timeZone: "UTC" });
  for (
    const [tag, date] of [
      ["en-GB", "22 Nov 2026"],
      ["de-AT", "22.11.2026"],
      ["pt-BR", "22 de nov. de 2026"],
      ["pt-PT", "22/11/2026"],
      ["ar-SA", "٢٢‏/١١‏/٢٠٢٦"],
      ["ar-EG-u-nu-latn", "22‏/11‏/2026"],
      ["ja", "2026/11/22"],
      ["fi", "Nov 22, 2026"],
      ["not a tag", "Nov 22, 2026"],
    ]
  ) {
    equal(format(tag), date, tag);
  }
});

Deno.test("fill() replaces placeholders in any order, and never in values", () => {
  equal(fill("{1}中{0}", "{1}", "b"), "b中{1}");
});
