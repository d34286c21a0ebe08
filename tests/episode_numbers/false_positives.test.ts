// Numbers that are not episode numbers, and unusual numbering.
import assert from "node:assert/strict";
import { detectEpisodeNumbers } from "../../functions/episode_numbers/detect.ts";
import { byScale } from "../scale.ts";
import { type Fields, numbers, range, topic, weeklyItems } from "./weekly_items.ts";

const assertUnnumbered = (titles: readonly (string | Fields)[]) =>
  assert.deepEqual(numbers(titles), titles.map(() => null));
/** Twelve titles of a series, with others inserted at the given positions. */
const among = (form: (n: number) => string, others: Record<number, (string | Fields)[]>, to = 12) =>
  range(1, to).flatMap((n): (string | Fields)[] => [form(n), ...others[n] ?? []]);
const colon = (n: number) => `${n}: ${topic(n)}`;
const episode = (n: number) => `Episode ${n}: ${topic(n)}`;

Deno.test("detectEpisodeNumbers finds no numbers in a feed without numbers", () =>
  assertUnnumbered(range(1, 20).map(topic)));

Deno.test("detectEpisodeNumbers finds nothing in an empty feed or empty titles", () => {
  const nothing = { pattern: null, confidence: 0, numbers: {}, conflicts: [] };
  assert.deepEqual(detectEpisodeNumbers([]), nothing);
  assert.deepEqual(detectEpisodeNumbers(weeklyItems([""]).map((item) => ({ ...item, title: null }))), nothing);
});

Deno.test("detectEpisodeNumbers does not treat lists, interviews and ordinals as episode numbers", () =>
  assertUnnumbered([
    ...["Top 10 Lanterns", "7 Questions with Ada Finch", "5 Ways to Sleep", "Our 100th Episode", "3 Reasons to Sing"],
    ...["7 Questions with Bo Reed", "Top 5 Maps", "7 Questions with Cy Wolf", "12 Rules for Boats", "The 3rd Well"],
    ...["10 Things about Bees", "7 Questions with Di Moss", "A 2nd Look", "Top 3 Trains"],
  ]));

Deno.test("detectEpisodeNumbers does not treat the same number in every title as an episode number", () =>
  assertUnnumbered(range(1, 15).map((n) => `7 Questions: Guest ${topic(n)}`)));

Deno.test("detectEpisodeNumbers does not treat years as episode numbers", () => {
  assertUnnumbered(["Review of 2015", "Review of 2016", "Review of 2017", "Review of 2018", "Review of 2019"]);
  assertUnnumbered(
    [1914, 1917, 1918, 1929, 1933, 1939, 1945, 1949, 1956, 1961].map((year) => `${year}: ${topic(year)}`),
  );
  assertUnnumbered(range(1970, 1990).map((year) => `${year} – ${topic(year)}`));
});

Deno.test("detectEpisodeNumbers does not treat dates as episode numbers", () => {
  assertUnnumbered(range(1, 28).map((day) => `News of ${day} March 2018`));
  assertUnnumbered(range(1, 28).map((day) => `2018-03-${String(day).padStart(2, "0")}`));
  assertUnnumbered(range(1, 28).map((day) => `03/${day}/2018: ${topic(day)}`));
  assertUnnumbered(range(1, 28).map((day) => `Sendung vom ${day}.3.2018`));
  assertUnnumbered(range(1, 28).map((day) => `2018年3月${day}日のニュース`));
});

Deno.test("detectEpisodeNumbers does not treat parts of stories as episode numbers", () =>
  assertUnnumbered(range(1, 12).flatMap((n) => [`${topic(n)}, Part 1`, `${topic(n)}, Part 2`, topic(n + 1)])));

Deno.test("detectEpisodeNumbers numbers the parts of a podcast that is one story", () =>
  assert.deepEqual(numbers(range(1, 20).map((n) => `Part ${n}: ${topic(n)}`)), range(1, 20)));

Deno.test("detectEpisodeNumbers does not treat bands, rooms, models and versions as episode numbers", () =>
  assertUnnumbered([
    ...["Blink 42", "Level 43", "U3", "Area 44", "The B-45s", "Room 101", "Catch 22", "Python 3.10", "Web 2.0", "GPT4"],
    ...["ES2015 in Depth", "WWDC18", "WWDC19", "WWDC20", "PS5", "Boeing 747", "Formula 1", "Apollo 13", "Apollo 14"],
  ]));

