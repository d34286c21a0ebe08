// The page of rows in a response.
import { RequestError } from "./errors.ts";
import type { Page, QueryParams } from "./query/params.ts";

/** Combines `limit`, `offset` and, for GET, the Range header. */
export function requestedPage(request: Request, query: QueryParams): Page {
  const own = query.pages.find(({ path }) => !path.length)?.value ?? {};
  if (own.limit !== undefined && own.limit < 0) {
    throw notSatisfiable("Limit should be greater than or equal to zero.");
  }
  const range = request.method === "GET" && /^(\d+)-(\d*)$/.exec(request.headers.get("range") ?? "");
  if (!range || own.limit === 0) return own;
  const [first, last] = [Number(range[1]), range[2] ? Number(range[2]) : Infinity];
  if (first > last) {
    throw notSatisfiable("The lower boundary must be lower than or equal to the upper boundary in the Range header.");
  }
  const offset = Math.max(own.offset ?? 0, first);
  const end = Math.min(last, (own.offset ?? 0) + (own.limit ?? Infinity) - 1);
  return { offset, limit: end === Infinity ? undefined : Math.max(0, end - offset + 1) };
}

/** Status and Content-Range of a page. Throws for a page beyond a counted end. */
export function pagePlace(offset: number, rows: number, total: number | null) {
  if (total !== null && offset > total) {
    throw notSatisfiable(`An offset of ${offset} was requested, but there are only ${total} rows.`);
  }
  const status = total !== null && rows < total ? 206 : 200;
  return { status, range: contentRange(offset, offset + rows - 1, total) };
}

export function contentRange(first: number, last: number, total: number | null): string {
  return `${total !== 0 && first <= last ? `${first}-${last}` : "*"}/${total ?? "*"}`;
}

const notSatisfiable = (details: string) =>
  new RequestError(416, { code: "PGRST103", message: "Requested range not satisfiable", details });
