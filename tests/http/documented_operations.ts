// The documents at /api/openapi.json and /v1/openapi.json of the running stack, and their operations.
import assert from "node:assert/strict";
import { type Document, DOCUMENTS, type Operation } from "./documented_responses.ts";
import { sendRequest } from "./harness.ts";

export interface DocumentedRoute extends Operation {
  /** Under `<project>/functions/v1`. */
  route: string;
  document: Document;
}

export const documents = await Promise.all(
  Object.values(DOCUMENTS).map(async ({ path, prefix }) => {
    const { status, text, body } = await sendRequest({ method: "GET", path });
    assert.equal(status, 200, text);
    return { path, prefix, document: body as Document };
  }),
);
export const [{ document: api }, { document: publicApi }] = documents;

export const operations: DocumentedRoute[] = documents.flatMap(({ document, prefix }) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      route: `${method.toUpperCase()} ${prefix}${path}`.replace(/\/$/, ""), // the root of the pages
      document,
    }))
  )
);

/** The schemas of a document's part, at every depth. */
export function* schemasIn(part: unknown): Generator<Record<string, unknown>> {
  if (typeof part !== "object" || part === null) return;
  yield part as Record<string, unknown>;
  for (const value of Object.values(part)) yield* schemasIn(value);
}
