/**
 * GET /v1/openapi.json: the routes of all edge functions. The first request derives the document and loads the other
 * functions' routes for it; no other request pays for them.
 */
import { z } from "zod";
import { edgeFunction, publicRouter } from "../app/app.ts";
import { describeRoute, type RegisteredHandler } from "../app/describe_route.ts";
import { type CacheableBody, cacheableReply, toCacheableBody } from "../app/reply.ts";

export function openApiRouter(publicHandlers: () => RegisteredHandler[]) {
  let value: CacheableBody | undefined;
  return publicRouter().get(
    "/",
    describeRoute({
      operationId: "getOpenApiDocument",
      summary: "Get this document",
      response: z.looseObject({}),
      hasEtag: true,
    }),
    async (c) => cacheableReply(c, { value: value ??= await deriveDocument(publicHandlers()) }),
  );
}

async function deriveDocument(publicHandlers: RegisteredHandler[]): Promise<CacheableBody> {
  const { declaredRoutes, openApiDocument } = await import("../app/openapi.ts");
  const { default: api } = await import("../api/index.ts");
  const { wakeRouter } = await import("../worker/wake.ts");
  const worker = edgeFunction("worker", [["", wakeRouter(() => {})]]);
  const handlers = [...api.handlers, ...publicHandlers, ...worker.handlers];
  return toCacheableBody(JSON.stringify(openApiDocument(declaredRoutes(handlers))));
}
