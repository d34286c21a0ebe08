// Every RPC function of the catalog can be called through REST with each of its arguments by name.
import assert from "node:assert/strict";
import { person, sql } from "../http/harness.ts";

interface RpcFunction {
  name: string;
  args: { name: string; type: string; category: string }[];
}

const functions = await sql<RpcFunction[]>`
  select p.proname as name, coalesce(json_agg(json_build_object(
      'name', u.name, 'type', format_type(u.type, null), 'category', t.typcategory) order by u.place)
    filter (where u.name is not null), '[]') as args
  from pg_proc p
  left join lateral unnest(p.proargnames, p.proargtypes::oid[]) with ordinality u(name, type, place) on u.type is not null
  left join pg_type t on t.oid = u.type
  where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
  and not exists (select from pg_depend d
    where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  and p.proname !~ '(^|_)lt_'  -- fixtures of tests/parity
  group by p.oid, p.proname order by 1`;

/** A value of the type; null for enums and all other types. */
function valueOf({ type, category }: RpcFunction["args"][number]): unknown {
  if (type === "uuid") return crypto.randomUUID();
  if (type === "json" || type === "jsonb") return {};
  const byCategory: Record<string, unknown> = { N: 1, B: false, S: "x", D: "2026-01-01T00:00:00Z", A: [], T: "1 day" };
  return byCategory[category] ?? null;
}

/** The call reached the function: it returned, or the function, a policy or a grant rejected the call. */
const wasCalled = (status: number, code: string | undefined) =>
  status < 500 && !/^(PGRST|42601|42703|42804|42846|42883|42P)/.test(code ?? "") || status === 503;

Deno.test("REST calls every RPC function of the catalog with all arguments by name", async () => {
  const { client } = await person("every-function");
  await client.rpc("create_podcast", { title: "Keeps the account" }); // delete_account is 409
  assert.ok(functions.length > 30 && functions.some(({ args }) => args.some(({ name }) => name === "limit")));
  const failed: string[] = [];
  for (let i = 0; i < functions.length; i += 8) {
    await Promise.all(
      functions.slice(i, i + 8).map(async ({ name, args }) => {
        const { status, error } = await client.rpc(
          name,
          Object.fromEntries(args.map((arg) => [arg.name, valueOf(arg)])),
        );
        if (!wasCalled(status, error?.code)) failed.push(`${name}: ${status} ${error?.code} ${error?.message}`);
      }),
    );
  }
  assert.deepEqual(failed, []);
});

Deno.test("an RPC call without required arguments or with an unknown one returns 404 PGRST202", async () => {
  const { client } = await person("every-function");
  for (const args of [{}, { episode_id: crypto.randomUUID(), nope: 1 }]) {
    const { status, error } = await client.rpc("publish_episode", args);
    assert.deepEqual([status, error?.code], [404, "PGRST202"]);
  }
});
