// Embedding of every pair of public tables. PostgREST's rule is written here a second time, as SQL over pg_catalog, and
// compared with the stack's responses.
import assert from "node:assert/strict";
import { sql, stackInfo } from "../http/harness.ts";

interface Pair {
  origin: string;
  target: string;
  /** The relationships from one to the other. */
  ways: { kind: "one" | "many"; hint: string; details: string }[];
}

const pairs = await sql<Pair[]>`
  with tables as (
    select c.oid, c.relname, coalesce((select array_agg(k) from pg_constraint p, unnest(p.conkey) k
      where p.conrelid = c.oid and p.contype = 'p'), '{}') as key
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p')
    and not c.relispartition and c.relname !~ '^lt_'  -- fixtures of tests/parity
  ), keys as (
    select f.oid, f.conname, f.conrelid, f.confrelid, f.conkey, exists (
      select from pg_constraint u where u.conrelid = f.conrelid and u.contype in ('p', 'u')
      and (select array_agg(k order by k) from unnest(u.conkey) k) = (select array_agg(k order by k) from unnest(f.conkey) k)
    ) as is_unique
    from pg_constraint f where f.contype = 'f'
    and f.conrelid in (select oid from tables) and f.confrelid in (select oid from tables)
  ), ways as (
    select conrelid as origin, confrelid as target, 'one' as kind, conname as hint,
      case when is_unique then 'one-to-one' else 'many-to-one' end as details
    from keys where conrelid <> confrelid
    union all
    select confrelid, conrelid, case when is_unique then 'one' else 'many' end,
      -- a key within one table has two directions: its column selects the many
      case when conrelid = confrelid then (
        select a.attname from pg_attribute a where a.attrelid = conrelid and a.attnum = conkey[1]) else conname end,
      case when is_unique then 'one-to-one' else 'one-to-many' end from keys
    union all
    select a.confrelid, b.confrelid, 'many', t.relname, 'many-to-many'
    from keys a join keys b on b.conrelid = a.conrelid and b.oid <> a.oid join tables t on t.oid = a.conrelid
    where not a.is_unique and not b.is_unique and a.conkey <@ t.key and b.conkey <@ t.key and a.confrelid <> b.confrelid
  )
  select o.relname as origin, t.relname as target,
    coalesce(json_agg(json_build_object('kind', w.kind, 'hint', w.hint, 'details', w.details) order by w.hint)
      filter (where w.kind is not null), '[]') as ways
  from tables o cross join tables t left join ways w on w.origin = o.oid and w.target = t.oid
  group by 1, 2 order by 1, 2`;

const headers = { apikey: stackInfo.secretKey };

async function embed(origin: string, target: string, more = "") {
  const response = await fetch(`${stackInfo.url}/rest/v1/${origin}?select=${target}(count)&limit=1${more}`, {
    headers,
  });
  const body = await response.json();
  return {
    status: response.status,
    body,
    isList: Array.isArray(body) && body.length ? Array.isArray(Object.values(body[0])[0]) : null,
  };
}

/** Few concurrent requests: the stack has ten connections. */
async function inGroups<T>(items: T[], run: (item: T) => Promise<void>) {
  for (let i = 0; i < items.length; i += 10) await Promise.all(items.slice(i, i + 10).map(run));
}

Deno.test("every pair of public tables is embedded, ambiguous or unrelated by PostgREST's rule", async () => {
  assert.ok(pairs.length > 100);
  const wrong: string[] = [];
  await inGroups(pairs, async ({ origin, target, ways }) => {
    const { status, body } = await embed(origin, target);
    const code = status === 200 ? "embedded" : body.code;
    const expected = ways.length === 1 ? "embedded" : ways.length ? "PGRST201" : "PGRST200";
    if (code !== expected) wrong.push(`${origin}(${target}): ${code} instead of ${expected}`);
    if (code !== "PGRST201") return;
    assert.equal(status, 300);
    assert.deepEqual(
      body.details.map((way: { cardinality: string }) => way.cardinality).sort(),
      ways.map((way) => way.details).sort(),
    );
  });
  assert.deepEqual(wrong, []);
});

Deno.test("every relationship between two public tables is embedded by its hint, as an object or a list", async () => {
  const ways = pairs.flatMap(({ origin, target, ways }) => ways.map((way) => ({ origin, target, ...way })));
  await inGroups(ways, async ({ origin, target, hint, kind }) => {
    const { status, body, isList } = await embed(origin, `${target}!${hint}`);
    assert.equal(status, 200, `${origin}(${target}!${hint}): ${JSON.stringify(body)}`);
    if (isList !== null) assert.equal(isList, kind === "many", `${origin}(${target}!${hint})`);
  });
});
