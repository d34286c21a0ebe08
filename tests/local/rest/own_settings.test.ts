// Settings of the role authenticator that change each request, on a stack of its own.
import { deepStrictEqual as same } from "node:assert";
import postgres from "../../../local/postgres/client.ts";
import { startTestStack } from "../../stack.ts";
import { client } from "../../parity/rest/fixture.ts";
import { projectFolder } from "../host/project_folder.ts";
import { withSettings } from "../../parity/rest/pgrst_settings.ts";

const tables = `
  create schema lt_other;
  grant usage on schema lt_other to anon;
  create table public.lt_rows (id int primary key, parent_id int references public.lt_rows);
  insert into public.lt_rows values (1, null), (2, 1), (3, 1), (4, 1);
  create table lt_other.lt_things (id int primary key);
  create function public.lt_all() returns setof int language sql stable as $$ select id from public.lt_rows $$;
  create function public.lt_search_path() returns text language sql stable as $$ select current_setting('search_path') $$;
  create function public.lt_before() returns void language plpgsql as $$
    begin
      if current_setting('request.path') = '/lt_rows' then raise sqlstate 'PT418' using message = 'Not now'; end if;
      perform set_config('response.headers', '[{"x-before": "yes"}]', true);
    end $$;
  grant select, insert on all tables in schema public, lt_other to anon;
  grant execute on all functions in schema public to anon;
`;

Deno.test("Settings of authenticator apply without a restart, and a wrong one changes nothing", async (t) => {
  await using stack = await startTestStack({ project: await projectFolder({ "supabase/config.toml": "" }) });
  const sql = postgres(stack.dbUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(tables).simple();
  const anon = client(stack);
  const send = async (path: string, { headers, ...init }: RequestInit = {}) => {
    const all = { apikey: stack.publishableKey, ...headers };
    const response = await fetch(`${stack.url}/rest/v1${path}`, { ...init, headers: all });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const get = (path: string, headers: HeadersInit = {}) => send(path, { headers });
  const rowCount = async () => (await anon.from("lt_rows").select("id")).data?.length;

  await t.step("db_max_rows limits tables, functions and embedded tables", async () => {
    await withSettings({ sql }, { db_max_rows: "2" }, async () => await rowCount() === 2, async () => {
      same((await anon.rpc("lt_all")).data, [1, 2]);
      const [first] = (await anon.from("lt_rows").select("id, lt_rows(id)").order("id")).data!;
      same(first, { id: 1, lt_rows: [{ id: 2 }, { id: 3 }] });
      const counted = await anon.from("lt_rows").select("id", { count: "exact" }).limit(3);
      same([counted.status, counted.count, counted.data!.length], [206, 4, 2]);
      await sql.unsafe("analyze public.lt_rows").simple();
      same((await anon.from("lt_rows").select("id", { count: "estimated", head: true })).count, 4);
      same((await anon.from("lt_rows").select("id", { count: "planned", head: true })).count, 4);
    });
  });

  await t.step("a setting of the role in the database replaces the role's", async () => {
    await sql`alter role authenticator in database postgres set pgrst.db_max_rows = '1'`;
    await withSettings({ sql }, { db_max_rows: "3" }, async () => await rowCount() === 1, async () => {
      await sql.unsafe("alter role authenticator in database postgres reset pgrst.db_max_rows").simple();
    });
  });

  await t.step("db_schemas and db_extra_search_path replace those of config.toml", async () => {
    const isRead = async () => (await anon.schema("lt_other").from("lt_things").select()).error === null;
    const profile = async (headers = {}) => (await get("/lt_rows", headers)).headers.get("content-profile");
    same([await profile(), await profile({ "accept-profile": "public" })], [null, "public"]);
    await withSettings(
      { sql },
      { db_schemas: "public, lt_other", db_extra_search_path: "lt_other" },
      isRead,
      async () => {
        same(await profile(), "public");
        const { error } = await anon.schema("lt_kept").from("x").select();
        same([error!.message, error!.hint], [
          "Invalid schema: lt_kept",
          "Only the following schemas are exposed: public, lt_other",
        ]);
        same((await anon.rpc("lt_search_path")).data, '"public", "lt_other"');
      },
    );
  });

  await t.step("db_pre_request runs before each request", async () => {
    const isRead = async () => (await get("/rpc/lt_all")).headers.get("x-before") === "yes";
    await withSettings({ sql }, { db_pre_request: "public.lt_before" }, isRead, async () => {
      const { status, error } = await anon.from("lt_rows").select();
      same([status, error!.code, error!.message], [418, "PT418", "Not now"]);
    });
  });

  await t.step("db_tx_end rolls all transactions back, unless the request may commit", async () => {
    const add = (id: number, prefer = "") =>
      send("/lt_rows", {
        method: "POST",
        headers: { "content-type": "application/json", prefer },
        body: JSON.stringify({ id }),
      });
    const isRead = async () => {
      await add(100);
      return (await sql`delete from public.lt_rows where id = 100 returning id`).length === 0;
    };
    await withSettings({ sql }, { db_tx_end: "rollback" }, isRead, async () => {
      same((await add(10, "tx=commit")).status, 201);
      same(await rowCount(), 4);
      const duplicate = await add(1);
      same([duplicate.status, JSON.parse(duplicate.text).code], [409, "23505"]);
    });
    await withSettings({ sql }, { db_tx_end: "rollback-allow-override" }, isRead, async () => {
      const committed = await add(10, "tx=commit");
      same(committed.headers.get("preference-applied"), "tx=commit");
      same(await rowCount(), 5);
    });
  });

  await t.step("the root of the API has no description", async () => {
    for (const method of ["GET", "OPTIONS", "POST"]) {
      const { status, text } = await send("/", { method });
      same([status, JSON.parse(text).code], [404, "PGRST126"]);
    }
  });

  await t.step("a wrong value keeps the last settings, and an unknown name is ignored", async () => {
    const settings = { db_max_rows: "2" };
    await withSettings({ sql }, settings, async () => await rowCount() === 2, async () => {
      await sql.unsafe("alter role authenticator set pgrst.db_tx_end = 'maybe'; notify pgrst").simple();
      same((await anon.rpc("lt_all")).data, [1, 2]);
      await sql.unsafe("alter role authenticator reset pgrst.db_tx_end").simple();
    });
    same(await rowCount(), 5);
  });

  await sql.end();
});
