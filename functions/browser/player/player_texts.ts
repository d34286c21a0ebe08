/** All texts of the player, by language. */
const LANGUAGES = ["en", "de"];

/** A column per language. */
const TABLE = {
  player: ["Podcast player", "Podcast-Player"],
  loading: ["Loading…", "Wird geladen …"],
  play: ["Play", "Abspielen"],
  pause: ["Pause", "Pause"],
  back: ["Skip back 15 seconds", "15 Sekunden zurück"],
  forward: ["Skip forward 30 seconds", "30 Sekunden vor"],
  position: ["Position", "Position"],
  of: ["{0} of {1}", "{0} von {1}"],
  speed: ["Playback speed", "Geschwindigkeit"],
  volume: ["Volume", "Lautstärke"],
  mute: ["Mute", "Stummschalten"],
  unmute: ["Unmute", "Ton an"],
  more: ["More", "Mehr"],
  close: ["Close", "Schließen"],
  openPage: ["Episode page", "Seite der Folge"],
  chapters: ["Chapters", "Kapitel"],
  transcript: ["Transcript", "Transkript"],
  follow: ["Follow playback", "Wiedergabe folgen"],
  credits: ["Credits", "Mitwirkende"],
  subscribe: ["Subscribe", "Abonnieren"],
  feed: ["RSS feed", "RSS-Feed"],
  share: ["Share", "Teilen"],
  startAt: ["Start at {0}", "Ab {0} starten"],
  link: ["Link", "Link"],
  embed: ["Embed code", "Code zum Einbetten"],
  copy: ["Copy", "Kopieren"],
  copied: ["Copied", "Kopiert"],
  retry: ["Try again", "Erneut versuchen"],
  notFound: ["This episode is not available.", "Diese Folge ist nicht verfügbar."],
  notLoaded: ["This could not be loaded.", "Das konnte nicht geladen werden."],
  noAudio: ["This episode has no audio.", "Diese Folge hat kein Audio."],
  badAudio: ["The audio could not be loaded.", "Das Audio konnte nicht geladen werden."],
  Host: ["Host", "Host"],
  "Co-host": ["Co-host", "Co-Host"],
  Producer: ["Producer", "Produktion"],
  Guest: ["Guest", "Gast"],
  Editor: ["Editor", "Schnitt"],
  Composer: ["Composer", "Musik"],
};

export type Texts = Record<keyof typeof TABLE, string>;

/** The texts in a language, else in English, with the tag of their own language. */
export function textsIn(tag: string): { texts: Texts; language: string } {
  const column = Math.max(0, LANGUAGES.indexOf(tag.slice(0, 2).toLowerCase()));
  const texts = Object.fromEntries(Object.entries(TABLE).map(([key, row]) => [key, row[column]])) as Texts;
  return { texts, language: LANGUAGES[column] };
}

export const fill = (text: string, ...values: string[]) => text.replace(/\{(\d)\}/g, (_, i) => values[i]);