Deno.test("detectEpisodeNumbers does not treat prices, shares, times and amounts as episode numbers", () =>
  assertUnnumbered([
    ...["$1 a Day", "€2 Wine", "3% of Us", "4:30 in the Morning", "5 pm", "6 km to Go", "7 million Bees", "8.5 Points"],
    ...["9 von 10", "10/12", "24/7", "1,5 Liter", "20 Uhr", "90s Music", "30-year War", "50 Jahre danach"],
  ]));

Deno.test("detectEpisodeNumbers prefers the episode's number to a number in the topic", () => {
  const topics = ["2019 in Review", "10 Tips", "Apollo 13", "7 Questions", "Part 2", "The 100th", "24/7", "Catch 22"];
  assert.deepEqual(numbers(topics.map((topic, i) => `${i + 1}: ${topic}`)), range(1, 8));
  assert.deepEqual(numbers(topics.map((topic, i) => `${topic} #${i + 1}`)), range(1, 8));
  assert.deepEqual(numbers(topics.map((topic, i) => `Episode ${i + 1} - ${topic}`)), range(1, 8));
  assert.deepEqual(numbers(topics.map((topic, i) => `${i + 1} ${topic}`).slice(2)).slice(2), [5, 6, 7, 8]);
});

Deno.test("detectEpisodeNumbers gives no number to a special that begins with a year", () => {
  const titles = among(colon, { 6: ["2018: a Review"], 12: ["2019: What Comes"] });
  assert.deepEqual(numbers(titles), [...range(1, 6), null, ...range(7, 12), null]);
});

Deno.test("detectEpisodeNumbers ignores episode numbers of another podcast in the titles", () => {
  const titles = range(1, 12).map((n) => `${40 + n}: Some Series S2E${n}`);
  assert.deepEqual(numbers(titles), range(41, 52));
  const films = [...range(1, 30).map(topic), "Star Wars Episode 4", ...range(31, 60).map(topic), "Star Wars Episode 5"];
  assertUnnumbered(films);
});

Deno.test("detectEpisodeNumbers does not treat the days of an event as a series", () => {
  const titles = [...range(1, 30).map(topic), ...range(1, 4).map((n) => `Live at the Fair 2018: Day ${n}`), topic(31)];
  assertUnnumbered(titles);
  assertUnnumbered([
    ...range(1, 30).map(topic),
    "Japan 1",
    "Japan 2",
    "Japan 3",
    "Japan 4",
    ...range(31, 40).map(topic),
  ]);
});

Deno.test("detectEpisodeNumbers tolerates gaps and swapped episodes", () => {
  const counted = [1, 2, 3, 5, 6, 7, 9, 8, 10, 14, 15, 16];
  assert.deepEqual(numbers(counted.map(episode)), counted);
  assert.deepEqual(numbers(counted.map(colon)), counted);
});

Deno.test("detectEpisodeNumbers numbers a feed that lists only its newest episodes", () => {
  assert.deepEqual(numbers(range(2301, 2400).map(colon)), range(2301, 2400));
  assert.deepEqual(numbers(range(1990, 2060).map((n) => `#${n} ${topic(n)}`)), range(1990, 2060));
});

Deno.test("detectEpisodeNumbers numbers a feed whose numbers start late or stop", () => {
  const plain = range(1, 60).map((n) => `The Lantern Hour: ${topic(n)}`), counted = range(61, 90);
  const named = counted.map((n) => `The Lantern Hour ${n}: ${topic(n)}`);
  assert.deepEqual(numbers([...plain, ...named]), [...plain.map(() => null), ...counted]);
  const early = range(1, 30).map((n) => `The Lantern Hour ${n}: ${topic(n)}`);
  assert.deepEqual(numbers([...early, ...plain]), [...range(1, 30), ...plain.map(() => null)]);
});

Deno.test("detectEpisodeNumbers numbers episodes that follow dated ones", () => {
  const dates = range(1, 40).map((n) => `The Lantern Hour ${1 + n % 12}/${1 + n % 28}/2018`);
  const counted = range(41, 60).map((n) => `The Lantern Hour ${n}: ${topic(n)}`);
  assert.deepEqual(numbers([...dates, ...counted]), [...dates.map(() => null), ...range(41, 60)]);
});

Deno.test("detectEpisodeNumbers treats a changing form as one series", () => {
  const titles = [
    ...range(1, 8).map((n) => `${n}. Sendung vom ${n}.4.2018`),
    ...range(9, 20).map((n) => `XYZ${String(n).padStart(3, "0")}: ${topic(n)}`),
    ...range(21, 30).map((n) => `Folge ${n} – ${topic(n)}`),
    ...range(31, 36).map((n) => `${topic(n)} | ${n}`),
  ];
  assert.deepEqual(numbers(titles), range(1, 36));
});

