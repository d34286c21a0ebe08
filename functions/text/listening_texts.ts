/** Texts that pages and the player share, and how each finds its own, by language. */
const LANGUAGES = ["en", "de"];

/** A column per language. */
export const SHARED_TEXTS = {
  play: ["Play", "Abspielen"],
  pause: ["Pause", "Pause"],
  more: ["More", "Mehr"],
  chapters: ["Chapters", "Kapitel"],
  transcript: ["Transcript", "Transkript"],
  credits: ["Credits", "Mitwirkende"],
  follow: ["Follow playback", "Wiedergabe folgen"],
  subscribe: ["Subscribe", "Abonnieren"],
  feed: ["RSS feed", "RSS-Feed"],
  Host: ["Host", "Host"],
  "Co-host": ["Co-host", "Co-Host"],
  Producer: ["Producer", "Produktion"],
  Guest: ["Guest", "Gast"],
  Editor: ["Editor", "Schnitt"],
  Composer: ["Composer", "Musik"],
};

/** The texts of a table in a language, else in English, with the tag of their own language. */
export function selectTexts<Key extends string>(table: Record<Key, string[]>, tag: string) {
  const column = Math.max(0, LANGUAGES.indexOf(tag.slice(0, 2).toLowerCase()));
  const texts = Object.fromEntries(Object.entries<string[]>(table).map(([key, row]) => [key, row[column]]));
  return { texts: texts as Record<Key, string>, language: LANGUAGES[column] };
}

/** Replaces {0}, {1} … by the values. */
export const fill = (text: string, ...values: (string | number)[]) =>
  text.replace(/\{(\d)\}/g, (_, n) => values[n] as string);
