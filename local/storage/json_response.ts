// JSON responses.

/** A response with its length, which HEAD also has. */
export function jsonResponse(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  const body = new TextEncoder().encode(JSON.stringify(value));
  const all = new Headers({ "content-type": "application/json; charset=utf-8", ...headers });
  all.set("content-length", String(body.length));
  return new Response(body, { status, headers: all });
}
