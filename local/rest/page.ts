// The page of rows in a response.
import { errorText, RequestError } from "./errors.ts";
import type { Page, QueryParams } from "./query/params.ts";

/** Combines `limit`, `offset` and, for GET, the Range header. */
export function requestedPage(request: Request, query: QueryParams): Page {
  const { limit = Infinity, offset: ownOffset = 0 } = query.pages.find(({ path }) => !path.length)?.value ?? {};
  const range = request.method === "GET" && /^(\d+)-(\d*)$/.exec(request.headers.get("range") ?? "");
  const [first, last] = range ? [Number(range[1]), range[2] ? Number(range[2]) : Infinity] : [0, Infinity];
  if (first > last) {
    throw outsideRange("The lower boundary must be lower than or equal to the upper boundary in the Range header.");
  }
  if (limit === 0 && ownOffset === 0) return { limit: 0 };
  const offset = Math.max(ownOffset, first);
  const end = Math.min(last, ownOffset + limit - 1);
  if (offset > end) throw outsideRange("Limit should be greater than or equal to zero.");
  return { offset, limit: end === Infinity ? undefined : end - offset + 1 };
}

interface Place {
  status: number;
  range: string;
  /** The error, if the page is beyond the counted end. */
  body?: string;
}

export function pagePlace(offset: number, rows: number, total: number | null): Place {
  const range = contentRange(offset, offset + rows - 1, total);
  if (total === null || offset <= total) return { status: total !== null && rows < total ? 206 : 200, range };
  const { body } = outsideRange(`An offset of ${offset} was requested, but there are only ${total} rows.`);
  return { status: 416, range, body: errorText(body) };
}

export function contentRange(first: number, last: number, total: number | null): string {
  return `${total !== 0 && first <= last ? `${first}-${last}` : "*"}/${total ?? "*"}`;
}

const outsideRange = (details: string) =>
  new RequestError(416, { code: "PGRST103", message: "Requested range not satisfiable", details });
