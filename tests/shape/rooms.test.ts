// Which folder may use which: local/ is a package for any Supabase project, and the product runs without it.
import { deepEqual, ok } from "node:assert/strict";
import { dirname, join, relative, resolve } from "node:path";
import { repository } from "../../local/project.ts";

const IMPORTS = [
  /^import\s(?:[^;"'=]*?\sfrom\s+)?"([^"]+)"/gm,
  /^export\s[^;"'=]*?\sfrom\s+"([^"]+)"/gm,
  /\bimport\(\s*"([^"]+)"/g,
];
/** Files that a module reads beside itself. */
const PATHS = [/\bimport\.meta\.dirname!?, "([^"]+)"/g, /\bnew URL\("([^"]+)", import\.meta\.url\)/g];

function* sourcesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = join(folder, name);
    if (isDirectory && name !== "node_modules") yield* sourcesBelow(path);
    else if (/\.(ts|tsx|mjs|js)$/.test(name)) yield path;
  }
}

interface Import {
  file: string;
  specifier: string;
  /** From the repository's root; undefined for a package. */
  path?: string;
}

function importsOf(folder: string): Import[] {
  return [...sourcesBelow(join(repository, folder))].flatMap((source) => {
    const file = relative(repository, source);
    const text = Deno.readTextFileSync(source);
    const matches = (patterns: RegExp[]) => patterns.flatMap((p) => [...text.matchAll(p)]).map(([, match]) => match);
    const withPath = (specifier: string) => {
      return { file, specifier, path: relative(repository, resolve(dirname(source), specifier)) };
    };
    return [
      ...matches(IMPORTS).map((specifier) => specifier.startsWith(".") ? withPath(specifier) : { file, specifier }),
      ...matches(PATHS).map(withPath),
    ];
  });
}

const describeImport = ({ file, specifier }: Import) => `${file} imports ${specifier}`;

Deno.test("files in local/ import only local/ and its own packages", async () => {
  const { dependencies } = JSON.parse(await Deno.readTextFile(join(repository, "local/package.json")));
  const { imports } = JSON.parse(await Deno.readTextFile(join(repository, "deno.json")));
  const found = importsOf("local");
  ok(found.length > 300, `${found.length} imports`);
  const strays = found.filter(({ file, specifier, path }) => {
    if (file === "local/project.ts" && specifier === "..") return false; // the one place that finds the project
    if (path) return !path.startsWith("local/");
    if (specifier.startsWith("node:")) return false;
    const name = /^(?:npm:)?((?:@[^/]+\/)?[^/@]+)/.exec(specifier)?.[1] ?? "";
    const mapped = imports[specifier] ?? "npm:"; // deno.json may map a name to a file of the product
    return !(name in dependencies) || !mapped.startsWith("npm:");
  });
  deepEqual(strays.map(describeImport), []);
});

Deno.test("functions/, types/ and scripts/ import nothing of local/", () => {
  const strays = ["functions", "types", "scripts"].flatMap(importsOf).filter(({ specifier, path }) =>
    path?.startsWith("local/") || specifier.startsWith("@castbase/local")
  );
  deepEqual(strays.map(describeImport), []);
});
