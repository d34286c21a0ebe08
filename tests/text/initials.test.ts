// Tiles with initials: the letters, and colors on which white is legible.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { initialsOf, TILE_COLORS, tileClass } from "../../functions/text/initials.ts";

Deno.test("initialsOf returns the first letters of two words in any script, and nothing without letters", () => {
  const initials = (name: string) => initialsOf(name).replace("\u200c", "");
  assert.equal(initials("  the night-train show "), "TN");
  assert.equal(initials("“Élan”"), "É");
  assert.equal(initials("99 Luftballons"), "9L");
  assert.equal(initials("夜行列車の旅"), "夜");
  assert.equal(initials("𝒜lpha 𝓑eta"), "𝒜𝓑");
  assert.equal(initials("🚂 – !"), "");
  assert.equal(initials(`${"a".repeat(1_000_000)} b`), "A");
});

Deno.test("tileClass returns one class for a name, and all classes for many names", () => {
  assert.equal(tileClass("Night Trains"), tileClass("Night Trains"));
  const classes = new Set(Array.from({ length: 500 }, (_, n) => tileClass(`Show ${n}`)));
  assert.deepEqual(
    [...classes].sort(),
    Array.from({ length: TILE_COLORS }, (_, n) => `tile tile-${n}`).sort(),
  );
});

Deno.test("the stylesheet has a hue for each class of a tile, and white is legible on all of them", async () => {
  const css = await Deno.readTextFile(join(repository, "functions/browser/pages/tiles.css"));
  const [, lightness, chroma] = /oklch\((\d+)% ([\d.]+) var\(--hue\)\)/.exec(css)!;
  const hues = [...css.matchAll(/\.tile-(\d+) \{\s*--hue: (\d+);/g)];
  assert.deepEqual(hues.map(([, n]) => Number(n)), Array.from({ length: TILE_COLORS }, (_, n) => n));
  for (const [, , hue] of hues) {
    const contrast = 1.05 / (luminance(Number(lightness) / 100, Number(chroma), Number(hue)) + 0.05);
    assert.ok(contrast > 5.5, `hue ${hue}: ${contrast}`);
  }
});

/** Relative luminance (WCAG 2) of a color in OKLCH: https://bottosson.github.io/posts/oklab/ */
function luminance(lightness: number, chroma: number, hue: number): number {
  const a = chroma * Math.cos(hue * Math.PI / 180), b = chroma * Math.sin(hue * Math.PI / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  const green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  const blue = -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
