// Limits that are checked before a request is parsed: those of the platform for a URL and a body, and 64 levels of
// nesting in a query. payload.ts bounds the nesting of JSON.
import { MAX_DEPTH, readBytes, TooLarge } from "../wire/json.ts";
import { errorResponse } from "./errors.ts";

const MAX_URL_LENGTH = 16_384;
const MAX_BODY_BYTES = 10 * 2 ** 20;

/** Reads the body and returns the request, or the response that rejects it. */
export async function bounded(request: Request): Promise<Request | Response> {
  if (request.url.length > MAX_URL_LENGTH) return Response.json({ message: "URI too long" }, { status: 414 });
  for (const [name, value] of new URL(request.url).searchParams) {
    if (isDeep(name) || isTree(name) && isDeep(value)) {
      return errorResponse(400, {
        code: "PGRST100",
        message: `"failed to parse query parameter (${name.slice(0, 64)})"`,
        details: `At most ${MAX_DEPTH} levels are allowed`,
      });
    }
  }
  return request.body ? await withBody(request) : request;
}

async function withBody(request: Request): Promise<Request | Response> {
  let body;
  try {
    body = await readBytes(request, MAX_BODY_BYTES);
  } catch (error) {
    if (error instanceof TooLarge) return Response.json({ message: "Request body too large" }, { status: 413 });
    throw error;
  }
  const { url, method, headers } = request;
  return new Request(url, { method, headers, body });
}

/** Parameters whose whole value is syntax. The value of a plain filter is text. */
const isTree = (name: string) => /^(select|order|columns|on_conflict)$|(^|\.)(select|order|and|or)$/.test(name);

/** Nested parentheses, outside quotes, or a chain of JSON arrows. */
function isDeep(text: string): boolean {
  let depth = 0, arrows = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[(),]|->/gs)) {
    if (token === "(") depth++;
    else if (token === ")") depth--;
    arrows = token === "->" ? arrows + 1 : token[0] === '"' ? arrows : 0;
    if (depth > MAX_DEPTH || arrows > MAX_DEPTH) return true;
  }
  return false;
}
