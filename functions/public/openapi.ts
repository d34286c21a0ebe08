/** GET /v1/openapi.json: the wire contracts for machines. `npm run openapi` writes the document from types/. */
import { openRouter } from "../_shared/app.ts";
import { publish, published } from "../_shared/reply.ts";
import document from "./openapi.json" with { type: "json" };

const value = publish(JSON.stringify(document));

export const openapi = openRouter().get("/", (c) => published(c, { value }));
