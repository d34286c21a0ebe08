import type { Database, Json } from "../../types/database.ts";

type Functions = Database["public"]["Functions"];

/** A public function of sql/. The generated types close the set. */
export type Operation = keyof Functions;

/** The arguments of an operation by their names in TypeScript: episodeId is episode_id in SQL. */
export type Arguments<O extends Operation> = {
  [Name in keyof Functions[O]["Args"] as CamelName<Name>]:
    | Argument<Functions[O]["Args"][Name]>
    | (Name extends RequiredOrNull[O & keyof RequiredOrNull] ? null : never);
};

/** Arguments that are required and may be null: generated types have null only for defaults. */
interface RequiredOrNull {
  update_deletion_redirect: "redirect_url";
}

type Argument<T> = Json extends T ? object | null | undefined : undefined extends T ? T | null : T;
export type CamelName<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name;

/**
 * Public reads: their functions return the same to every caller, so that the service runs them, without the cost of a
 * change of role. tests/database checks that they are stable and that anonymous callers may execute them.
 */
export const publicReads = [
  "count_public_sitemaps",
  "get_latest_public_episode",
  "get_oembed",
  "get_public_chapters",
  "get_public_episode",
  "get_public_episode_by_id",
  "get_public_neighbors",
  "get_public_podcast",
  "list_public_episode_page",
  "list_public_episodes",
  "list_public_sitemap_urls",
  "list_public_sitemaps",
  "list_public_transcripts",
] as const satisfies Operation[];

export type PublicRead = typeof publicReads[number];

export const isPublicRead = (operation: Operation): operation is PublicRead =>
  publicReads.includes(operation as PublicRead);

/**
 * Returns JSON text with its ETag; no text if `$1` is the ETag, so that an unchanged result is not transferred. The
 * other parameters are the values of the arguments. `offset 0` prevents Postgres from running the function twice.
 */
export function readStatement(read: PublicRead, args: Record<string, unknown>): string {
  const list = Object.keys(args).map((name, n) => `"${toSqlName(name)}" => $${n + 2}`);
  return `
    select t.etag, case when t.etag is distinct from $1 then t.text end as text from (
      select '"' || md5(r.text) || '"' as etag, r.text
      from (select public.${read}(${list})::text as text offset 0) r offset 0) t`;
}

/**
 * The statement that runs an operation as its caller (`private.call_<function>`, in sql/00_foundation). It takes
 * callParameters(). Types do not hold at run time, so a guard keeps any other text out of the statement.
 */
export function callStatement(operation: Operation): string {
  if (!/^[a-z_]+$/.test(operation)) throw new Error(`Not the name of a public function: ${operation}`);
  return `select status, data::text as text from private.call_${operation}($1::text::json, $2::text::jsonb)`;
}

/** The claims and the arguments, both as JSON text; as jsonb, the driver would encode the text once more. */
export function callParameters(claims: string, args: Record<string, unknown>): [claims: string, args: string] {
  return [
    claims,
    JSON.stringify(Object.fromEntries(Object.entries(args).map(([name, value]) => [toSqlName(name), value]))),
  ];
}

/** get_import is getImport in TypeScript. */
export const toCamelName = (name: string) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** episodeId is episode_id in SQL. */
const toSqlName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
