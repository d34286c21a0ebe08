/** The OpenAPI documents, derived in this process. The functions need a valid environment when they are imported. */
import api from "../../functions/api/index.ts";
import { API_DOCUMENT } from "../../functions/api/openapi.ts";
import { declaredRoutes, openApiDocument } from "../../functions/app/openapi.ts";
import publicFunction from "../../functions/public/index.ts";
import { PUBLIC_DOCUMENT } from "../../functions/public/openapi.ts";

/** Without the URL of a server, a document has no servers. */
export const deriveApiDocument = (serverUrl?: string) =>
  openApiDocument(declaredRoutes(api.handlers), API_DOCUMENT, serverUrl);

export const derivePublicDocument = (serverUrl?: string) =>
  openApiDocument(declaredRoutes(publicFunction.handlers), PUBLIC_DOCUMENT, serverUrl);
