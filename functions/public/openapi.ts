/** GET /v1/openapi.json: the wire contracts for machines. `npm run openapi` writes the document from types/. */
import { openRouter } from "../app/app.ts";
import { publish, published } from "../app/reply.ts";
import document from "./openapi.json" with { type: "json" };

const value = publish(JSON.stringify(document));

export const openapi = openRouter().get("/", (c) => published(c, { value }));
