// /upload/resumable: large objects in parts that may go on after a broken connection, by the protocol of tus.io.
// Under /sign the token of a signed upload URL stands for the caller.
import { StorageError } from "./errors.ts";
import { append, create, type Step, tell, terminate } from "./resumable.ts";
import { checkHeaders, extensions, headerNames, version } from "./resumable_protocol.ts";
import { handle, type Handling, type Route } from "./route.ts";

/** Refusals are plain text under their own status here, unlike on the other routes. */
async function answer(handling: Handling, step: Step, isSigned: boolean): Promise<Response> {
  const response = await attempt();
  response.headers.set("tus-resumable", version);
  response.headers.set("access-control-expose-headers", headerNames);
  return response;

  async function attempt(): Promise<Response> {
    try {
      checkHeaders(handling.request);
      return await step(handling, isSigned);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      await handling.body.pass();
      return new Response(error.message, { status: error.status });
    }
  }
}

function tellAbilities({ fileSizeLimit }: Handling): Promise<Response> {
  const headers = {
    "tus-resumable": version,
    "tus-version": version,
    "tus-extension": extensions,
    "tus-max-size": String(fileSizeLimit),
    "access-control-allow-methods": "POST, HEAD, PATCH, OPTIONS, DELETE",
    "access-control-allow-headers": `${headerNames}, X-Upsert, Upload-Expires, ApiKey, x-signature`,
    "access-control-expose-headers": headerNames,
    "access-control-max-age": "86400",
  };
  return Promise.resolve(new Response(null, { status: 204, headers }));
}

/** The five methods below one address. */
function routesAt(path: string, isSigned: boolean): Route[] {
  const route = (method: string, under: string, operation: string, step: Step) =>
    handle(
      method,
      path + under,
      `storage.tus.${operation}${isSigned ? "_signed" : ""}`,
      isSigned ? "open" : "known",
      (handling) => answer(handling, step, isSigned),
    );
  return [
    handle("OPTIONS", `${path}(?:/*)?`, `storage.tus.options${isSigned ? "_signed" : ""}`, "open", tellAbilities),
    route("POST", "/?", "upload.create", create),
    route("PATCH", "/*", "upload.part", append),
    route("HEAD", "/*", "upload.get", tell),
    route("DELETE", "/*", "upload.delete", terminate),
  ];
}

export const resumableRoutes: Route[] = [
  ...routesAt("/upload/resumable/sign", true),
  ...routesAt("/upload/resumable", false),
];
