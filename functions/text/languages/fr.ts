/** French texts. */
import type { Texts } from "./texts.ts";

/** Of the pages and the player. */
export const shared: Texts["shared"] = {
  play: "Lire",
  pause: "Pause",
  more: "Plus",
  chapters: "Chapitres",
  transcript: "Transcription",
  credits: "Crédits",
  follow: "Suivre la lecture",
  subscribe: "S’abonner",
  feed: "Flux RSS",
  Host: "Présentation",
  "Co-host": "Coprésentation",
  Producer: "Production",
  Guest: "Invité·e",
  Editor: "Montage",
  Composer: "Musique",
};

/** Of the player. */
export const player: Texts["player"] = {
  player: "Lecteur de podcast",
  loading: "Chargement…",
  back: "Reculer de 15 secondes",
  forward: "Avancer de 30 secondes",
  position: "Position",
  of: "{0} sur {1}",
  speed: "Vitesse de lecture",
  volume: "Volume",
  mute: "Couper le son",
  unmute: "Rétablir le son",
  close: "Fermer",
  openPage: "Page de l’épisode",
  share: "Partager",
  startAt: "Démarrer à {0}",
  link: "Lien",
  embed: "Code d’intégration",
  copy: "Copier",
  copied: "Copié",
  retry: "Réessayer",
  notFound: "Cet épisode n’est pas disponible.",
  notLoaded: "Le chargement a échoué.",
  noAudio: "Cet épisode n’a pas d’audio.",
  badAudio: "L’audio n’a pas pu être chargé.",
};

/** Of the pages of podcasts and episodes. */
export const pages: Texts["pages"] = {
  episodes: "Épisodes",
  playLatest: "Écouter le dernier épisode",
  moreEpisodes: "Plus d’épisodes",
  newestEpisodes: "Épisodes les plus récents",
  noMoreEpisodes: "Plus d’autres épisodes.",
  support: "Soutenir le podcast",
  website: "Site web",
  topics: "Thèmes",
  people: "Personnes",
  openPage: "Ouvrir la page de l’épisode",
  about: "À propos",
  chapterLink: "Lien du chapitre : {0}",
  transcriptFile: "Ouvrir la transcription",
  wholeTranscript: "Ouvrir la transcription complète",
  explicit: "Explicite",
  image: "Image",
  player: "Lecteur",
  noAudio: "Cet épisode n’a pas encore d’audio.",
  season: "saison {0}",
  full: "épisode {0}",
  bonus: "bonus {0}",
  trailer: "bande-annonce {0}",
};
