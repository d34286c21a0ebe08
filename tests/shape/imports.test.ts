// Which files of functions/ and types/ import which: rooms know nothing of the rooms above them, and no import circle.
import { deepEqual } from "node:assert/strict";
import { basename, dirname, join, relative } from "node:path";
import { repository } from "../../local/project.ts";

/** A file by its path from the root, and what it imports. */
type Graph = Map<string, string[]>;

const graph: Graph = new Map();
for (const folder of ["functions", "types"]) await addFiles(folder);

async function addFiles(folder: string) {
  for await (const { name, isDirectory } of Deno.readDir(join(repository, folder))) {
    const path = join(folder, name);
    if (isDirectory) await addFiles(path);
    else if (name.endsWith(".ts")) graph.set(path, importsOf(path, await Deno.readTextFile(join(repository, path))));
  }
}

/** Relative imports: of values, of types, and dynamic ones. */
function importsOf(path: string, source: string): string[] {
  return [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g)]
    .map(([, specifier]) => relative(repository, join(repository, dirname(path), specifier)));
}

/** Groups that import each other in a circle (Tarjan's strongly connected components), sorted. */
function circles(graph: Graph): string[] {
  const index = new Map<string, number>(), low = new Map<string, number>(), stack: string[] = [];
  const found: string[] = [];
  function visit(node: string) {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== index.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) found.push(circle.sort().join(" "));
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found.sort();
}

/** The first folder below functions/, or "types". */
const roomOf = (path: string) => path.split("/").slice(0, path.startsWith("functions/") ? 2 : 1).join("/");
const EDGE_FUNCTIONS = ["functions/api", "functions/public", "functions/worker"];

const rooms: Graph = new Map();
for (const [path, imports] of graph) {
  const room = rooms.get(roomOf(path)) ?? [];
  rooms.set(roomOf(path), [...new Set([...room, ...imports.map(roomOf)])].filter((other) => other !== roomOf(path)));
}

Deno.test("circles() finds a circle, and only that", () => {
  const sample: Graph = new Map([["a", ["b"]], ["b", ["c", "d"]], ["c", ["a"]], ["d", []]]);
  deepEqual(circles(sample), ["a b c"]);
});

Deno.test("files of functions/ and types/ do not import each other in a circle", () => {
  deepEqual(circles(graph), []);
});

Deno.test("rooms import no edge function, and edge functions do not import each other", () => {
  const wrong = [...graph].flatMap(([path, imports]) =>
    imports.filter((other) => EDGE_FUNCTIONS.includes(roomOf(other)) && roomOf(other) !== roomOf(path))
      .map((other) => `${path} imports ${other}`)
  );
  // GET /v1/openapi.json documents the routes of all three
  deepEqual(wrong.filter((line) => !line.startsWith("functions/public/openapi.ts imports ")), []);
});

Deno.test("types/, safe_fetch, text and episode_numbers import no other room", () => {
  for (const room of ["types", "functions/safe_fetch", "functions/text", "functions/episode_numbers"]) {
    deepEqual(rooms.get(room), [], room);
  }
});

/** `app` assembles requests and needs the database, which reads the environment and throws ApiError. */
const ALLOWED_CIRCLE = "functions/app functions/database";

Deno.test("rooms do not import each other in a circle", () => {
  const below: Graph = new Map([...rooms].filter(([room]) => !EDGE_FUNCTIONS.includes(room)));
  deepEqual(circles(below), [ALLOWED_CIRCLE]);
});

/** Files of one name that mean the same thing: a route and its wire schemas, a job and the function that it runs. */
const TWINS = ["index.ts", "types.ts", "guests.ts", "health.ts", "openapi.ts", "people.ts", "render_feed.ts"];

Deno.test("files of functions/ and types/ have names of their own", () => {
  const names = [...graph.keys()].map((path) => basename(path)).filter((name) => !TWINS.includes(name));
  deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
});
