/** Our own words on pages of podcasts, by language. People's words are in the podcast's language. */
import { selectTexts, SHARED_TEXTS } from "../../text/listening_texts.ts";

/** A column per language. */
const TABLE = {
  ...SHARED_TEXTS,
  episodes: ["Episodes", "Folgen"],
  playLatest: ["Play latest episode", "Neueste Folge abspielen"],
  moreEpisodes: ["More episodes", "Weitere Folgen"],
  newestEpisodes: ["Newest episodes", "Neueste Folgen"],
  noMoreEpisodes: ["No more episodes.", "Keine weiteren Folgen."],
  support: ["Support the show", "Podcast unterstützen"],
  website: ["Website", "Website"],
  topics: ["Topics", "Themen"],
  people: ["People", "Menschen"],
  openPage: ["Open episode page", "Seite der Folge öffnen"],
  about: ["About", "Worum es geht"],
  chapterLink: ["Link of chapter: {0}", "Link des Kapitels: {0}"],
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
};

export type Texts = Record<keyof typeof TABLE, string>;

export const textsIn = (tag: string) => selectTexts(TABLE, tag);
