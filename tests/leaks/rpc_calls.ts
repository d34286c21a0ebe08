// Calls of every function that the API exposes, with plausible arguments.
import type postgres from "postgres";
import type { SeededRandom } from "../random.ts";
import type { Stranger } from "./strangers.ts";
import type { World } from "./world.ts";

interface Parameter {
  name: string;
  type: string;
  isOptional: boolean;
}

export interface RpcFunction {
  name: string;
  parameters: Parameter[];
  isForAnon: boolean;
}

/** The functions that the API exposes. */
export async function readFunctions(sql: postgres.Sql): Promise<RpcFunction[]> {
  return await sql<RpcFunction[]>`
    select p.proname as name, has_function_privilege('anon', p.oid, 'execute') as "isForAnon", (
      select coalesce(jsonb_agg(jsonb_build_object('name', a.name, 'type', format_type(a.type, null),
        'isOptional', a.n > p.pronargs - p.pronargdefaults) order by a.n), '[]')
      from unnest(p.proargnames, p.proargtypes::oid[]) with ordinality a (name, type, n) where a.n <= p.pronargs
    ) as parameters
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
      and has_function_privilege('authenticated', p.oid, 'execute')
    order by p.proname`;
}

/** Plausible arguments: ids and slugs of the world, and values that pass the checks of shapes. */
function argument({ name, type }: Parameter, world: World, random: SeededRandom, listenUrl: string): string {
  const podcast = random.one(world.podcasts), { row, bookingLink } = podcast;
  const episode = podcast.episodes.length > 0 ? random.one(podcast.episodes).row : undefined;
  const values: Record<string, string | undefined> = {
    podcast_id: row.id,
    episode_id: episode?.id,
    booking_link_id: bookingLink.id,
    slug: row.slug,
    podcast_slug: row.slug,
    link_slug: bookingLink.slug,
    id_or_slug: random.chance(0.5) ? episode?.slug : episode?.id,
    url: `${listenUrl}/${row.slug}/${episode?.slug ?? ""}`,
    date: new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10),
    year: String(new Date().getUTCFullYear()),
    timezone: "UTC",
    month: String(new Date().getUTCMonth() + 1),
    limit: "50",
    cursor: undefined,
  };
  if (name in values) return values[name] ?? "";
  if (type === "uuid") {
    const labels = [...world.labels].filter(([token]) => token.includes("-"));
    // ids of the named table first: invitation_id is an id of podcast_invitations
    const table = name.replace(/_id$/, "s.id"), own = labels.filter(([, label]) => label.endsWith(table));
    return random.one(own.length > 0 ? own : labels)[0];
  }
  if (type === "jsonb" || type.endsWith("[]")) return "{}";
  if (type === "boolean") return "true";
  if (/int|numeric/.test(type)) return "1";
  if (/timestamp/.test(type)) return new Date(Date.now() + 5 * 86_400_000).toISOString();
  return "x";
}

export interface Call {
  name: string;
  statement: string;
}

/** A call of each function that the stranger may execute, with some of its optional arguments. */
export function callsOf(
  functions: RpcFunction[],
  world: World,
  random: SeededRandom,
  { name }: Stranger,
  listenUrl: string,
): Call[] {
  return functions.filter(({ isForAnon }) => isForAnon || name === "stranger").map((called) => {
    const given = called.parameters.filter(({ isOptional }) => !isOptional || random.chance(0.5)).map((parameter) => {
      const value = argument(parameter, world, random, listenUrl).replaceAll("'", "''");
      return `"${parameter.name}" => ${literal(value, parameter.type)}`;
    });
    return { name: called.name, statement: `select public.${called.name}(${given.join(", ")})::text` };
  });
}

const PLAIN_TYPE = /^(uuid|text|jsonb|boolean|integer|bigint|numeric|timestamp|date|smallint)/;

/** The value, or the first one of an enum. */
const literal = (value: string, type: string) =>
  PLAIN_TYPE.test(type) ? `${value === "" ? "null" : `'${value}'`}::${type}` : `(enum_range(null::${type}))[1]`;

/** Runs the calls as the stranger; each is rolled back. Returns what PostgREST would send, errors included. */
export async function runCalls(sql: postgres.Sql, { name, claims }: Stranger, calls: Call[]): Promise<string[]> {
  return await sql.begin(async (sql) => {
    await sql.unsafe(RUN_CALL);
    const rows = await sql<{ result: string }[]>`
      select pg_temp.run_call(${name === "anon" ? "anon" : "authenticated"}, ${claims}, statement) as result
      from unnest(${calls.map(({ statement }) => statement)}::text[]) with ordinality s (statement, n) order by n`;
    return rows.map(({ result }) => result);
  });
}

const RUN_CALL = `
create or replace function pg_temp.run_call(role text, claims text, statement text) returns text language plpgsql as $$
declare
  result text;
  hint   text;
  detail text;
begin
  begin
    perform set_config('request.jwt.claims', claims, true), set_config('role', role, true);
    execute statement into result;
    raise exception using errcode = 'LEAKS', message = 'rolled back';
  exception
    when sqlstate 'LEAKS' then return result;
    when others then
      get stacked diagnostics hint = pg_exception_hint, detail = pg_exception_detail;
      return concat_ws(E'\\n', sqlstate, sqlerrm, hint, detail);
  end;
end $$`;
