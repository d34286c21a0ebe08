// Any origin may call the project: the platform's gateway responds to preflights before it checks the key.

const methods = "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT";
const exposed = "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, ETag, Location, Range-Unit, " +
  "Retry-After, sb-error-code";

/** Responds to a preflight, which names an origin and a method; undefined for other requests. */
export function preflight({ method, headers }: Request): Response | undefined {
  if (method !== "OPTIONS" || !headers.has("origin") || !headers.has("access-control-request-method")) return;
  const requested = headers.get("access-control-request-headers");
  return new Response(null, {
    status: 200,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": methods,
      "access-control-max-age": "3600",
      ...requested && { "access-control-allow-headers": requested },
    },
  });
}

/** Exposes a response to browsers. */
export function readable(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set("access-control-allow-origin", "*");
  headers.set("access-control-expose-headers", exposed);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
