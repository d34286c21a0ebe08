// The publisher's number takes precedence, and contradicting titles are reported.
import assert from "node:assert/strict";
import { detectEpisodeNumbers } from "../../functions/episode_numbers/detect.ts";
import { type Fields, range, topic, weeklyItems } from "./weekly_items.ts";

const detect = (episodes: readonly (string | Fields)[]) => detectEpisodeNumbers(weeklyItems(episodes));
const fieldsOf = (n: number, title: string, more: Partial<Fields> = {}): Fields => ({ title, episode: n, ...more });

Deno.test("detectEpisodeNumbers keeps the publisher's number and reports a title that contradicts it", () => {
  const { numbers, conflicts, pattern } = detect(
    range(1, 12).map((n) => fieldsOf(n === 7 ? 70 : n, `Episode ${n}: ${topic(n)}`)),
  );
  assert.equal(numbers["guid-6"], 70);
  assert.equal(pattern, "itunes:episode / Episode {n}");
  assert.deepEqual(conflicts, [{ guid: "guid-6", titleNumber: 7, publisherNumber: 70, reason: "publisher_mismatch" }]);
});

Deno.test("detectEpisodeNumbers uses the publisher's numbers when the titles have none", () => {
  const found = detect(range(1, 5).map((n) => fieldsOf(n, topic(n), { season: 2 })));
  assert.deepEqual(found, {
    pattern: "itunes:episode",
    confidence: 1,
    numbers: Object.fromEntries(range(1, 5).map((n) => [`guid-${n - 1}`, n])),
    conflicts: [],
    seasons: Object.fromEntries(range(0, 4).map((i) => [`guid-${i}`, 2])),
  });
});

Deno.test("detectEpisodeNumbers numbers earlier episodes by their titles when the publisher's numbers start later", () => {
  const { numbers, conflicts } = detect(
    range(1, 40).map((n) => n > 25 ? fieldsOf(n, `${n}: ${topic(n)}`) : `${n}: ${topic(n)}`),
  );
  assert.deepEqual(range(1, 40).map((n) => numbers[`guid-${n - 1}`]), range(1, 40));
  assert.deepEqual(conflicts, []);
});

Deno.test("detectEpisodeNumbers does not fill the publisher's gaps from titles that count differently", () => {
  const titles = range(1, 30).map((n) =>
    n % 2 === 0 ? `${n + 100}: ${topic(n)}` : fieldsOf(n, `${n + 100}: ${topic(n)}`)
  );
  const { numbers, conflicts } = detect(titles);
  assert.deepEqual(
    range(1, 30).filter((n) => numbers[`guid-${n - 1}`] !== undefined),
    range(1, 30).filter((n) => n % 2 !== 0),
  );
  assert.equal(conflicts.filter(({ reason }) => reason === "publisher_mismatch").length, 15);
});

Deno.test("detectEpisodeNumbers gives a bonus about an episode no number", () => {
  const titles = range(1, 10).flatMap((n): Fields[] => [
    fieldsOf(n, `${topic(n)} | ${n}`, { season: 2 }),
    { title: `Inside the Episode: S2E${n}`, season: 2, episodeType: "bonus" },
  ]);
  const { numbers } = detect(titles);
  assert.deepEqual(Object.keys(numbers).length, 10);
  assert.ok(range(0, 9).every((i) => numbers[`guid-${2 * i}`] === i + 1));
});

Deno.test("detectEpisodeNumbers ignores a publisher's number that is not an integer", () => {
  const { numbers } = detect([fieldsOf(1.5, "Bees"), fieldsOf(-3, "Boats"), fieldsOf(NaN, "Maps")]);
  assert.deepEqual(numbers, {});
});

Deno.test("detectEpisodeNumbers reports duplicate numbers and numbers out of sequence", () => {
  const repeated = detect([...range(1, 9), 9, ...range(10, 12)].map((n, i) => `Episode ${n}: ${topic(i)}`));
  assert.deepEqual(repeated.conflicts, [{
    guid: "guid-9",
    titleNumber: 9,
    publisherNumber: null,
    reason: "duplicate_number",
  }]);
  const foreign = detect(range(1, 12).map((n) => n === 6 ? `4711: ${topic(n)}` : `${n}: ${topic(n)}`));
  assert.deepEqual(foreign.conflicts, [{
    guid: "guid-5",
    titleNumber: 4711,
    publisherNumber: null,
    reason: "out_of_sequence",
  }]);
  assert.equal(foreign.numbers["guid-5"], undefined);
});

Deno.test("detectEpisodeNumbers accepts GUIDs that are names of object properties", () => {
  const titles = ["__proto__", "constructor", "toString"].map((guid, i) => ({
    guid,
    title: `Episode ${i + 1}: ${topic(i)}`,
  }));
  const { numbers } = detect(titles);
  assert.deepEqual(Object.entries(numbers).map(([, n]) => n).toSorted(), [1, 2, 3]);
});

Deno.test("detectEpisodeNumbers returns a confidence that grows with the evidence", () => {
  const few = detect(["Episode 1: Bees", "Episode 2: Boats"]).confidence;
  const many = detect(range(1, 50).map((n) => `Episode ${n}: ${topic(n)}`)).confidence;
  assert.ok(few > 0 && few < many && many > 0.95, `${few}, ${many}`);
});

Deno.test("detectEpisodeNumbers lists the forms of the titles in `pattern`, most frequent first", () => {
  const pattern = (form: (n: number) => string) => detect(range(1, 12).map(form)).pattern;
  assert.equal(pattern((n) => `Staffel 2 Folge ${n}: ${topic(n)}`), "Folge {n}");
  assert.equal(pattern((n) => `S2E${n} ${topic(n)}`), "S{s}E{n}");
  assert.equal(pattern((n) => `第${n}期：${topic(n)}`), "第{n}期");
  assert.equal(pattern((n) => `${n}. Folge: ${topic(n)}`), "{n}. Folge");
  assert.equal(pattern((n) => `XYZ${n} ${topic(n)}`), "XYZ{n}");
  assert.equal(pattern((n) => n > 4 ? `#${n} ${topic(n)}` : `Episode ${n}: ${topic(n)}`), "#{n} / Episode {n}");
});
