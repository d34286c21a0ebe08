/** What pages that embed the player can choose, in the addresses of frames and in oEmbed requests. */
import { parseTime } from "./clock_times.ts";
import { LANGUAGES } from "./languages/texts.ts";

export interface PlayerOptions {
  theme?: "light" | "dark";
  /** #rrggbb or #rgb */
  accent?: string;
  /** Of the controls. */
  lang?: string;
  /** Start position in seconds. */
  t?: number;
}

/** A color as #rrggbb or #rgb; the sign may be missing. Undefined for other texts. */
export const accentOf = (text: string | null | undefined): string | undefined =>
  /^#?((?:[\da-f]{3}){1,2})$/i.exec(text ?? "")?.[1].replace(/^/, "#");

/** Reads parameters. Missing ones are undefined, and so are those that are not valid: a reader is shown a player. */
export function readPlayerOptions(values: Partial<Record<keyof PlayerOptions, string | null>>): PlayerOptions {
  const { theme, accent, lang, t } = values;
  return {
    theme: theme === "light" || theme === "dark" ? theme : undefined,
    accent: accentOf(accent),
    lang: LANGUAGES.find((language) => language === lang?.split("-")[0].toLowerCase()),
    t: parseTime(t),
  };
}

/** The parameters as the query of an address: empty, or with "?". */
export function playerQuery({ accent, ...options }: PlayerOptions): string {
  const values = Object.entries({ ...options, accent: accent?.slice(1) }).filter(([, value]) => value);
  return values.length ? `?${new URLSearchParams(values.map(([name, value]) => [name, String(value)]))}` : "";
}
