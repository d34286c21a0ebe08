// npm run docs: writes the generated tables of docs/limits.md and docs/errors.md.
import { generatedDocuments } from "./generated.ts";

for (const { path, expected } of generatedDocuments()) Deno.writeTextFileSync(path, expected);
