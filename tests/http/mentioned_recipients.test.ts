// private.mentioned_recipients() against a reference that scans characters, over random names and messages.
import assert from "node:assert/strict";
import { sql } from "./harness.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";

const INVISIBLE = /[\u00ad\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]/gu;
const APOSTROPHE = /[`\u00b4\u02b9\u02bb-\u02bd\u05f3\u2018\u2019\u201b\u2032\ua78c]/gu;
const fold = (text: string) =>
  text.replaceAll(INVISIBLE, "").replaceAll("\u00b4", "'").normalize("NFKC").replaceAll(APOSTROPHE, "'").toUpperCase()
    .normalize().toLowerCase().replaceAll("ς", "σ")
    .replaceAll(/\s+/g, " ").trim();

const isWord = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{M}\p{N}\u200d_]/u.test(character) &&
  !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(character);

const isPrefix = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{M}]/u.test(character) &&
  /[\p{Script=Hebrew}\p{Script=Arabic}\u0640\u064b-\u0655]/u.test(character);

/** The places of characters that a URL has behind its first one. */
function placesInUrls(characters: string[]): Set<number> {
  const places = new Set<number>();
  let start = 0, isInUrl = false;
  for (let at = 0; at < characters.length; at++) {
    if (/[ <>"、。「-』]/u.test(characters[at])) {
      start = at + 1;
      isInUrl = false;
    } else if (isInUrl) places.add(at);
    else {
      isInUrl = /[\p{L}\p{N}](?::\/\/|\.\p{L}[\p{L}\p{N}-]+(?::\d+)?[/?#])$/u.test(
        characters.slice(start, at + 1).join(""),
      );
    }
  }
  return places;
}

function mentionedPlaces(body: string, names: string[]): number[] {
  const characters = [...fold(body)], mentioned = new Set<string>();
  const folded = names.map((name) => fold(name).replace(/^[@ ]+/, ""));
  const inUrls = placesInUrls(characters);
  const byLength = folded.filter(Boolean).map((name) => [...name]).sort((a, b) => b.length - a.length);
  for (let at = characters.indexOf("@"); at >= 0; at = characters.indexOf("@", at + 1)) {
    if (inUrls.has(at) || isWord(characters[at - 1]) && !isPrefix(characters[at - 1])) continue;
    const found = byLength.find((name) =>
      name.every((character, n) => characters[at + 1 + n] === character) && !isWord(characters[at + 1 + name.length])
    );
    if (found) mentioned.add(found.join(""));
  }
  return folded.flatMap((name, n) => mentioned.has(name) ? [n + 1] : []);
}

// deno-fmt-ignore
const WORDS = ["Ann", "ANNA", "anna", "Lee", "Ä", "a\u0308", "José", "Jose\u0301", "Jose", "O'Brien", "Dr.", "J.", "7", "٣",
  "７", "_", "Straße", "STRASSE", "Οδυσσεύς", "ΟΔΥΣΣΕΎΣ", "Жанна", "ЖАННА", "דנה", "כהן", "كريم", "नम", "नमन", "न\u094d",
  "小林", "さん", "カナ", "김", "민수", "🎙", "🎙\ufe0f", "👩", "👩\u200d💻", "C++", ".*", "\\", "%", "O’Brien", "https:", "x.example", "ﬁn", "fin"];
// deno-fmt-ignore
const JOINTS = [" ", " ", " ", "  ", "\n", "\u00a0", "", "@", "@", " @", " @", " @", ", ", "-", "/", "/", "://", "_", "\u200f", "\u2068", "🎉", "\u0301"];

const SEED = 70, CASES = byScale(1000, 100_000);

Deno.test(`mentioned_recipients agrees with a reference on ${CASES} random messages (seed ${SEED})`, async () => {
  const dice = seededRandom(SEED);
  const text = (words: number, joints: string[]) =>
    Array.from({ length: words }, () => dice.one(joints) + dice.one(WORDS)).join("");
  const cases = Array.from({ length: CASES }, () => {
    const names = Array.from(
      { length: dice.below(8) },
      () => dice.chance(0.1) ? text(2, JOINTS) : dice.one(WORDS) + text(dice.below(3), [" "]),
    );
    const piece = () => names.length && dice.chance(0.7) ? dice.one(names) : dice.one(WORDS);
    const joint = () => dice.chance(0.4) ? " @" : dice.one(JOINTS);
    return { body: Array.from({ length: dice.below(12) }, () => joint() + piece()).join(""), names };
  });
  let mentions = 0;
  for (let start = 0; start < CASES; start += 1000) {
    const batch = cases.slice(start, start + 1000);
    const rows = await sql<{ places: number[] }[]>`
      select private.mentioned_recipients(c.body, array(
        select n.name from jsonb_array_elements_text(c.names) with ordinality n (name, place) order by n.place)) as places
      from rows from (jsonb_to_recordset(${
      sql.json(batch)
    }) as (body text, names jsonb)) with ordinality c (body, names, n)
      order by c.n`;
    for (const [n, { places }] of rows.entries()) {
      assert.deepEqual(places, mentionedPlaces(batch[n].body, batch[n].names), JSON.stringify(batch[n]));
      mentions += places.length;
    }
  }
  assert.ok(mentions > CASES, `${mentions} mentions`);
});
