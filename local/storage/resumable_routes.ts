// /upload/resumable: large objects in parts, which a client resumes after a lost connection (tus.io). Below /sign, the
// token of a signed upload URL authenticates the request.
import { StorageError } from "./errors.ts";
import { append, create, headUpload, type Step, terminate } from "./resumable.ts";
import { checkHeaders, extensions, headerNames, version } from "./resumable_protocol.ts";
import { handle, type RequestContext, type Route } from "./route.ts";

/** Errors are plain text with their own status here, unlike on the other routes. */
async function respond(context: RequestContext, step: Step, isSigned: boolean): Promise<Response> {
  const response = await attempt();
  response.headers.set("tus-resumable", version);
  response.headers.set("access-control-expose-headers", headerNames);
  return response;

  async function attempt(): Promise<Response> {
    try {
      checkHeaders(context.request);
      return await step(context, isSigned);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      await context.body.drain();
      return new Response(error.message, { status: error.status });
    }
  }
}

function describeServer({ fileSizeLimit }: RequestContext): Promise<Response> {
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

/** The five methods of one path. */
function routesAt(path: string, isSigned: boolean): Route[] {
  const route = (method: string, under: string, operation: string, step: Step) =>
    handle(
      method,
      path + under,
      `storage.tus.${operation}${isSigned ? "_signed" : ""}`,
      isSigned ? "public" : "authenticated",
      (context) => respond(context, step, isSigned),
    );
  return [
    handle("OPTIONS", `${path}(?:/*)?`, `storage.tus.options${isSigned ? "_signed" : ""}`, "public", describeServer),
    route("POST", "/?", "upload.create", create),
    route("PATCH", "/*", "upload.part", append),
    route("HEAD", "/*", "upload.get", headUpload),
    route("DELETE", "/*", "upload.delete", terminate),
  ];
}

export const resumableRoutes: Route[] = [
  ...routesAt("/upload/resumable/sign", true),
  ...routesAt("/upload/resumable", false),
];
