/** German texts. */
import type { Texts } from "./texts.ts";

/** Of the pages and the player. */
export const shared: Texts["shared"] = {
  play: "Abspielen",
  pause: "Pause",
  more: "Mehr",
  chapters: "Kapitel",
  transcript: "Transkript",
  credits: "Mitwirkende",
  follow: "Wiedergabe folgen",
  subscribe: "Abonnieren",
  feed: "RSS-Feed",
  Host: "Host",
  "Co-host": "Co-Host",
  Producer: "Produktion",
  Guest: "Gast",
  Editor: "Schnitt",
  Composer: "Musik",
};

/** Of the player. */
export const player: Texts["player"] = {
  player: "Podcast-Player",
  loading: "Wird geladen …",
  back: "15 Sekunden zurück",
  forward: "30 Sekunden vor",
  position: "Position",
  of: "{0} von {1}",
  speed: "Geschwindigkeit",
  volume: "Lautstärke",
  mute: "Stummschalten",
  unmute: "Ton an",
  close: "Schließen",
  openPage: "Seite der Folge",
  share: "Teilen",
  startAt: "Ab {0} starten",
  link: "Link",
  embed: "Code zum Einbetten",
  copy: "Kopieren",
  copied: "Kopiert",
  retry: "Erneut versuchen",
  notFound: "Diese Folge ist nicht verfügbar.",
  notLoaded: "Das lädt nicht.",
  noAudio: "Diese Folge hat kein Audio.",
  badAudio: "Das Audio lädt nicht.",
};

/** Of the pages of podcasts and episodes. */
export const pages: Texts["pages"] = {
  episodes: "Folgen",
  playLatest: "Neueste Folge abspielen",
  moreEpisodes: "Weitere Folgen",
  newestEpisodes: "Neueste Folgen",
  noMoreEpisodes: "Keine weiteren Folgen.",
  support: "Podcast unterstützen",
  website: "Website",
  topics: "Themen",
  people: "Menschen",
  openPage: "Seite der Folge öffnen",
  about: "Worum es geht",
  chapterLink: "Link des Kapitels: {0}",
  transcriptFile: "Transkript öffnen",
  wholeTranscript: "Ganzes Transkript öffnen",
  explicit: "Explizit",
  image: "Bild",
  player: "Player",
  noAudio: "Diese Folge hat noch kein Audio.",
  season: "Staffel {0}",
  full: "Folge {0}",
  bonus: "Bonus {0}",
  trailer: "Trailer {0}",
};