Deno.test("detectEpisodeNumbers detects seasons that restart without a label", () => {
  const titles = [...range(1, 9), ...range(1, 10), ...range(1, 8)].map((n, i) => `Episode ${n}: ${topic(i)}`);
  assert.deepEqual(numbers(titles), [...range(1, 9), ...range(1, 10), ...range(1, 8)]);
});

Deno.test("detectEpisodeNumbers keeps the counts of two series in one feed apart", () => {
  const titles = range(1, 24).map((n) =>
    n % 2 === 0 ? `Stone Talk #${n / 2 + 30}: ${topic(n)}` : `River Talk #${(n + 1) / 2}: ${topic(n)}`
  );
  assert.deepEqual(numbers(titles), range(1, 24).map((n) => n % 2 === 0 ? n / 2 + 30 : (n + 1) / 2));
});

Deno.test("detectEpisodeNumbers tries both feed orders when dates are missing", () => {
  const undated = weeklyItems(range(1, 12).map(colon)).map((item) => ({ ...item, pubDate: null }));
  for (const items of [undated, undated.toReversed()]) {
    const { numbers } = detectEpisodeNumbers(items);
    assert.deepEqual(range(1, 12).map((n) => numbers[`guid-${n - 1}`]), range(1, 12));
  }
});

Deno.test("detectEpisodeNumbers tolerates equal dates", () => {
  const items = weeklyItems(range(1, 30).map(episode)).map((item) => ({
    ...item,
    pubDate: "Mon, 01 Jan 2018 00:00:00 GMT",
  }));
  assert.equal(Object.keys(detectEpisodeNumbers(items).numbers).length, 30);
});

Deno.test("detectEpisodeNumbers reads hostile titles quickly and finds no number in them", () => {
  const long = [
    "9".repeat(5000),
    "1.".repeat(3000),
    "S1E".repeat(2000),
    "#".repeat(9999),
    "(((1 ".repeat(999),
    "\u0001 7",
    "2018-".repeat(999),
  ];
  const items = weeklyItems(Array.from({ length: byScale(700, 7000) }, (_, i) => long[i % long.length]));
  assert.deepEqual(detectEpisodeNumbers(items).numbers, {});
});

Deno.test("detectEpisodeNumbers includes early episodes of another form that lead up to the series", () => {
  const later = range(6, 60).map((n) => `#${n} ${topic(n)}`);
  assert.deepEqual(numbers([...range(1, 5).map((n) => `${topic(n)} | ${n}`), ...later]), range(1, 60));
  const scores = [1, 2, 4, 5].map((n) => `Live at the Game | ${n * n}`);
  assert.deepEqual(numbers([...scores, ...range(100, 140).map((n) => `#${n} ${topic(n)}`)]), [
    ...scores.map(() => null),
    ...range(100, 140),
  ]);
});

Deno.test("detectEpisodeNumbers orders by date, not by document order", () => {
  const items = weeklyItems(range(1, 40).map(colon)), shuffled = items.map((_, i) => items[(i * 7) % 40]);
  const { numbers, conflicts } = detectEpisodeNumbers(shuffled);
  assert.deepEqual([range(1, 40).map((n) => numbers[`guid-${n - 1}`]), conflicts], [range(1, 40), []]);
});

Deno.test("detectEpisodeNumbers reads the beginning and end of an endless title", () => {
  const words = "many words ".repeat(500);
  assert.deepEqual(numbers([`${words} Episode 4`]), [4]);
  assert.deepEqual(numbers([`Episode 4 ${words}`]), [4]);
  assert.deepEqual(numbers([`${words} Episode 4 ${words}`]), [null]);
});

Deno.test("detectEpisodeNumbers numbers unordered episodes when none is missing", () => {
  const mixed = range(1, 30).map((n) => (n * 11) % 30 + 1);
  assert.deepEqual(numbers(mixed.map(episode)), mixed);
  assertUnnumbered([3, 10, 5, 7, 12, 5, 9, 4, 11, 6, 8, 7].map((n) => `Ranking #${n} of the Best`));
});

Deno.test("detectEpisodeNumbers does not treat chapters and verses as episode numbers", () => {
  assertUnnumbered(range(1, 40).map((n) => `John ${1 + n % 5}:${n % 20 + 1}-${n % 20 + 9} ${topic(n)}`));
  assertUnnumbered(
    ["Genesis", "Exodus", "Ruth", "Job", "Mark"].flatMap((book) => range(1, 10).map((n) => `${book} ${n}`)),
  );
});
