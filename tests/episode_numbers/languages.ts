// Building blocks of generated feeds: title words, numbering forms, and traps.

export interface Language {
  /** Words for titles. */
  words: string[];
  /** Titles with a number that is not an episode number. */
  traps: string[];
  /** `{n}` is the number, `{t}` the title; padded when it has zeros: `{003}`. */
  named: string[];
  /** Forms with a season: `{s}` and `{n}`. */
  seasoned: string[];
  again: string[];
  bonus: string[];
}

/** Forms of any language. `{P}` is the podcast's name, `{C}` its initials. */
export const ANYWHERE = [
  ...[
    "{n}: {t}",
    "{n} - {t}",
    "{n}. {t}",
    "{n} – {t}",
    "{n} | {t}",
    "{003} - {t}",
    "{003}: {t}",
    "#{n} {t}",
    "#{n}: {t}",
  ],
  ...["#{n} - {t}", "{t} #{n}", "{t} (#{n})", "{t} | #{n}", "{t} - {n}", "{t} | {n}", "{C}{003} {t}", "{C}{n}: {t}"],
  ...[
    "{C}-{003}: {t}",
    "{C} {n} - {t}",
    "{P} {n}: {t}",
    "{P} #{n} - {t}",
    "{P} – {n} – {t}",
    "{t} – {P} {n}",
    "{003} {t}",
  ],
  ...[
    "[{n}] {t}",
    "({n}) {t}",
    "{t} [{n}]",
    "{n}) {t}",
    "{t} – {P} #{n}",
    "№{n} {t}",
    "{P} {003}",
    "{t} ({n})",
    "{n} {t}",
  ],
];

export const split = (text: string): string[] => text.split(" ");
