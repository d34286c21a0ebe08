// Every table and view of the catalog can be read through REST by those whom its grants allow.
import assert from "node:assert/strict";
import { client } from "../parity/realtime/subscribers.ts";
import { person, sql, stackInfo } from "../http/harness.ts";

const tables = await sql<{ name: string; isPublic: boolean }[]>`
  select c.relname as name, has_any_column_privilege('anon', c.oid, 'SELECT') as "isPublic"
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'p')
    and has_any_column_privilege('authenticated', c.oid, 'SELECT')
    and not exists (select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    and c.relname !~ '^(lt|sv)_'  -- fixtures of tests/parity
  order by 1`;

/** The outcome of a read of the columns that a role may read. */
async function read({ name }: { name: string }, who: ReturnType<typeof client>, role: string) {
  const columns = await sql<{ column: string }[]>`
    select attname as column from pg_attribute
    where attrelid = ${`public.${name}`}::regclass and attnum > 0 and not attisdropped
      and has_column_privilege(${role}, attrelid, attnum, 'SELECT')`;
  const { status, error } = await who.from(name).select(columns.map(({ column }) => column).join() || "*").limit(1);
  return { status, error: error && `${error.code} ${error.message}` };
}

Deno.test("REST lets signed-in users read each table of the catalog, and anonymous clients only public ones", async () => {
  const user = (await person("every-table")).client, anon = client(stackInfo.publishableKey);
  assert.ok(tables.length > 30, `${tables.length}`);
  const outcomes = [];
  for (const table of tables) {
    outcomes.push([table.name, await read(table, user, "authenticated"), await read(table, anon, "anon")]);
  }
  const denied = ({ name }: { name: string }) => ({ status: 401, error: `42501 permission denied for table ${name}` });
  assert.deepEqual(
    outcomes,
    tables.map((table) => [
      table.name,
      { status: 200, error: null },
      table.isPublic ? { status: 200, error: null } : denied(table),
    ]),
  );
});
