/** Tiles with initials, where there is no picture. Pages and their scripts use them. */

/** As many classes `tile-…` as functions/browser/pages/tiles.css has. */
export const TILE_COLORS = 12;

/** The classes of a tile, in a color that the name decides. */
export function tileClass(name: string): string {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003;
  return `tile tile-${hash % TILE_COLORS}`;
}

/** The first letters or digits of the first two words. A non-joiner between them keeps Arabic letters apart. */
export function initialsOf(name: string): string {
  const words = name.slice(0, 200).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 2).map((word) => [...word][0]).join("\u200c").toUpperCase();
}
