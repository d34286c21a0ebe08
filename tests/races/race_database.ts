// A database with the product and the factories of tests/sql, and many connections to it at once.
import { join } from "node:path";
import { sqlFiles } from "../../local/database/load.ts";
import postgres, { connected } from "../../local/postgres/client.ts";
import { repository } from "../../local/host/project.ts";
import { callParameters, callStatement, type Operation } from "../../functions/database/operations.ts";
import { claimsOf } from "../claims.ts";
import { connectTo } from "../database.ts";
import { createProjectDatabase, type Template } from "../project_cluster.ts";

export interface RaceDatabase extends AsyncDisposable {
  sql: postgres.Sql;
  /** The id of a row of the factories. */
  id(name: string): Promise<string>;
  /** Runs a public function as that person, through private.call_<function>, on a connection of its own. */
  as(person: string, operation: Operation, args: Record<string, unknown>): Promise<string>;
}

const races: Template = {
  name: "races",
  fill: (url) =>
    connected(url, async (setup) => {
      await setup`select private.set_setting('public_url', 'https://casts.test')`;
      await setup`
      update private.plan_limits set max_count = 1000000
      where plan_code = 'free' and name <> 'max_new_recipients_per_day'`;
      // calls wait until a test ends their wait, however slow the machine is
      await setup`create or replace function private.max_lock_wait() returns text language sql immutable return '60s'`;
      for (const file of await sqlFiles(join(repository, "tests/sql/000_setup"))) {
        await setup.unsafe(await Deno.readTextFile(file)).simple();
      }
    }),
};

export async function createRaceDatabase(connections = 20): Promise<RaceDatabase> {
  // sql/ would not do: foreign keys cascade in the order in which the migrations create them
  const database = await createProjectDatabase(races), { url } = database;
  const sql = connectTo(url, connections);
  const id = async (name: string) => (await sql`select tests.id(${name}) as id`)[0].id;
  return {
    sql,
    id,
    async as(person, operation, args) {
      const claims = claimsOf(await id(person));
      const calling = sql.unsafe(callStatement(operation), callParameters(claims, args));
      return await outcome(calling.then(([{ status }]) => {
        if (status >= 400) throw new Returned(status);
      }));
    },
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 });
      await database[Symbol.asyncDispose]();
    },
  };
}

/** An error that was returned instead of raised, because it keeps a change. */
class Returned extends Error {
  constructor(readonly status: number) {
    super(`status ${status}`);
  }
}

/** 'ok', or the SQLSTATE of the error. */
export async function outcome(query: Promise<unknown>): Promise<string> {
  try {
    await query;
    return "ok";
  } catch (error) {
    if (error instanceof Returned) return `PT${error.status}`;
    // an internal error of Postgres (XX000) is unexpected
    if (error instanceof postgres.PostgresError && !error.code.startsWith("XX")) return error.code;
    throw error;
  }
}

/** Runs `work` n times at once and counts how each ended. */
export async function runConcurrently(
  n: number,
  work: (i: number) => Promise<string>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const ended of await Promise.all(Array.from({ length: n }, (_, i) => work(i)))) {
    counts[ended] = (counts[ended] ?? 0) + 1;
  }
  return counts;
}

/** Waits until one of the calls and `others` more wait for a lock, or the call ends because no lock blocked it. */
export async function assertBlocks({ sql }: RaceDatabase, call: Promise<unknown>, others = 0) {
  let done = false;
  call.then(() => done = true);
  for (let waiting = 0; waiting <= others && !done;) {
    [{ waiting }] =
      await sql`select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  }
}

/** Offers a podcast as `from` and accepts it as `to`, with a retry when it grew; returns the last call's outcome. */
export async function transfer(
  { sql, as, id }: RaceDatabase,
  podcastId: string,
  from: string,
  to: string,
): Promise<string> {
  const offered = await as(from, "offer_podcast_transfer", { podcastId, userId: await id(to) });
  const offer = async () =>
    (await sql<{ id: string; offeredBytes: string }[]>`
      select id, storage_bytes as "offeredBytes" from public.podcast_transfers where podcast_id = ${podcastId} and status = 'pending'`)[
      0
    ];
  if (offered !== "ok") return offered;
  for (let open = await offer(), offeredBytes = ""; open; offeredBytes = open.offeredBytes, open = await offer()) {
    const transferId = open.id, ended = await as(to, "accept_podcast_transfer", { transferId });
    if (ended === "ok") return ended;
    if (offeredBytes === open.offeredBytes) {
      await as(from, "withdraw_podcast_transfer", { transferId });
      return ended;
    }
  }
  return "PT409";
}
