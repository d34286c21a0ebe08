// Whole feeds that combine several habits.
import assert from "node:assert/strict";
import { detectEpisodeNumbers } from "../../functions/episode_numbers/detect.ts";
import { readTitleNumbers } from "../../functions/episode_numbers/readings.ts";
import { type Fields, numbers, range, topic, weeklyItems } from "./weekly_items.ts";

type Known = [title: string | Fields, number: number | null];
const assertNumbers = (known: readonly Known[]) =>
  assert.deepEqual(numbers(known.map(([title]) => title)), known.map(([, n]) => n));
const pad = (n: number, digits: number) => String(n).padStart(digits, "0");
const day = (i: number) => new Date(Date.UTC(2018, 0, 1 + 7 * i));

Deno.test("detectEpisodeNumbers numbers a single episode with a label", () => {
  const lone: Record<string, number> = {
    "Episode 4: Bees": 4,
    "Ep 4 - Bees": 4,
    "S1E4 Bees": 4,
    "1x04 Bees": 4,
    "Folge 4: Bienen": 4,
    "4. Folge: Bienen": 4,
    "Épisode 4 : Abeilles": 4,
    "Episodio 4": 4,
    "Capítulo 4": 4,
    "Puntata 4": 4,
    "Aflevering 4": 4,
    "Afl. 4: Bijen": 4,
    "Avsnitt 4": 4,
    "Afsnit 4": 4,
    "Jakso 4": 4,
    "Þáttur 4": 4,
    "Odcinek 4": 4,
    "Odc. 4": 4,
    "Epizoda 4": 4,
    "4. díl": 4,
    "4. adás": 4,
    "Episodul 4": 4,
    "Bölüm 4": 4,
    "4. Bölüm": 4,
    "Επεισόδιο 4": 4,
    "Выпуск 4": 4,
    "4 выпуск": 4,
    "Випуск 4": 4,
    "Епизода 4": 4,
    "פרק 4": 4,
    "الحلقة 4": 4,
    "الحلقة ٤": 4,
    "قسمت ۴": 4,
    "एपिसोड 4": 4,
    "ตอนที่ 4": 4,
    "Tập 4": 4,
    "Eps. 4": 4,
    "第4期": 4,
    "第四集": 4,
    "第４回": 4,
    "エピソード4": 4,
    "4회": 4,
    "제4화": 4,
    "Episode Four": 4,
    "Episode 1,024": 1024,
    "Pennod 4": 4,
    "Episodi 4": 4,
    "4. jakso": 4,
    "Episood 4": 4,
    "Chapter IV": NaN,
  };
  for (const [title, number] of Object.entries(lone)) {
    assert.deepEqual(numbers([title]), [Number.isNaN(number) ? null : number], title);
  }
});

Deno.test("detectEpisodeNumbers numbers a podcast with repeats, visits and anniversaries", () =>
  assertNumbers([
    ["Introducing: The Well", null],
    ...range(1, 44).map((n): Known => [`${n}. ${topic(n)}`, n]),
    ["Best of 2018", null],
    ["12. Cold Water (Replay)", 12],
    ["Extra: Ten Minutes with Ada", null],
    ...range(45, 60).map((n): Known => [`${n}. ${n === 50 ? "Our 50th Episode!" : topic(n)}`, n]),
    ["Live at the Harbour, 5/6/2019", null],
    ["61. 1984 and Other Years", 61],
    ["Freeing the 27", null],
  ]));

Deno.test("detectEpisodeNumbers numbers a podcast whose campaigns are its seasons", () => {
  const known = [1, 2].flatMap((c) => range(1, 30).map((n) => [c, n]));
  const found = detectEpisodeNumbers(weeklyItems(known.map(([c, n], i) => `${topic(i)} (C${c}E${pad(n, 3)})`)));
  assert.deepEqual(known.map((_, i) => [found.seasons?.[`guid-${i}`], found.numbers[`guid-${i}`]]), known);
});

Deno.test("detectEpisodeNumbers numbers a podcast with season and episode as one decimal", () => {
  const known = range(1, 4).flatMap((s) => range(1, 12).map((n) => [s, n]));
  const found = detectEpisodeNumbers(weeklyItems(known.map(([s, n], i) => `Episode ${s}.${n}: ${topic(i)}`)));
  assert.deepEqual(known.map((_, i) => [found.seasons?.[`guid-${i}`], found.numbers[`guid-${i}`]]), known);
});

