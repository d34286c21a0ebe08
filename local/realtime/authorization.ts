/**
 * What a caller may do on a private channel: the policies of realtime.messages decide. As in the service, each right is
 * tried on a row of the topic, in a transaction that is rolled back.
 */
import postgres from "../postgres/client.ts";
import { type Claims, roleOf } from "./subscriptions.ts";

export type Extension = "broadcast" | "presence";
/** A right is undefined until it has been checked. */
type Rights = Partial<Record<Extension, boolean>>;
export interface Policies {
  read: Rights;
  write: Rights;
}

export interface ChannelCaller {
  topic: string;
  claims: Claims;
  headers: Record<string, string>;
}

/** The rights could not be determined. */
export class AuthorizationError extends Error {
  constructor(readonly reason: "RlsPolicyError" | "QueryCanceled" | "MissingPartition", cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Whether policies let the caller select the messages of these extensions. Throws AuthorizationError. */
export function checkReading(sql: postgres.Sql, caller: ChannelCaller, extensions: Extension[]): Promise<Rights> {
  return rolledBack(sql, async (own) => {
    const rows = extensions.map((extension) => ({ id: crypto.randomUUID(), topic: caller.topic, extension }));
    await own`insert into realtime.messages ${own(rows)}`;
    await become(own, caller);
    const seen = await own<{ id: string }[]>`
      select id from realtime.messages where id in ${own(rows.map(({ id }) => id))}`;
    return Object.fromEntries(rows.map((row) => [row.extension, seen.some(({ id }) => id === row.id)]));
  });
}

/** Whether policies let the caller insert messages of these extensions. Throws AuthorizationError. */
export function checkWriting(sql: postgres.Sql, caller: ChannelCaller, extensions: Extension[]): Promise<Rights> {
  return rolledBack(sql, async (own) => {
    await become(own, caller);
    const rights: Rights = {};
    for (const extension of extensions) {
      rights[extension] = await own.savepoint(async (own) => {
        await own`insert into realtime.messages ${own({ topic: caller.topic, extension })}`;
        return true;
      }).catch((error) => {
        if (error.code === "42501") return false;
        throw error;
      });
    }
    return rights;
  });
}

async function become(sql: postgres.TransactionSql, { topic, claims, headers }: ChannelCaller) {
  const role = roleOf(claims);
  await sql`
    select set_config('role', ${role}, true), set_config('realtime.topic', ${topic}, true),
      set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
      set_config('request.jwt.claim.sub', ${typeof claims.sub === "string" ? claims.sub : null}, true),
      set_config('request.jwt.claim.role', ${role}, true),
      set_config('request.headers', ${JSON.stringify(headers)}, true)`;
}

async function rolledBack<T>(sql: postgres.Sql, work: (own: postgres.TransactionSql) => Promise<T>): Promise<T> {
  const done = new Error("rolled back");
  let result: T;
  try {
    await sql.begin(async (own) => {
      result = await work(own);
      throw done;
    });
  } catch (error) {
    if (error !== done) throw describeFailure(error);
  }
  return result!;
}

function describeFailure(error: unknown): unknown {
  if (!(error instanceof postgres.PostgresError)) return error;
  const isMissingPartition = error.code === "23514" && error.table_name === "messages";
  return new AuthorizationError(
    error.code === "57014" ? "QueryCanceled" : isMissingPartition ? "MissingPartition" : "RlsPolicyError",
    error,
  );
}
