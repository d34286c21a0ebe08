// lite's connection, with its faults corrected where it meets the database.
import { AsyncLocalStorage } from "node:async_hooks";
import { createPostgresConnection } from "@supabase/lite/postgres";
import type { Kysely } from "kysely";
import { databaseErrorResponse, isPostgresError } from "./errors.ts";
import { correct, type RequestAst } from "./request_ast.ts";
import type { createSchemaCache } from "./schema_cache.ts";
import { applySettings, functionOf, type Turn } from "./transaction.ts";
import { types } from "./types.ts";

/** The request being served: lite passes on less of it than the transaction needs. */
export const turns = new AsyncLocalStorage<Turn>();
/** The transaction that is open already, when one request is made of several. */
const open = new AsyncLocalStorage<Kysely<unknown>>();

type Run = (transaction: Kysely<unknown>) => Promise<Response>;

/** Takes an answer out of a transaction that must not commit. */
class Refused extends Error {
  constructor(readonly response: Response) {
    super("refused");
  }
}

export function createConnection(url: string, schemaCache: ReturnType<typeof createSchemaCache>) {
  // deno-lint-ignore no-explicit-any
  const connection: any = createPostgresConnection({ // lite's internals are not in its types
    url,
    // deno-lint-ignore no-explicit-any
    postgresOptions: { max: 10, idle_timeout: 0, onnotice: () => {}, types: types as any },
  });
  const kysely: Kysely<unknown> = connection.kysely;

  /** Runs `run` as one transaction of the current request; what it refuses is rolled back. */
  async function inTransaction(run: Run): Promise<Response> {
    const turn = turns.getStore()!;
    const cache = await schemaCache.get();
    try {
      return await kysely.transaction().execute(async (transaction) => {
        await applySettings(transaction, turn, cache);
        const response = await open.run(transaction, () => run(transaction));
        if (await isRefusal(response, turn)) throw new Refused(response);
        return response;
      });
    } catch (error) {
      if (error instanceof Refused) return error.response;
      if (isPostgresError(error)) return databaseErrorResponse(error, turn);
      throw error;
    }
  }

  // lite grants ALL on every schema that has a table with RLS, once, before its first transaction. Not here.
  connection.rlsState = "active";
  connection.introspect = async () => (await schemaCache.get()).introspection;
  // lite takes six statements to set less than PostgREST sets, commits what it then refuses, and answers 500 to
  // SQLSTATEs that it does not know.
  connection.withContext = (_: unknown, run: Run) => {
    const transaction = open.getStore();
    return transaction ? run(transaction) : inTransaction(run);
  };
  const toAst = connection.onPostgrestAST.bind(connection);
  connection.onPostgrestAST = async (ast: RequestAst) =>
    correct(await toAst(ast), (await schemaCache.get()).introspection, turns.getStore()!.contentType);

  return {
    lite: connection,
    inTransaction: (run: () => Promise<Response>) => inTransaction(run),
    close: () => connection.close() as Promise<void>,
  };
}

/** A function that sets response.status has its say, and its changes; what lite refuses changes nothing. */
async function isRefusal(response: Response, turn: Turn): Promise<boolean> {
  if (response.ok || response.status === 304) return false;
  if (!functionOf(turn.path)) return true;
  const body = await response.clone().json().catch(() => null);
  return typeof body?.code === "string" && body.code.startsWith("PGRST");
}
