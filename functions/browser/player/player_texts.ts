/** All texts of the player, by language. */
import { selectTexts, SHARED_TEXTS } from "../../text/listening_texts.ts";

/** A column per language. */
const TABLE = {
  ...SHARED_TEXTS,
  player: ["Podcast player", "Podcast-Player"],
  loading: ["Loading…", "Wird geladen …"],
  back: ["Skip back 15 seconds", "15 Sekunden zurück"],
  forward: ["Skip forward 30 seconds", "30 Sekunden vor"],
  position: ["Position", "Position"],
  of: ["{0} of {1}", "{0} von {1}"],
  speed: ["Playback speed", "Geschwindigkeit"],
  volume: ["Volume", "Lautstärke"],
  mute: ["Mute", "Stummschalten"],
  unmute: ["Unmute", "Ton an"],
  close: ["Close", "Schließen"],
  openPage: ["Episode page", "Seite der Folge"],
  share: ["Share", "Teilen"],
  startAt: ["Start at {0}", "Ab {0} starten"],
  link: ["Link", "Link"],
  embed: ["Embed code", "Code zum Einbetten"],
  copy: ["Copy", "Kopieren"],
  copied: ["Copied", "Kopiert"],
  retry: ["Try again", "Erneut versuchen"],
  notFound: ["This episode is not available.", "Diese Folge ist nicht verfügbar."],
  notLoaded: ["This could not be loaded.", "Das lädt nicht."],
  noAudio: ["This episode has no audio.", "Diese Folge hat kein Audio."],
  badAudio: ["The audio could not be loaded.", "Das Audio lädt nicht."],
};

export type Texts = Record<keyof typeof TABLE, string>;

export const textsIn = (tag: string) => selectTexts(TABLE, tag);
