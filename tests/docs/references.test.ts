// What README.md and docs/ name exists: scripts of package.json, linked files, benchmarks.
import { deepEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { repository } from "../../local/project.ts";
import { exists } from "../../local/postgres/build_once.ts";

const files = ["README.md", ...markdownBelow("docs")];
const documents = await Promise.all(
  files.map(async (file) => ({ file, text: await Deno.readTextFile(join(repository, file)) })),
);

function markdownBelow(folder: string): string[] {
  return [...Deno.readDirSync(join(repository, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? markdownBelow(`${folder}/${name}`) : `${folder}/${name}`
  );
}

/** The references in all documents, as `document: what`, that fail the check. */
async function missing(form: RegExp, isThere: (found: string, file: string) => boolean | Promise<boolean>) {
  const absent = [];
  for (const { file, text } of documents) {
    for (const [, found] of text.matchAll(form)) if (!await isThere(found, file)) absent.push(`${file}: ${found}`);
  }
  return absent;
}

Deno.test("each npm script in README.md and docs/ exists", async () => {
  const { scripts } = JSON.parse(await Deno.readTextFile(join(repository, "package.json")));
  deepEqual(await missing(/npm run (?:-s )?([\w:]+)/g, (name) => name in scripts), []);
});

Deno.test("each relative link in README.md and docs/ leads to a file", async () => {
  const links = /\]\((?!https?:)([^)#\s]+)/g;
  deepEqual(await missing(links, (path, file) => exists(join(repository, dirname(file), path))), []);
});

Deno.test("each file of this repository that README.md and docs/ name exists", async () => {
  const paths =
    /(?<![\w/.{<-])((?:sql|functions|types|local|tests|bench|docs|supabase)\/[\w./-]+\.(?:ts|sql|mjs|md|toml|xml|json))\b/g;
  const written = ["types/database.ts", "supabase/production.toml"]; // production.toml: by operators
  deepEqual(await missing(paths, (path) => written.includes(path) || exists(join(repository, path))), []);
});

Deno.test("each benchmark in the README exists", async () => {
  const [, names] = /prints its ratios: (.*?)\(/s.exec(documents[0].text)!;
  const benchmarks = [...names.matchAll(/`([\w/]+)`/g)].map(([, name]) => `bench/${name}.ts`);
  deepEqual(benchmarks.length, 15);
  for (const path of benchmarks) deepEqual([path, await exists(join(repository, path))], [path, true]);
});

Deno.test("the README's layout names each folder of sql/, functions/ and tests/", () => {
  const [, layout] = /^## Layout\n+```\n(.*?)^```$/ms.exec(documents[0].text)!;
  const [sql, functions, tests] = ["sql", "functions", "tests"].map((folder) =>
    [...Deno.readDirSync(join(repository, folder))].filter(({ isDirectory }) => isDirectory).map(({ name }) => name)
  );
  const unnamed = [...sql, ...functions, ...tests].filter((name) => !layout.includes(` ${name}/`));
  deepEqual(unnamed, []);
});
