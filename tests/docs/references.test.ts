// The references in documents exist: scripts of package.json, linked files, benchmarks.
import { deepStrictEqual as deepEqual } from "node:assert";
import { dirname, join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { sourceFiles } from "../source_files.ts";
import { exists } from "../../local/postgres/build_once.ts";

const documents = sourceFiles([""], /\.md$/);
const documentOf = (path: string) => documents.find((document) => document.path === path)!;

/** The references in all documents, as `document: what`, that fail the check. */
async function missing(form: RegExp, isThere: (found: string, path: string) => boolean | Promise<boolean>) {
  const absent = [];
  for (const { path, text } of documents) {
    for (const [, found] of text.matchAll(form)) if (!await isThere(found, path)) absent.push(`${path}: ${found}`);
  }
  return absent;
}

Deno.test("each npm script in documents exists", async () => {
  const { scripts } = JSON.parse(await Deno.readTextFile(join(repository, "package.json")));
  deepEqual(await missing(/npm run (?:-s )?([\w:]+)/g, (name) => name in scripts), []);
});

Deno.test("each relative link in documents leads to a file", async () => {
  const links = /\]\((?!https?:)([^)#\s]+)/g;
  deepEqual(await missing(links, (link, path) => exists(join(repository, dirname(path), link))), []);
});

/** The anchors of a document's headings, as GitHub builds them. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading.toLowerCase().replace(/[^\w\s-]/g, "").replaceAll(" ", "-")
  );

Deno.test("each anchor that documents link to is a heading", async () => {
  const anchors = /\]\((?!https?:)([^)\s]*#[^)\s]+)/g;
  const isHeading = (link: string, path: string) => {
    const [file, anchor] = link.split("#");
    return anchorsOf(documentOf(file ? join(dirname(path), file) : path).text).includes(anchor);
  };
  deepEqual(await missing(anchors, isHeading), []);
});

/** Names with an underscore or in camel case; affixes such as `t900_` are not whole names. */
const NAME = /\b[A-Za-z]\w*(?:_|[a-z][A-Z])\w*(?<!_)\b/g;

Deno.test("each name in backticks in documents exists in a source", () => {
  const folders = ["bench", "functions", "local", "scripts", "sql", "supabase", "tests", "types"];
  const sources = sourceFiles(folders, /\.(?:json|mjs|sql|toml|tsx?)$/);
  const known = new Set(sources.flatMap(({ path, text }) => `${path} ${text}`.match(/\w+/g)!));
  const current = documents.filter(({ path }) => path !== "CHANGELOG.md"); // it names what no longer exists
  const unknown = current.flatMap(({ path, text }) => {
    const quoted = [...text.replace(/^```.*?^```$/gms, "").matchAll(/`([^`]+)`/g)].map(([, code]) => code).join(" ");
    return (quoted.match(NAME) ?? []).filter((name) => !known.has(name)).map((name) => `${path}: ${name}`);
  });
  deepEqual(unknown, []);
});

Deno.test("each file of this repository that documents name exists", async () => {
  const paths =
    /(?<![\w/.{<-])((?:sql|functions|types|local|tests|bench|docs|supabase)\/[\w./-]+\.(?:ts|sql|mjs|md|toml|xml|json))\b/g;
  const byOperators = ["supabase/production.toml", "supabase/staging.toml"];
  const written = ["types/database.ts", ...byOperators];
  deepEqual(await missing(paths, (path) => written.includes(path) || exists(join(repository, path))), []);
});

Deno.test("bench/README.md lists each benchmark, and each benchmark that it lists exists", async () => {
  const { text } = documentOf("bench/README.md");
  const benchmarks = [...text.matchAll(/^\| `([\w/]+)` +\|/gm)].map(([, name]) => `bench/${name}.ts`);
  deepEqual(benchmarks.length >= 17, true);
  for (const path of benchmarks) deepEqual([path, await exists(join(repository, path))], [path, true]);
});

Deno.test("no Mermaid diagram contains a semicolon, which ends a statement", async () => {
  deepEqual(await missing(/^```mermaid\n([^]*?)^```/gm, (diagram) => !diagram.includes(";")), []);
});

Deno.test("README.md has fewer than 150 lines", () => {
  deepEqual(documentOf("README.md").text.split("\n").length < 150, true);
});

Deno.test("docs/architecture.md names each folder of sql/ and functions/", () => {
  const { text } = documentOf("docs/architecture.md");
  const named = new Set(text.match(/\w+/g));
  const folders = ["sql", "functions"].flatMap((folder) =>
    [...Deno.readDirSync(join(repository, folder))].filter(({ isDirectory }) => isDirectory).map(({ name }) => name)
  );
  deepEqual(folders.filter((name) => !named.has(name)), []);
});
