// npm run api:release: writes additions of the public API to api/released/v1.json, and rejects changes that break
// clients. From then on the additions are released: tests reject their removal.
import { dirname, join } from "node:path";
import { UNREACHABLE_ENV, withEnvironment } from "../../tests/environment.ts";
import { type ApiDocument, findDocumentBreaks } from "./document_breaks.ts";

const path = join(dirname(dirname(import.meta.dirname!)), "api/released/v1.json");
const { deriveReleasableDocument } = await withEnvironment(UNREACHABLE_ENV, () => import("./documents.ts"));
const current = deriveReleasableDocument();

const released: ApiDocument | undefined = await Deno.readTextFile(path).then(JSON.parse, (error) => {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
});
const breaks = released ? findDocumentBreaks(released, current) : [];
if (breaks.length) {
  console.error(`These changes break clients of /v1; undo them, or serve them below /v2:\n${breaks.join("\n")}`);
  Deno.exit(1);
}
await Deno.mkdir(dirname(path), { recursive: true });
await Deno.writeTextFile(path, `${JSON.stringify(current, null, 2)}\n`);
console.log("api/released/v1.json is the public API. Describe the additions in CHANGELOG-API.md.");
Deno.exit();
