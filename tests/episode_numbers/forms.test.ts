// Every way of counting that is known, each as a feed of twelve episodes with other numbers in the topics.
import assert from "node:assert/strict";
import { detectEpisodeNumbers } from "../../functions/episode_numbers/detect.ts";
import { numbers, range, topic, weeklyItems } from "./weekly_items.ts";

const pad = (n: number, digits: number) => String(n).padStart(digits, "0");

const FORMS: Record<string, (n: number, topic: string) => string> = {
  "English, in full": (n, t) => `Episode ${n}: ${t}`,
  "English, short": (n, t) => `Ep. ${n} – ${t}`,
  "glued to its label": (n, t) => `EP${pad(n, 2)} ${t}`,
  "label and hash": (n, t) => `Episode #${n} | ${t}`,
  "label and No.": (n, t) => `Episode No. ${n}: ${t}`,
  "at the end in brackets": (n, t) => `${t} (Ep. ${n})`,
  "in words": (n, t) =>
    `Episode ${"One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve".split(" ")[n - 1]}: ${t}`,
  "in Roman numerals": (n, t) => `Chapter ${"I II III IV V VI VII VIII IX X XI XII".split(" ")[n - 1]}: ${t}`,
  "of a whole": (n, t) => `Episode ${n}/12: ${t}`,
  "German": (n, t) => `Folge ${n}: ${t}`,
  "German, after": (n, t) => `${n}. Folge: ${t}`,
  "German issues": (n, t) => `Ausgabe ${n} – ${t}`,
  "French": (n, t) => `Épisode ${n} : ${t}`,
  "French, numéro": (n, t) => `n° ${n} – ${t}`,
  "Spanish": (n, t) => `Capítulo ${n}. ${t}`,
  "Spanish, short": (n, t) => `${t} | Cap. ${n}`,
  "Portuguese": (n, t) => `Episódio ${n} - ${t}`,
  "Italian": (n, t) => `Puntata ${n}: ${t}`,
  "Catalan": (n, t) => `Episodi ${n}: ${t}`,
  "Dutch": (n, t) => `Aflevering ${n} - ${t}`,
  "Dutch, short": (n, t) => `Afl. ${n}: ${t}`,
  "Swedish": (n, t) => `Avsnitt ${n}: ${t}`,
  "Danish": (n, t) => `Afsnit ${n}: ${t}`,
  "Finnish": (n, t) => `Jakso ${n}: ${t}`,
  "Finnish, after": (n, t) => `${n}. jakso – ${t}`,
  "Icelandic": (n, t) => `Þáttur ${n}: ${t}`,
  "Polish": (n, t) => `Odcinek ${n} – ${t}`,
  "Polish, short": (n, t) => `Odc. ${n}: ${t}`,
  "Czech": (n, t) => `Díl ${n}: ${t}`,
  "Hungarian": (n, t) => `${n}. adás: ${t}`,
  "Romanian": (n, t) => `Episodul ${n}: ${t}`,
  "Turkish": (n, t) => `${n}. Bölüm: ${t}`,
  "Turkish, before": (n, t) => `Bölüm ${n} - ${t}`,
  "Greek": (n, t) => `Επεισόδιο ${n}: ${t}`,
  "Russian": (n, t) => `Выпуск ${n}. ${t}`,
  "Russian, №": (n, t) => `Выпуск №${n}: ${t}`,
  "Russian, after": (n, t) => `${n}-й выпуск: ${t}`,
  "Ukrainian": (n, t) => `Випуск ${n}: ${t}`,
  "Hebrew": (n, t) => `פרק ${n}: ${t}`,
  "Arabic": (n, t) => `الحلقة ${n}: ${t}`,
  "Arabic digits": (n, t) => `الحلقة ${[...String(n)].map((d) => "٠١٢٣٤٥٦٧٨٩"[Number(d)]).join("")}: ${t}`,
  "Persian digits": (n, t) => `قسمت ${[...String(n)].map((d) => "۰۱۲۳۴۵۶۷۸۹"[Number(d)]).join("")} - ${t}`,
  "Hindi": (n, t) => `एपिसोड ${n}: ${t}`,
  "Thai": (n, t) => `ตอนที่ ${n} ${t}`,
  "Vietnamese": (n, t) => `Tập ${n}: ${t}`,
  "Indonesian": (n, t) => `Eps. ${n} ${t}`,
  "Chinese 期": (n, t) => `第${n}期：${t}`,
  "Chinese 集 in characters": (n, t) =>
    `第${["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"][n - 1]}集 ${t}`,
  "full-width digits": (n, t) =>
    `第${[...String(n)].map((d) => String.fromCharCode(0xff10 + Number(d))).join("")}回 ${t}`,
  "Japanese": (n, t) => `第${n}回「${t}」`,
  "Japanese, hash": (n, t) => `＃${n} ${t}`,
  "Korean": (n, t) => `${n}회 ${t}`,
  "Korean, 제": (n, t) => `제${n}화 ${t}`,
  "a label glued to Chinese text": (n) => `EP${n}安静的河`,
  "hash": (n, t) => `#${n} ${t}`,
  "hash at the end": (n, t) => `${t} #${n}`,
  "colon": (n, t) => `${n}: ${t}`,
  "hyphen without a space": (n, t) => `${n}- ${t}`,
  "point": (n, t) => `${n}. ${t}`,
  "brackets": (n, t) => `[${n}] ${t}`,
  "padded": (n, t) => `${pad(n, 3)} ${t}`,
  "a bar at the end": (n, t) => `${t} | ${n}`,
  "letters": (n, t) => `XYZ${pad(n, 3)} ${t}`,
  "letters and hyphen": (n, t) => `QRS-${n} ${t}`,
  "the podcast's name": (n, t) => `The Lantern Hour ${n}: ${t}`,
  "the podcast's name at the end": (n, t) => `${t} – The Lantern Hour ${n}`,
  "a name with a number": (n, t) => `99 Lanterns-${pad(n, 2)}- ${t}`,
  "a fraction of a coin": (n, t) => `0.${pad(n, 8)}: ${t}`,
  "volumes": (n, t) => `Slow Songs Vol. ${n} (${t})`,
  "an emoji before it": (n, t) => `🎙️ ${n} | ${t}`,
};

