/** GET /v1/openapi.json: the wire contracts for machines. `npm run openapi` writes the document from types/. */
import { publicRouter } from "../app/app.ts";
import { cacheableReply, toCacheableBody } from "../app/reply.ts";
import document from "./openapi.json" with { type: "json" };

const value = toCacheableBody(JSON.stringify(document));

export const openapi = publicRouter().get("/", (c) => cacheableReply(c, { value }));
