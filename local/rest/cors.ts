// Any page may call the project: the platform's gateway answers preflights itself, before anyone asks for a key.

const methods = "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT";
const exposed = "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, ETag, Location, Range-Unit, " +
  "Retry-After, sb-error-code";

/** The answer to a preflight; undefined for every other request. */
export function preflight(request: Request): Response | undefined {
  if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return;
  const asked = request.headers.get("access-control-request-headers");
  return new Response(null, {
    status: 200,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": methods,
      "access-control-max-age": "3600",
      ...asked && { "access-control-allow-headers": asked },
    },
  });
}

/** Lets a page read the answer, whoever made it. */
export function readable(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set("access-control-allow-origin", "*");
  headers.set("access-control-expose-headers", exposed);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
