// A write that answers with embedded, renamed or cast columns. lite writes first and then selects by the request's own
// filters, which the written rows may no longer match, and forgets when one object was asked for. Here: the write
// answers with the primary keys, and the same transaction reads these rows as a GET would.
import { errorResponse } from "./errors.ts";
import type { Introspection } from "./schema_cache.ts";
import type { Turn } from "./transaction.ts";

type Send = (request: Request) => Promise<Response>;

const writes = new Set(["POST", "PATCH", "DELETE"]);
/** Column names alone come back from the statement itself: lite does these right. */
const isPlain = (select: string) => /^[\w*,\s"]*$/.test(select);

/** The key by which the written rows are found again; undefined for any other request. */
export function keyForReading(turn: Turn, { primary_keys }: Introspection): string[] | undefined {
  const { request, path, schema } = turn;
  if (!writes.has(request.method) || !request.headers.get("prefer")?.includes("return=representation")) return;
  const select = new URL(request.url).searchParams.get("select");
  if (!select || isPlain(select)) return;
  const table = decodeURIComponent(path.slice(1));
  return primary_keys.find((key) => key.table === table && (key.schema || "public") === schema)?.columns;
}

/** Sends the write and the read; `send` runs both in one transaction. */
export async function writeAndRead(request: Request, key: string[], send: Send): Promise<Response> {
  const before = request.method === "DELETE" ? await send(reading(request)) : undefined;
  if (before && !before.ok) return before;
  const written = await send(writing(request, key));
  if (!written.ok) return written;
  const rows: Record<string, unknown>[] = await written.json();
  const response = before ?? (rows.length > 0 ? await send(reading(request, byKey(key, rows))) : none(request));
  if (!response.ok) return response;
  const headers = new Headers(response.headers);
  headers.delete("content-location");
  headers.set("content-range", written.headers.get("content-range") ?? "*/*");
  headers.set("preference-applied", written.headers.get("preference-applied") ?? "");
  return new Response(response.body, { status: written.status, headers });
}

function writing(request: Request, key: string[]): Request {
  const url = new URL(request.url);
  for (const name of [...url.searchParams.keys()]) if (isOfTheRead(name)) url.searchParams.delete(name);
  url.searchParams.set("select", key.join(","));
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json");
  return new Request(url, { method: request.method, headers, body: request.body });
}

/** Without `filter`: the rows that the request itself selects. */
function reading(request: Request, filter?: [name: string, value: string]): Request {
  const url = new URL(request.url);
  if (filter) {
    for (const name of [...url.searchParams.keys()]) {
      if (!isOfTheRead(name) && name !== "select") url.searchParams.delete(name);
    }
    url.searchParams.append(...filter);
  }
  const headers = new Headers(request.headers);
  for (const name of ["prefer", "content-type", "content-length"]) headers.delete(name);
  const schema = headers.get("content-profile");
  if (schema) headers.set("accept-profile", schema);
  return new Request(url, { headers });
}

/** `episodes.order`, `episodes.title` and `order` shape the answer, not what is written. */
const isOfTheRead = (name: string) => name === "order" || /^[^(]+\./.test(name) && !/^(not\.)?(and|or)$/.test(name);

function byKey(key: string[], rows: Record<string, unknown>[]): [string, string] {
  const quoted = (value: unknown) => `"${String(value).replace(/[\\"]/g, "\\$&")}"`;
  if (key.length === 1) return [key[0], `in.(${rows.map((row) => quoted(row[key[0]])).join(",")})`];
  const one = (row: Record<string, unknown>) => `and(${key.map((k) => `${k}.eq.${quoted(row[k])}`).join(",")})`;
  return ["or", `(${rows.map(one).join(",")})`];
}

function none(request: Request): Response {
  if (!request.headers.get("accept")?.includes("vnd.pgrst.object")) return Response.json([]);
  return errorResponse(406, {
    code: "PGRST116",
    message: "Cannot coerce the result to a single JSON object",
    details: "The result contains 0 rows",
  });
}
