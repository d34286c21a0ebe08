/** Our own words on pages of podcasts, by language. People's words are in the podcast's language. */
const LANGUAGES = ["en", "de"];

/** A column per language. */
const TABLE = {
  episodes: ["Episodes", "Folgen"],
  playLatest: ["Play latest episode", "Neueste Folge abspielen"],
  play: ["Play", "Abspielen"],
  pause: ["Pause", "Pause"],
  more: ["More", "Mehr"],
  moreEpisodes: ["More episodes", "Weitere Folgen"],
  newestEpisodes: ["Newest episodes", "Neueste Folgen"],
  noMoreEpisodes: ["No more episodes.", "Keine weiteren Folgen."],
  subscribe: ["Subscribe", "Abonnieren"],
  feed: ["RSS feed", "RSS-Feed"],
  support: ["Support the show", "Podcast unterstützen"],
  website: ["Website", "Website"],
  topics: ["Topics", "Themen"],
  people: ["People", "Menschen"],
  credits: ["Credits", "Mitwirkende"],
  openPage: ["Open episode page", "Seite der Folge öffnen"],
  about: ["About", "Worum es geht"],
  chapters: ["Chapters", "Kapitel"],
  chapterLink: ["Link of chapter: {0}", "Link des Kapitels: {0}"],
  transcript: ["Transcript", "Transkript"],
  transcriptFile: ["Open transcript", "Transkript öffnen"],
  wholeTranscript: ["Open the whole transcript", "Ganzes Transkript öffnen"],
  explicit: ["Explicit", "Explizit"],
  image: ["Image", "Bild"],
  player: ["Player", "Player"],
  noAudio: ["This episode has no audio yet.", "Diese Folge hat noch kein Audio."],
  season: ["season {0}", "Staffel {0}"],
  full: ["episode {0}", "Folge {0}"],
  bonus: ["bonus {0}", "Bonus {0}"],
  trailer: ["trailer {0}", "Trailer {0}"],
  Host: ["Host", "Host"],
  "Co-host": ["Co-host", "Co-Host"],
  Producer: ["Producer", "Produktion"],
  Guest: ["Guest", "Gast"],
  Editor: ["Editor", "Schnitt"],
  Composer: ["Composer", "Musik"],
};

export type Texts = Record<keyof typeof TABLE, string>;

const textsByLanguage = LANGUAGES.map((_, column) =>
  Object.fromEntries(Object.entries(TABLE).map(([key, row]) => [key, row[column]])) as Texts
);

/** The texts in a language, else in English, with the tag of their own language. */
export function textsIn(tag: string): { texts: Texts; language: string } {
  const column = Math.max(0, LANGUAGES.indexOf(tag.slice(0, 2).toLowerCase()));
  return { texts: textsByLanguage[column], language: LANGUAGES[column] };
}

export const fill = (text: string, value: string | number) => text.replace("{0}", () => String(value));
