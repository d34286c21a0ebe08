// npm run docs: writes the generated tables of documents.
import { generatedDocuments } from "./generated.ts";

for (const { path, expected } of generatedDocuments()) Deno.writeTextFileSync(path, expected);
