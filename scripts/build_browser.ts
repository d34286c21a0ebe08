// npm run build: bundles the browser code of functions/browser. The edge function imports the results,
// functions/built/<name>.json, because deployment uploads JSON modules with the code, but not other files.
import { dirname } from "node:path";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { build } from "npm:esbuild@0.28.2";
import type { BuiltAsset } from "../functions/app/built_assets.ts";

/** Entry points by the name of their result. */
const ENTRY_POINTS = {
  docs: "docs/viewer.ts",
  docs_style: "docs/viewer.css",
  guest: "guest/guest_page.ts",
  pages: "pages.css",
};

const functions = `${dirname(import.meta.dirname!)}/functions`;
const source = `${functions}/browser`, target = `${functions}/built`;
const { outputFiles } = await build({
  absWorkingDir: source,
  entryPoints: Object.entries(ENTRY_POINTS).map(([out, path]) => ({ in: `${source}/${path}`, out })),
  outdir: target,
  write: false,
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: "es2022",
  legalComments: "none",
});
await Deno.mkdir(target, { recursive: true });
for (const { path, contents } of outputFiles) {
  const [, name, extension] = /(\w+)\.(\w+)$/.exec(path)!;
  const asset: BuiltAsset = {
    contentType: extension === "css" ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
    etag: createHash("sha256").update(contents).digest("base64url").slice(0, 27),
    bytes: contents.length,
    gzip: gzipSync(contents, { level: 9 }).toString("base64"),
  };
  await Deno.writeTextFile(`${target}/${name}.json`, JSON.stringify(asset));
}
Deno.exit(); // esbuild keeps a process of its own