for (const [name, form] of Object.entries(FORMS)) {
  Deno.test(`detectEpisodeNumbers reads the episode number of the form ${name}, as in ${form(7, "Bees")}`, () => {
    assert.deepEqual(numbers(range(1, 12).map((n) => form(n, topic(n)))), range(1, 12));
  });
}

const SEASONED: Record<string, (s: number, n: number, topic: string) => string> = {
  "S2E5": (s, n, t) => `S${s}E${n}: ${t}`,
  "S02E05": (s, n, t) => `${t} S${pad(s, 2)}E${pad(n, 2)}`,
  "S2 Ep 5": (s, n, t) => `S${s} Ep ${n} - ${t}`,
  "T2:E5": (s, n, t) => `T${s}:E${n} ${t}`,
  "2x05": (s, n, t) => `${s}x${pad(n, 2)} ${t}`,
  "2.05": (s, n, t) => `${s}.${pad(n, 2)} – ${t}`,
  "Season 2, Episode 5": (s, n, t) => `Season ${s}, Episode ${n}: ${t}`,
  "Episode 5, Season 2": (s, n, t) => `${t} (Episode ${n}, Season ${s})`,
  "S2 #5": (s, n, t) => `S${s} #${n} ${t}`,
  "S2 Afl 5": (s, n, t) => `S${s} Afl ${n}: ${t}`,
  "Staffel 2 Folge 5": (s, n, t) => `Staffel ${s} Folge ${n}: ${t}`,
  "Saison 2 épisode 5": (s, n, t) => `Saison ${s} épisode ${n} - ${t}`,
  "2 сезон 5 выпуск": (s, n, t) => `${s} сезон ${n} выпуск. ${t}`,
  "2. évad 5. epizód": (s, n, t) => `${s}. évad ${n}. epizód: ${t}`,
  "第2季第5集": (s, n, t) => `第${s}季第${n}集：${t}`,
  "시즌2 5화": (s, n, t) => `시즌${s} ${n}화 ${t}`,
};

for (const [name, form] of Object.entries(SEASONED)) {
  Deno.test(`detectEpisodeNumbers reads season and episode of the form ${name}`, () => {
    const known = [1, 2, 3].flatMap((s) => range(1, 8).map((n) => [s, n]));
    const items = weeklyItems(known.map(([s, n], i) => form(s, n, topic(i))));
    const found = detectEpisodeNumbers(items);
    assert.deepEqual(known.map((_, i) => [found.seasons?.[`guid-${i}`], found.numbers[`guid-${i}`]]), known);
  });
}
