/** `de_AT`: OpenGraph's locales have a territory, the language's most likely one if it names none. */
export function localeOf(tag: string): string | null {
  try {
    const { language, region } = new Intl.Locale(tag).maximize();
    return region ? `${language}_${region}` : null;
  } catch {
    return null; // no tag that Unicode knows
  }
}
