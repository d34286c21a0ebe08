// Strangers: what anonymous callers and signed-in users without a role reach of worlds whose ids and slugs they know.
import type postgres from "postgres";
import type { StackInfo } from "../stack.ts";
import { tokensIn } from "./marks.ts";
import type { World } from "./world.ts";

export interface Stranger {
  name: "anon" | "stranger";
  token?: string;
  /** Of the request, as PostgREST gives them to the database. */
  claims: string;
}

export interface Reached {
  status: number;
  /** Headers, body and decoded cursors. */
  text: string;
  /** Cursors in the body. */
  cursorCount: number;
}

/** Sends a request as a browser would, again while the service is overloaded. */
export async function reach(
  url: string,
  { token }: { token?: string },
  init: RequestInit = {},
  tries = 5,
): Promise<Reached> {
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    headers: { accept: "text/html", ...token && { authorization: `Bearer ${token}` }, ...init.headers },
  });
  const headers = [...response.headers].map((header) => header.join(": ")).join("\n");
  const body = await response.text();
  if (response.status === 503 && tries > 1) return reach(url, { token }, init, tries - 1);
  // a cursor is base64; Postgres writes a space after the colon
  const cursors = [...body.matchAll(/"nextCursor":\s*"([\w-]+)"/g)].map(([, cursor]) => decodeCursor(cursor));
  return { status: response.status, text: [headers, body, ...cursors].join("\n"), cursorCount: cursors.length };
}

const decodeCursor = (cursor: string) => atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));

/** The marks and ids of these worlds in a text, without those that the stranger sent. */
export function reachedOf(worlds: World[], text: string, sent: string): string[] {
  const known = tokensIn(sent);
  return [...tokensIn(text)].filter((token) => !known.has(token) && worlds.some(({ labels }) => labels.has(token)));
}

export const describeTokens = (worlds: World[], tokens: string[]) =>
  tokens.map((token) => `${worlds.find(({ labels }) => labels.has(token))?.labels.get(token)} (${token})`);

/** Reads every table and view that the API exposes, with all columns that the stranger may read. */
export async function reachTables(stack: StackInfo, sql: postgres.Sql, stranger: Stranger): Promise<Reached[]> {
  const tables = await sql<{ name: string; columns: string[] }[]>`
    select c.relname as name, array(
      select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and has_column_privilege(${stranger.token ? "authenticated" : "anon"}, c.oid, a.attnum, 'select')) as columns
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p', 'f')`;
  const headers = { apikey: stack.publishableKey, accept: "application/json" };
  return await Promise.all(
    tables.flatMap(({ name, columns }) =>
      [...new Set(["*", columns.join() || "*"])].map((select) =>
        reach(`${stack.url}/rest/v1/${name}?select=${select}`, stranger, { headers })
      )
    ),
  );
}
