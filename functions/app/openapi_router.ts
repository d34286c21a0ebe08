/**
 * The OpenAPI document of an edge function. The first request derives it from the function's routes; no other request
 * pays for that.
 */
import { z } from "zod";
import { publicReadRouter } from "./app.ts";
import { describeRoute, type RegisteredHandler } from "./describe_route.ts";
import type { DocumentFacts } from "./openapi.ts";
import { type CacheableBody, cacheableReply, toCacheableBody } from "./reply.ts";
import { readSettings } from "./settings.ts";

interface Options {
  operationId: string;
  facts: DocumentFacts;
  /** The setting with the URL below which the paths of the document lie. */
  serverSetting: "base_url" | "public_api_url";
  handlers: () => RegisteredHandler[];
}

export function openApiRouter({ operationId, facts, serverSetting, handlers }: Options) {
  let known: { serverUrl: string; body: CacheableBody } | undefined;

  async function derive(serverUrl: string): Promise<CacheableBody> {
    if (known?.serverUrl === serverUrl) return known.body;
    const { declaredRoutes, openApiDocument } = await import("./openapi.ts");
    const body = toCacheableBody(JSON.stringify(openApiDocument(declaredRoutes(handlers()), facts, serverUrl)));
    known = { serverUrl, body };
    return body;
  }

  return publicReadRouter().get(
    "/",
    describeRoute({ operationId, summary: "Get this document", response: z.looseObject({}), hasEtag: true }),
    async (c) => {
      const { [serverSetting]: serverUrl } = await readSettings(c.var.reads, serverSetting);
      return cacheableReply(c, { value: await derive(serverUrl) });
    },
  );
}
