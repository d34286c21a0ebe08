/** What stands in a tag behind its name. */

const ATTRIBUTE = /([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|["']?([^\s"'>]*))/g;

/** Names in lower case; values as written, entities and all. A quote that is never closed ends with the word. */
export function* attributesOf(written: string): Generator<[name: string, value: string]> {
  for (const [, name, double, single, bare] of written.matchAll(ATTRIBUTE)) {
    yield [name.toLowerCase(), double ?? single ?? bare];
  }
}

/** The first of that name, with or without a prefix; undefined where there is none. */
export function attribute(written: string, wanted: string): string | undefined {
  if (!written) return;
  for (const [name, value] of attributesOf(written)) {
    if (name === wanted || name.endsWith(`:${wanted}`)) return value;
  }
}
