/** Names of speakers in plain text. */

/** A name as it stands before a colon or a time; bounded, so that a pattern reads a line once. */
export const NAME = '[^\\s\\d:\\[\\](){}<>"][^:\\[\\](){}<>"?!;\\t\\n]{0,49}';
const SPEAKER_LINE = new RegExp(`^(${NAME}):\\*{0,2}(?:[ \\t]+(\\S.*))?$`);
const MAX_NAME_WORDS = 5;

/** Splits `Ana Bell: Hello`. */
export function splitSpeaker(line: string): { speaker: string; text: string } | undefined {
  const [, name, text = ""] = SPEAKER_LINE.exec(line) ?? [];
  const speaker = name?.replace(/^\*+|\*+$/g, "").trim();
  if (speaker && speaker.split(/\s+/).length <= MAX_NAME_WORDS) return { speaker, text };
}

/** The names that begin two lines of a text or more. One alone may be part of a sentence. */
export function findSpeakers(lines: Iterable<string>): Set<string> {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const name = splitSpeaker(line)?.speaker;
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count > 1).map(([name]) => name));
}
