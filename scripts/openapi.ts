// Writes the OpenAPI document that GET /v1/openapi.json serves, from the schemas in types/.
import { openApiDocument } from "../types/openapi.ts";

const file = new URL("../functions/public/openapi.json", import.meta.url);
await Deno.writeTextFile(file, JSON.stringify(openApiDocument(), null, 2) + "\n");
