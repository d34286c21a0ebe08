// list(): one level below a prefix, folders and files alike, as the service's storage.search() returns it.
import type { Transaction } from "./database.ts";
import { ERRORS } from "./errors.ts";

const columns = ["name", "updated_at", "created_at", "last_accessed_at"];

/** The body of POST /object/list/:bucket. */
export interface ListRequest {
  prefix?: string;
  limit?: number;
  offset?: number;
  search?: string;
  sortBy?: { column?: string; order?: string };
}

export async function list(transaction: Transaction, bucket: string, input: ListRequest) {
  const { limit = 100, offset = 0, search = "" } = input;
  const { column = "name", order = "asc" } = input.sortBy ?? {};
  if (typeof input.prefix !== "string") throw ERRORS.invalidRequest("body must have required property 'prefix'");
  if (!Number.isInteger(limit) || limit < 1) throw ERRORS.invalidRequest("body/limit must be >= 1");
  if (!Number.isInteger(offset) || offset < 0) throw ERRORS.invalidRequest("body/offset must be >= 0");
  if (!columns.includes(column)) {
    throw ERRORS.invalidRequest("body/sortBy/column must be equal to one of the allowed values");
  }
  const prefix = input.prefix === "" || input.prefix.endsWith("/") ? input.prefix : `${input.prefix}/`;
  const direction = order === "desc" ? transaction`desc` : transaction`asc`;
  // Sorted by name, folders and files mix. Sorted by a date, which folders lack, folders are first, by name
  const byDate = column === "name" ? transaction`` : transaction`is_file, ${transaction(column)} ${direction},`;
  return await transaction`
    with below as (
      select substr(o.name, ${prefix.length + 1}::int) as rest, o.*
      from storage.objects o
      where o.bucket_id = ${bucket} and starts_with(lower(o.name), lower(${prefix + search}))
    ), entries as (
      select split_part(rest, '/', 1) as name, strpos(rest, '/') = 0 as is_file, id, updated_at, created_at,
        last_accessed_at, metadata
      from below where strpos(rest, '/') = 0
      union all
      select distinct on (lower(split_part(rest, '/', 1))) split_part(rest, '/', 1), false,
        null::uuid, null::timestamptz, null::timestamptz, null::timestamptz, null::jsonb
      from below where strpos(rest, '/') > 0
    )
    select name, id, updated_at, created_at, last_accessed_at, metadata from entries
    order by ${byDate} lower(name) collate "C" ${direction}
    limit ${Math.min(limit, 1500)} offset ${offset}`;
}
