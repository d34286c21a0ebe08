// npm run build: bundles the browser code of functions/browser, and copies the image codecs and the version of
// package.json. The edge functions import the results, functions/built/<name>.json, because deployment uploads JSON
// modules with the code, but not other files.
import { dirname } from "node:path";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { build } from "npm:esbuild@0.28.2";
import { minify } from "npm:terser@5.51.4";
import manifest from "../package.json" with { type: "json" };
import type { BuiltAsset } from "../functions/app/built_assets.ts";

/** Entry points by the name of their result. */
const STYLES = {
  docs_style: "docs/viewer.css",
  pages: "pages.css",
  panels: "player/panels/panels.css",
  player: "player/player.css",
};
const SCRIPTS = {
  docs: "docs/viewer.ts",
  error: "error/go_back.ts",
  frame: "frame/frame.ts",
  guest: "guest/guest_page.ts",
  listen: "listen/listen_page.ts",
  player: "player/player.ts",
};
/** The player imports this one. */
const MODULES = { panels: "player/panels/panels.ts" };
/** WebAssembly of packages, which functions/media/copies runs. */
const CODECS = {
  jpeg_decoder: "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm",
  jpeg_encoder: "@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm",
  png_decoder: "@jsquash/png/codec/pkg/squoosh_png_bg.wasm",
  webp_decoder: "@jsquash/webp/codec/dec/webp_dec.wasm",
  webp_encoder: "@jsquash/webp/codec/enc/webp_enc_simd.wasm",
};

const functions = `${dirname(import.meta.dirname!)}/functions`;
const source = `${functions}/browser`, target = `${functions}/built`;
/** Bundles entry points and returns the bytes of each. */
async function bundle(
  entryPoints: Record<string, string>,
  define: Record<string, string> = {},
  format: "iife" | "esm" = "iife",
) {
  const { outputFiles } = await build({
    absWorkingDir: source,
    entryPoints: Object.entries(entryPoints).map(([out, path]) => ({ in: `${source}/${path}`, out })),
    outdir: target,
    write: false,
    bundle: true,
    minify: true,
    charset: "utf8",
    format,
    target: "es2022",
    legalComments: "none",
    define,
  });
  return Object.fromEntries(outputFiles.map(({ path, contents }) => [/(\w+)\.\w+$/.exec(path)![1], contents]));
}

/** Minifies a script further, which takes longer: for the player, whose size is limited. */
async function shrink(script: Uint8Array, module = false): Promise<Uint8Array> {
  const compress = { passes: 3, reduce_funcs: false, inline: 1, unsafe_arrows: true } as const; // smallest after gzip
  return new TextEncoder().encode(
    (await minify(new TextDecoder().decode(script), { ecma: 2020, compress, module })).code,
  );
}

const digestOf = (contents: Uint8Array) => createHash("sha256").update(contents).digest("base64url").slice(0, 27);

async function write(name: string, contentType: string, contents: Uint8Array) {
  const asset: BuiltAsset = {
    contentType,
    etag: digestOf(contents),
    bytes: contents.length,
    gzip: gzipSync(contents, { level: 9, memLevel: 6 }).toString("base64"),
  };
  await Deno.writeTextFile(`${target}/${name}.json`, JSON.stringify(asset));
}

const styles = await bundle(STYLES);
// The player's styles are in its scripts, because its shadow tree has no other source without a further request
const [PLAYER_CSS, PANELS_CSS] = [styles.player, styles.panels]
  .map((css) => JSON.stringify(new TextDecoder().decode(css)));
const modules = await bundle(MODULES, { PANELS_CSS }, "esm");
modules.panels = await shrink(modules.panels, true);
const PANELS_VERSION = JSON.stringify(digestOf(modules.panels));
const scripts = await bundle(SCRIPTS, { PLAYER_CSS, PANELS_VERSION });
scripts.player = await shrink(scripts.player);
await Deno.mkdir(target, { recursive: true });
const { player: _player, panels: _panels, ...stylesheets } = styles;
for (const [name, contents] of Object.entries(stylesheets)) await write(name, "text/css; charset=utf-8", contents);
for (const [name, contents] of Object.entries({ ...scripts, ...modules })) {
  await write(name, "text/javascript; charset=utf-8", contents);
}
for (const [name, path] of Object.entries(CODECS)) {
  await write(name, "application/wasm", await Deno.readFile(`${dirname(functions)}/node_modules/${path}`));
}
await Deno.writeTextFile(`${target}/version.json`, JSON.stringify({ version: manifest.version }));
Deno.exit(); // esbuild keeps a process of its own
