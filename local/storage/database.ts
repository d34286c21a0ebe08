// Access to the storage schema: as its owner for the service's own queries, as the caller where RLS decides.
import type postgres from "../postgres/client.ts";
import { openPool } from "../postgres/pool.ts";
import type { Caller } from "../wire/caller.ts";
import { fromDatabase } from "./errors.ts";

export type Transaction = postgres.TransactionSql;
export type Database = ReturnType<typeof connect>;

/** The caller and the request, which policies may read. */
export interface StorageCaller extends Caller {
  request: Request;
  /** The service's name of the operation; policies read it by storage.operation(). */
  operation: string;
}

/** `storage.objects.metadata`, as the service writes it. */
export interface Metadata {
  eTag: string;
  size: number;
  mimetype: string;
  cacheControl: string;
  lastModified: string;
  contentLength: number;
  httpStatusCode: number;
  /** The X-Robots-Tag header of downloads. */
  xRobotsTag?: string;
}

export interface ObjectRow {
  id: string;
  bucket_id: string;
  name: string;
  version: string;
  owner: string | null;
  owner_id: string | null;
  metadata: Metadata;
  user_metadata: Record<string, unknown> | null;
  created_at: Date;
  updated_at: Date;
  last_accessed_at: Date;
}

/** Rolls a probe back. */
const ROLLBACK = Symbol("rollback");

export function connect(databaseUrl: string) {
  const sql = openPool(databaseUrl, { max: 10, onnotice: () => {} });
  const service = { role: "service_role", claims: { role: "service_role" } };

  /** Runs one transaction with the caller's role. Deletes by SQL are allowed in it alone. */
  async function as<T>(caller: StorageCaller, run: (transaction: Transaction) => Promise<T>): Promise<T> {
    const { role, claims, request, operation } = caller;
    const headers = JSON.stringify(Object.fromEntries(request.headers));
    const path = new URL(request.url).pathname.replace(/^\/storage\/v1/, "");
    try {
      return await sql.begin(async (transaction) => {
        await transaction`select set_config('role', ${role}, true),
          set_config('request.jwt.claims', ${JSON.stringify({ role, ...claims })}, true),
          set_config('request.jwt.claim.sub', ${claims.sub ?? ""}, true),
          set_config('request.jwt.claim.role', ${role}, true),
          set_config('request.headers', ${headers}, true),
          set_config('request.method', ${request.method}, true),
          set_config('request.path', ${path}, true),
          set_config('storage.operation', ${operation}, true),
          set_config('storage.allow_delete_query', 'true', true)`;
        return await run(transaction);
      }) as T;
    } catch (error) {
      throw error instanceof Error && fromDatabase(error) || error;
    }
  }

  return {
    /** Connects as the owner of the schema, without RLS: for single reads. */
    sql,
    as,
    asService: <T>(caller: StorageCaller, run: (transaction: Transaction) => Promise<T>) =>
      as({ ...caller, ...service }, run),

    /** Runs a transaction and rolls it back. Throws if the caller may not do this. */
    async probe(caller: StorageCaller, run: (transaction: Transaction) => Promise<unknown>): Promise<void> {
      await as(caller, async (transaction) => {
        await run(transaction);
        throw ROLLBACK;
      }).catch((error) => {
        if (error !== ROLLBACK) throw error;
      });
    },

    close: () => sql.end({ timeout: 1 }),
  };
}

/** The owner columns, the older of which holds UUIDs only. An absent value leaves a column as it is. */
export function ownerColumns(sub: string | undefined): { owner?: string; owner_id?: string } {
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(sub ?? "");
  return { ...isUuid && { owner: sub }, ...sub !== undefined && { owner_id: sub } };
}
