// The storage schema, as its owner for the service's own questions and as the caller for everything that RLS decides.
import postgres from "../postgres_client.ts";
import type { Caller } from "../rest/caller.ts";
import { fromDatabase } from "./errors.ts";

export type Transaction = postgres.TransactionSql;
export type Database = ReturnType<typeof connect>;

/** Who asks for what: policies may look at both. */
export interface Asking extends Caller {
  request: Request;
  /** The service's name of the operation, which storage.operation() gives to policies. */
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

/** What a probing transaction ends with. */
const undone = Symbol("undone");

export function connect(databaseUrl: string) {
  const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} });
  const service = { role: "service_role", claims: { role: "service_role" } };

  /** One transaction under the caller's role; the guard against deletes by SQL is lifted in it alone. */
  async function as<T>(asking: Asking, run: (transaction: Transaction) => Promise<T>): Promise<T> {
    const { role, claims, request, operation } = asking;
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
    /** As the owner of the schema, past RLS: single reads that decide nothing by themselves. */
    sql,
    as,
    asService: <T>(asking: Asking, run: (transaction: Transaction) => Promise<T>) => as({ ...asking, ...service }, run),

    /** Whether the caller might do this; nothing of it stays. */
    async probe(asking: Asking, run: (transaction: Transaction) => Promise<unknown>): Promise<void> {
      await as(asking, async (transaction) => {
        await run(transaction);
        throw undone;
      }).catch((error) => {
        if (error !== undone) throw error;
      });
    },

    close: () => sql.end({ timeout: 1 }),
  };
}

/** The owner columns: the old one holds UUIDs only. */
export function ownerOf(sub: string | undefined): { owner: string | null; owner_id: string | null } {
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(sub ?? "");
  return { owner: isUuid ? sub! : null, owner_id: sub ?? null };
}
