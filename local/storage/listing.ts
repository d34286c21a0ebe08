// Lists objects: one level below a prefix by offset, or pages of any depth by cursor.
import { Buffer } from "node:buffer";
import { decodeBase64 } from "./base64.ts";
import type { Transaction } from "./database.ts";
import { ERRORS } from "./errors.ts";

/** The body of POST /object/list/:bucket. */
export interface ListRequest {
  prefix: string;
  limit?: number;
  offset?: number;
  search?: string;
  sortBy?: { column: string; order?: string };
}

/** Folders and files below a prefix, which always names a folder. */
export async function list(transaction: Transaction, bucket: string, input: ListRequest) {
  const { limit = 100, offset = 0, search = "", sortBy: { column = "name", order = "asc" } = {} } = input;
  const prefix = input.prefix === "" || input.prefix.endsWith("/") ? input.prefix : `${input.prefix}/`;
  return await transaction`
    select name, id, updated_at, created_at, last_accessed_at, metadata from storage.search(
      ${prefix}, ${bucket}, ${clamp(limit)}, 1, ${clamp(offset)}, ${search}, ${column}, ${order})`;
}

const clamp = (number: number) => Math.min(number, 2 ** 31 - 1);

/** The body of POST /object/list-v2/:bucket. */
export interface ListPageRequest {
  prefix?: string;
  limit?: number;
  cursor?: string;
  with_delimiter?: boolean;
  sortBy?: { column: string; order?: string };
}

interface Entry {
  key?: string;
  name: string;
  /** Null for a folder. */
  id: string | null;
  created_at: Date | null;
  updated_at: Date | null;
}

/** The place after which a page starts, and the order of all pages. */
interface Cursor {
  after: string;
  order?: string;
  column?: string;
  /** The value of a time column. */
  time?: string;
}

const MAX_PAGE = 1000;

/** With a delimiter one level below a prefix, else every object. */
export async function listPage(transaction: Transaction, bucket: string, input: ListPageRequest) {
  const limit = Math.min(input.limit || MAX_PAGE, MAX_PAGE);
  const cursor: Cursor = input.cursor
    ? decodeCursor(input.cursor)
    : { after: "", order: input.sortBy?.order, column: input.sortBy?.column };
  const read = input.with_delimiter ? readLevel : readAll;
  const entries = await read(transaction, bucket, input.prefix ?? "", limit + 1, cursor);
  const page = entries.slice(0, limit).map((entry) => ({ ...entry, name: fullName(entry) }));
  const hasNext = entries.length > limit;
  return {
    hasNext,
    ...hasNext && { nextCursor: encodeCursor(cursor, page.at(-1)!), nextCursorKey: entries[limit - 1].name },
    folders: page.filter(({ id }) => id === null),
    objects: page.filter(({ id }) => id !== null),
  };
}

/** The name of a folder ends with its slash, so that a cursor tells it from an object of that name. */
const fullName = ({ id, name }: Entry) => id === null ? `${name}/` : name;

function readLevel(sql: Transaction, bucket: string, prefix: string, limit: number, cursor: Cursor) {
  const { after, order = "asc", column = "name", time = "" } = cursor;
  return sql<Entry[]>`
    select key, name, id, updated_at, created_at, last_accessed_at, metadata from storage.search_v2(
      ${prefix}, ${bucket}, ${limit}, ${prefix.split("/").length}, ${after}, ${order}, ${column}, ${time})`;
}

function readAll(sql: Transaction, bucket: string, prefix: string, limit: number, cursor: Cursor) {
  const { after, order, column = "name", time = "" } = cursor;
  const [direction, passed] = order === "desc" ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`];
  // Cursors have milliseconds, so that rows of one millisecond are ordered by name
  const at = column === "name" ? undefined : sql`date_trunc('milliseconds', ${sql(column)})`;
  const start = at
    ? sql`(${at}, name collate "C") ${passed} (coalesce(nullif(${time}, '')::timestamptz, 'epoch'), ${after})`
    : sql`name collate "C" ${passed} ${after}`;
  return sql<Entry[]>`
    select id, name, metadata, updated_at, created_at, last_accessed_at from storage.objects
    where bucket_id = ${bucket} and archived_at is null and not is_delete_marker
      and starts_with(name, ${prefix}) and (${after} = '' or ${start})
    order by ${at ? sql`${at} ${direction},` : sql``} name collate "C" ${direction} limit ${limit}`;
}

/** The service's letters of a cursor's lines. */
const letters = { l: "after", o: "order", c: "column", a: "time" } as const;
const timeColumns = ["created_at", "updated_at"] as const;
const allowed: Partial<Record<keyof Cursor, readonly string[]>> = {
  order: ["asc", "desc"],
  column: ["name", ...timeColumns],
};

function encodeCursor({ order, column }: Cursor, last: Entry): string {
  const timeColumn = timeColumns.find((name) => name === column);
  const cursor = { after: last.name, order, column, time: timeColumn && last[timeColumn]?.toISOString() };
  const lines = Object.entries(letters).filter(([, name]) => cursor[name]);
  return Buffer.from(lines.map(([letter, name]) => `${letter}:${cursor[name]}`).join("\n")).toString("base64");
}

function decodeCursor(text: string): Cursor {
  const cursor: Cursor = { after: "", order: "asc" };
  for (const line of decodeBase64(text).split("\n")) {
    const [, letter, value] = /^(\S):(.*)/.exec(line) ?? [];
    const name = letters[letter as keyof typeof letters];
    if (!name || allowed[name] && !allowed[name].includes(value)) throw ERRORS.invalidParameter("continuation token");
    if (name === "time" && Number.isNaN(Date.parse(value))) throw ERRORS.invalidParameter("continuation token");
    cursor[name] = value;
  }
  return cursor;
}