Deno.test("detectEpisodeNumbers numbers three alternating podcasts of one feed", () => {
  const counts = [0, 100, 7], names = ["Read", "Chat", "Guest"];
  assertNumbers(
    range(0, 59).map((i): Known => [`Paper Audible_${names[i % 3]}_${++counts[i % 3]} - ${topic(i)}`, counts[i % 3]]),
  );
});

Deno.test("detectEpisodeNumbers gives no number to an aftershow that names its episode", () =>
  assertNumbers(
    range(1, 20).flatMap((n): Known[] => [[`${n}: ${topic(n)}`, n], [`Aftershow ${n}: ${topic(n)}`, null]]),
  ));

Deno.test("detectEpisodeNumbers gives no number to clips between the episodes", () =>
  assertNumbers(
    range(1, 24).flatMap((n): Known[] => [[`#${n} - ${topic(n)}`, n], [`[EXTRAIT] #${n} - ${topic(n + 3)}`, null]]),
  ));

Deno.test("detectEpisodeNumbers numbers episodes that appear as audio and as video", () =>
  assertNumbers(range(1, 15).flatMap((n): Known[] => [[`${n}: ${topic(n)}`, n], [`${n}: ${topic(n)} (Video)`, n]])));

Deno.test("detectEpisodeNumbers gives no number to daily news with day and month", () => {
  const days = range(0, 60).map((i) => new Date(Date.UTC(2018, 0, 1 + i)));
  const items = (title: (day: number, month: number) => string) =>
    days.map((at): Known => [{ title: title(at.getUTCDate(), at.getUTCMonth() + 1), pubDate: at.toISOString() }, null]);
  assertNumbers(items((day, month) => `${pad(month, 2)}${pad(day, 2)} ${topic(day)}`));
  assertNumbers(items((day, month) => `${pad(day, 2)}${pad(month, 2)}: ${topic(day)}`));
  assertNumbers(
    days.map((
      at,
    ): Known => [
      { title: `${at.toISOString().slice(2, 10).replaceAll("-", "")} News`, pubDate: at.toISOString() },
      null,
    ]),
  );
  assertNumbers(items((day, month) => `News ${day}.${month}.`));
  assertNumbers(items((day, month) => `早报｜${month}月${day}日`));
});

Deno.test("detectEpisodeNumbers gives no number to the hours of one program", () =>
  assertNumbers(
    range(0, 30).flatMap((i): Known[] =>
      range(1, 3).map((hour): Known => [`${day(i).toUTCString()} Hour ${hour}`, null])
    ),
  ));

Deno.test("detectEpisodeNumbers does not treat four-part stories as episodes 1 to 4", () =>
  assertNumbers(
    range(1, 20).flatMap((story): Known[] => range(1, 4).map((part): Known => [`${topic(story)} ${part}/4`, null])),
  ));

Deno.test("detectEpisodeNumbers reads a letter used as a bar as a bar", () => {
  for (const title of ["003丨安静的河", "003ㅣ조용한 강", "003｜静かな川"]) {
    assert.equal(readTitleNumbers(title).readings[0].slots[0].key, "start|");
  }
  assertNumbers(range(1, 30).map((n): Known => [`${pad(n, 3)}丨安静的河${n % 7}`, n]));
});

Deno.test("detectEpisodeNumbers does not treat yearly match weeks as episode numbers", () =>
  assertNumbers(range(1, 3).flatMap((): Known[] => range(1, 17).map((week): Known => [`Week ${week} Review`, null]))));

Deno.test("detectEpisodeNumbers combines the publisher's seasons with the titles' numbers", () => {
  const known = [1, 2, 3].flatMap((season) => range(1, 7).map((n) => ({ season, n })));
  assertNumbers(known.map(({ season, n }): Known => [{ title: `${n}. ${topic(n + season)}`, season }, n]));
});

Deno.test("detectEpisodeNumbers numbers a podcast that counts in its name and was renamed", () =>
  assertNumbers([
    ...range(1, 30).map((n): Known => [`${topic(n)} | RADIO RIVER ${n}`, n]),
    ...range(31, 60).map((n): Known => [`${topic(n)} | RR ${n}`, n]),
    ...range(61, 80).map((n): Known => [`${n}: ${topic(n)}`, n]),
  ]));
