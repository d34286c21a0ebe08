// Browser scripts: pages contain the source of their exported function alone, and they are checked with DOM types.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/project.ts";

const folder = join(repository, "functions/public/browser");
const scripts = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => /(?<!\.d)\.ts$/.test(name));

Deno.test("a browser script has no statement outside its exported function but types", async () => {
  assert.ok(scripts.length > 0);
  for (const name of scripts) {
    const text = await Deno.readTextFile(join(folder, name));
    const statements = text.replaceAll(/\/\*[^]*?\*\//g, "").split("\n").filter((line) => /^[^\s}/]/.test(line));
    const functions = statements.filter((line) => line.startsWith("export default function "));
    const types = statements.filter((line) => /^(import )?type /.test(line));
    assert.deepEqual([functions.length, types.length], [1, statements.length - 1], `${name}: ${statements.join("\n")}`);
  }
});
