// Documents have the tables that `npm run docs` writes.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { generatedDocuments, generatedNames } from "./generated.ts";

Deno.test("documents with generated tables are as npm run docs writes them", () => {
  const old = generatedDocuments().filter(({ text, expected }) => text !== expected).map(({ path }) => path);
  deepEqual(old, [], "run npm run docs");
});

Deno.test("each generated table has its place in a document, with rows", () => {
  deepEqual(generatedDocuments().flatMap(({ names }) => names).sort(), generatedNames().sort());
  for (const { expected } of generatedDocuments()) {
    for (const [, body] of expected.matchAll(/<!-- generated: \w+ -->(.*?)<!-- end -->/gs)) {
      ok(body.split("\n").length > 6, body);
    }
  }
});
