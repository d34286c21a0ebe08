// Side items, repeats, and shared numbers.
import assert from "node:assert/strict";
import { type Fields, numbers, range, topic } from "./weekly_items.ts";

/** Twelve titles of a series, with others inserted at the given positions. */
const among = (form: (n: number) => string, others: Record<number, (string | Fields)[]>, to = 12) =>
  range(1, to).flatMap((n): (string | Fields)[] => [form(n), ...others[n] ?? []]);
const colon = (n: number) => `${n}: ${topic(n)}`;
const episode = (n: number) => `Episode ${n}: ${topic(n)}`;

Deno.test("detectEpisodeNumbers gives bonuses and trailers no number, unless they have their own in sequence", () => {
  const titles = among(episode, {
    3: ["Bonus: Outtakes", { title: "Inside Episode 3", episodeType: "bonus" }],
    5: ["Bonus Episode 1: More Bees", "Trailer: Episode 6"],
    8: [{ title: "Episode 8 Extended", episodeType: "Bonus" }],
    12: [{ title: "Episode 13: Live", episodeType: "bonus" }],
  });
  const expected = [1, 2, 3, null, null, 4, 5, null, null, 6, 7, 8, null, 9, 10, 11, 12, 13];
  assert.deepEqual(numbers(titles), expected);
});

Deno.test("detectEpisodeNumbers keeps the count of a side series out of the main series", () => {
  const titles = among((n) => `#${n} – ${topic(n)}`, { 2: ["Mailbag #1"], 5: ["Mailbag #2"], 9: ["Mailbag #3"] }, 20);
  assert.deepEqual(numbers(titles).filter((_, i) => String(titles[i]).startsWith("Mailbag")), [null, null, null]);
  assert.deepEqual(numbers(titles).filter((_, i) => !String(titles[i]).startsWith("Mailbag")), range(1, 20));
});

Deno.test("detectEpisodeNumbers keeps the number of a repeated episode", () => {
  const titles = among((n) => `${n}- ${topic(n)}`, {
    9: ["4- Old Maps (Rebroadcast)"],
    11: ["2- Bees (R)", "Encore: 7- Paper"],
  });
  assert.deepEqual(numbers(titles), [...range(1, 9), 4, 10, 11, 2, 7, 12]);
});

Deno.test("detectEpisodeNumbers accepts two parts with one number", () => {
  const titles = among(episode, { 6: ["Episode 6: The Well (Part 2)"] });
  assert.deepEqual(numbers(titles), [...range(1, 6), 6, ...range(7, 12)]);
});

Deno.test("detectEpisodeNumbers does not treat halves, letters and ranges as episode numbers", () => {
  const titles = among(episode, { 4: ["Episode 4.5: Between", "Episode 4b: More"], 9: ["Episodes 9-10: Both"] });
  assert.deepEqual(numbers(titles), [...range(1, 4), null, null, ...range(5, 9), null, ...range(10, 12)]);
});

Deno.test("detectEpisodeNumbers ignores a repeat or bonus label that every title has", () => {
  assert.deepEqual(numbers(range(1, 12).map((n) => `The Special Hour ${n}: ${topic(n)}`)), range(1, 12));
  assert.deepEqual(numbers(range(1, 12).map((n) => `Classic Boats ${n}: ${topic(n)}`)), range(1, 12));
});

Deno.test("detectEpisodeNumbers numbers one or two episodes only with a label", () => {
  assert.deepEqual(numbers(["Episode 3: Bees"]), [3]);
  assert.deepEqual(numbers(["3 Bees", "12 Boats"]), [null, null]);
  assert.deepEqual(numbers(["Bees 2"]), [null]);
});

Deno.test("detectEpisodeNumbers does not take a bonus in a gap for the missing episode", () => {
  const titles = [...range(1, 5), ...range(9, 14)].map(episode);
  titles.splice(5, 0, "Bonus Episode 6");
  assert.deepEqual(numbers(titles), [...range(1, 5), null, ...range(9, 14)]);
  const typed: (string | Fields)[] = [...range(1, 5), ...range(9, 14)].map(episode);
  typed.splice(5, 0, { title: "More of Episode 7", episodeType: "bonus" });
  assert.deepEqual(numbers(typed), [...range(1, 5), null, ...range(9, 14)]);
});

Deno.test("detectEpisodeNumbers numbers a podcast that is called Extra or Special", () =>
  assert.deepEqual(numbers(range(1, 12).map((n) => `Extra ${n}: ${topic(n)}`)), range(1, 12)));

Deno.test("detectEpisodeNumbers accepts an old number with the same title, and rejects it with another", () => {
  const other = among(colon, { 11: ["3: Something Else Altogether"] });
  assert.deepEqual(numbers(other), [...range(1, 11), null, 12]);
  const same = among(colon, { 11: [colon(3)] });
  assert.deepEqual(numbers(same), [...range(1, 11), 3, 12]);
});

Deno.test("detectEpisodeNumbers gives no number to two episodes in one", () =>
  assert.deepEqual(numbers(among(colon, { 8: ["9-10: Both"] }).filter((title) => !/^(?:9|10):/.test(String(title)))), [
    ...range(1, 8),
    null,
    11,
    12,
  ]));

Deno.test("detectEpisodeNumbers does not treat parts after a dot or hyphen as episodes 1 and 2", () => {
  for (
    const form of [
      (n: number, part: number) => `#${n}.${part} - ${topic(n)}`,
      (n: number, part: number) => `${n}.${part}: ${topic(n)}`,
    ]
  ) {
    const titles = range(1, 30).flatMap((n) => n % 5 === 0 ? [form(n, 1), form(n, 2)] : [form(n, 0).replace(".0", "")]);
    assert.deepEqual(numbers(titles), range(1, 30).flatMap((n) => n % 5 === 0 ? [null, null] : [n]));
  }
  const hyphens = range(1, 30).flatMap((n) =>
    n % 5 === 0 ? [`#${n}-1 ${topic(n)}`, `#${n}-2 ${topic(n)}`] : [`#${n} ${topic(n)}`]
  );
  assert.deepEqual(numbers(hyphens), range(1, 30).flatMap((n) => n % 5 === 0 ? [null, null] : [n]));
});
