/** The OpenAPI documents, derived in this process, and what the player declares. The functions need a valid environment when they are imported. */
import api from "../../functions/api/index.ts";
import { API_DOCUMENT } from "../../functions/api/openapi.ts";
import { type DeclaredRoute, declaredRoutes, openApiDocument } from "../../functions/app/openapi.ts";
import publicFunction from "../../functions/public/index.ts";
import { PUBLIC_DOCUMENT } from "../../functions/public/v1/openapi.ts";
import type { ApiDocument } from "./document_breaks.ts";
import type { PlayerInterface } from "./player_breaks.ts";

export const deriveApiDocument = (serverUrl: string) =>
  openApiDocument(declaredRoutes(api.handlers), API_DOCUMENT, serverUrl);

/** Pages for people. Nothing relies on their form. */
const UNRELEASED_TAGS = ["docs", "guest"];

/** The part of the public document that api/released keeps. */
export function deriveReleasableDocument(): ApiDocument {
  const routes = declaredRoutes(publicFunction.handlers);
  const isReleased = ({ path }: DeclaredRoute) => !UNRELEASED_TAGS.some((tag) => path.split("/").includes(tag));
  return JSON.parse(JSON.stringify(openApiDocument(routes.filter(isReleased), PUBLIC_DOCUMENT)));
}

/** What the player declares; a test compares it with the element. */
export const readPlayerInterface = async (): Promise<PlayerInterface> =>
  JSON.parse(await Deno.readTextFile(new URL("../../functions/browser/player/interface.json", import.meta.url)));

export const derivePublicDocument = (serverUrl: string) =>
  openApiDocument(declaredRoutes(publicFunction.handlers), PUBLIC_DOCUMENT, serverUrl);
