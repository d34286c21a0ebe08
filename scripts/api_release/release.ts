// npm run api:release: adds what is new in the public API and the player to api/released, and rejects changes that break
// clients. From then on the additions are released: tests reject their removal.
import { dirname, join } from "node:path";
import { UNREACHABLE_ENV, withEnvironment } from "../../tests/environment.ts";
import { findDocumentBreaks } from "./document_breaks.ts";
import { findPlayerBreaks } from "./player_breaks.ts";

const root = dirname(dirname(import.meta.dirname!));
const { deriveReleasableDocument, readPlayerInterface } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("./documents.ts"),
);

await release("v1.json", deriveReleasableDocument(), findDocumentBreaks);
await release("player-v1.json", await readPlayerInterface(), findPlayerBreaks);
console.log("Describe the additions in CHANGELOG-API.md.");
Deno.exit();

async function release<T>(file: string, current: T, findBreaks: (before: T, after: T) => string[]) {
  const path = join(root, "api/released", file);
  const breaks = findBreaks(JSON.parse(await Deno.readTextFile(path)), current);
  if (breaks.length) {
    console.error(`${file}: these changes break clients; undo them, or make a new version:\n${breaks.join("\n")}`);
    Deno.exit(1);
  }
  await Deno.writeTextFile(path, `${JSON.stringify(current, null, 2)}\n`);
}
