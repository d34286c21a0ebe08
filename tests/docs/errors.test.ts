// docs/errors.md lists every machine code, and none that nothing says.
import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { sqlFiles } from "../../local/database/load.ts";
import { repository } from "../../local/project.ts";

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) yield* sources(path);
    else if (path.endsWith(".ts")) yield await Deno.readTextFile(path);
  }
}

Deno.test("docs/errors.md lists every code that SQL or a function can say", async () => {
  const said = new Set<string>();
  for (const file of await sqlFiles(join(repository, "sql"))) {
    for (const [, code] of (await Deno.readTextFile(file)).matchAll(/hint = '([A-Z_]+)'/g)) said.add(code);
  }
  for await (const text of sources(join(repository, "functions"))) {
    for (const [, code] of text.matchAll(/(?:\bcode: |^ {2}\| )"([A-Z][A-Z_]+)"/gm)) said.add(code); // or a type's list of them
  }
  const listed = (await Deno.readTextFile(join(repository, "docs/errors.md"))).matchAll(/^\| `([A-Z_]+)` +\|/gm);
  deepEqual([...listed].map(([, code]) => code), [...said].sort());
});
