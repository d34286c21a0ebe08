// A database before its first migration equals one on the platform, as far as a migration can observe.
import assert from "node:assert/strict";
import { join } from "node:path";
import postgres from "../../local/postgres/client.ts";
import { startPostgres } from "../../local/postgres/start_postgres.ts";
import { repository } from "../../local/host/project.ts";
import { folderOfFile } from "../temporary_folder.ts";

async function withDatabase(claims: (claim: Claims) => Promise<void>) {
  const folder = await folderOfFile("castbase-platform-");
  const pg = await startPostgres({ cache: join(repository, ".cache"), dataDir: join(folder, "postgres") });
  const sql = postgres(pg.url("postgres"), { max: 1, onnotice: () => {} });
  const run = async (statements: string): Promise<postgres.Row[]> => {
    let rows: postgres.Row[] = [];
    const undo = new Error();
    await sql.begin(async (transaction) => {
      const results = await transaction.unsafe(statements).simple();
      rows = (Array.isArray(results.at(-1)) ? results.at(-1) : results) as postgres.Row[];
      throw undo;
    }).catch((error) => {
      if (error !== undo) throw error;
    });
    return rows;
  };
  try {
    await claims({
      run,
      refused: (statements, code = "42501") => assert.rejects(run(statements), { code }, statements),
    });
  } finally {
    await sql.end({ timeout: 1 });
    await pg.stop();
  }
}

interface Claims {
  /** Runs statements as `postgres` in a transaction that is rolled back; returns the last one's rows. */
  run(statements: string): Promise<postgres.Row[]>;
  refused(statements: string, code?: string): Promise<void>;
}

const NEW_USER = "insert into auth.users (id, email) values (gen_random_uuid(), 'someone@example.test')";

Deno.test("a fresh database equals a new project on the platform", async (t) => {
  await withDatabase(async ({ run, refused }) => {
    await t.step("migrations run as a role that is not a superuser", async () => {
      const [role] = await run("select * from pg_roles where rolname = current_user");
      assert.deepEqual(
        [role.rolname, role.rolsuper, role.rolcreaterole, role.rolcreatedb, role.rolreplication, role.rolbypassrls],
        ["postgres", false, true, true, true, true],
      );
      await refused("create event trigger t on ddl_command_end execute function extensions.pgrst_ddl_watch()");
      await refused("create function f() returns int language c as 'x'");
      await refused("create role boss superuser");
      await refused("alter database postgres set work_mem = '1GB'");
    });

    await t.step("the services' roles exist with their rights", async () => {
      const rows = await run(`
        select rolname, rolcanlogin, rolbypassrls, rolinherit from pg_roles
        where rolname in ('anon', 'authenticated', 'service_role', 'authenticator') order by rolname`);
      assert.deepEqual(rows.map((row) => Object.values(row)), [
        ["anon", false, false, false],
        ["authenticated", false, false, false],
        ["authenticator", true, false, false],
        ["service_role", false, true, false],
      ]);
      await run("set local role anon; set local role none; set local role service_role");
      await refused("set role supabase_auth_admin");
      await refused("set role supabase_admin");
    });

    await t.step("schemas have the owners of the platform", async () => {
      const rows = await run(`
        select nspname, nspowner::regrole::text from pg_namespace
        where nspname in ('auth', 'storage', 'realtime', 'vault', 'extensions', 'public') order by 1`);
      assert.deepEqual(rows.map((row) => Object.values(row).join(" ")), [
        "auth supabase_admin",
        "extensions postgres",
        "public pg_database_owner",
        "realtime supabase_admin",
        "storage supabase_admin",
        "vault supabase_admin",
      ]);
      const tables = await run(`
        select c.oid::regclass::text, relowner::regrole::text, relrowsecurity from pg_class c
        where c.oid in ('auth.users'::regclass, 'storage.objects'::regclass, 'realtime.messages'::regclass) order by 1`);
      assert.deepEqual(tables.map((row) => Object.values(row).join(" ")), [
        "auth.users supabase_auth_admin true",
        "realtime.messages supabase_realtime_admin true",
        "storage.objects supabase_storage_admin true",
      ]);
    });

    await t.step("search_path and timeouts are the platform's", async () => {
      const [{ search_path }] = await run("show search_path");
      assert.equal(search_path, `"$user", public, extensions`);
      const rows = await run(`
        select rolname, setting from pg_roles, unnest(rolconfig) setting
        where rolname in ('anon', 'authenticated') and setting like 'statement_timeout%' order by 1`);
      assert.deepEqual(rows.map(({ setting }) => setting), ["statement_timeout=3s", "statement_timeout=8s"]);
    });

    await t.step("a new table is accessible only by grants", async () => {
      const may = "create table public.t (id bigserial); set local role";
      for (const role of ["anon", "authenticated", "service_role"]) {
        await refused(`${may} ${role}; select * from public.t`);
        await refused(`${may} ${role}; insert into public.t default values`);
        await refused(`${may} ${role}; select * from public.t_id_seq`);
        await run(`${may} ${role}; truncate public.t`); // granted on the platform unless revoked
      }
    });

    await t.step("a new function is executable by PUBLIC until it is revoked", async () => {
      const made = "create function public.f() returns int language sql as 'select 1'";
      await run(`${made}; set local role anon; select public.f()`);
      await refused(
        `alter default privileges for role postgres revoke execute on functions from public; ${made}; set local role anon; select public.f()`,
      );
    });

    await t.step(
      "auth.uid(), auth.role() and auth.email() read both forms of claims, and treat empty ones as none",
      async () => {
        const request =
          "select auth.uid() as uid, auth.role() as role, auth.email() as email, auth.jwt() ->> 'aal' as aal";
        const uid = "00000000-0000-4000-8000-000000000001";
        const claims = JSON.stringify({ sub: uid, role: "authenticated", email: "a@b.c", aal: "aal1" });
        const own = { uid, role: "authenticated", email: "a@b.c", aal: "aal1" };
        const none = { uid: null, role: null, email: null, aal: null };
        for (const role of ["postgres", "anon", "authenticated", "service_role"]) {
          const [row] = await run(
            `set local role ${role}; select set_config('request.jwt.claims', '${claims}', true); ${request}`,
          );
          assert.deepEqual({ ...row }, own);
        }
        const [single] = await run(`select set_config('request.jwt.claim.sub', '${uid}', true); ${request}`);
        assert.equal(single.uid, uid);
        const [empty] = await run(
          `select set_config('request.jwt.claims', '', true), set_config('request.jwt.claim.sub', '', true); ${request}`,
        );
        assert.deepEqual({ ...empty }, none);
      },
    );

    await t.step("a migration may build on the services' tables", async () => {
      await run(`
        create table public.profiles (id uuid primary key references auth.users on delete cascade);
        create function public.provision() returns trigger language plpgsql security definer set search_path = ''
          as $$ begin insert into public.profiles values (new.id); return new; end $$;
        create trigger on_user_made after insert on auth.users for each row execute function public.provision();
        ${NEW_USER};
        drop trigger on_user_made on auth.users;
        drop table public.profiles`);
      await run(`
        insert into storage.buckets (id, name, public) values ('b', 'b', true);
        create policy members_read on storage.objects for select to authenticated using (bucket_id = 'b');
        alter policy members_read on storage.objects using (bucket_id = 'c');
        drop policy members_read on storage.objects;
        create policy members_hear on realtime.messages for select to authenticated using (realtime.topic() = 'x')`);
      await run(`
        create table public.t (id int primary key);
        alter publication supabase_realtime add table public.t`);
    });

    await t.step("a migration may not change the services' schemas", async () => {
      for (const schema of ["auth", "storage", "realtime"]) {
        await refused(`create table ${schema}.mine (id int)`);
        await refused(`create function ${schema}.mine() returns int language sql as 'select 1'`);
        await refused(`create type ${schema}.mine as enum ('a')`);
        await refused(`drop schema ${schema} cascade`);
      }
      await refused("alter table auth.users add column plan text");
      await refused("alter table storage.objects disable row level security");
      await refused("create index on auth.users (created_at)");
      await refused("create index on storage.objects (owner_id)");
      await refused("drop table auth.sessions cascade");
      await refused("drop function auth.uid() cascade");
      await refused("create or replace function auth.uid() returns uuid language sql as 'select null::uuid'");
    });

    await t.step("stored objects are not deleted by SQL", async () => {
      const stored = `
        insert into storage.buckets (id, name) values ('b', 'b');
        insert into storage.objects (bucket_id, name) values ('b', 'o')`;
      await refused(`${stored}; delete from storage.objects`);
      await refused(`${stored}; set local role service_role; delete from storage.objects`);
    });

    for (
      const [extension, schema] of Object.entries({
        pgmq: null,
        pg_cron: null,
        pg_net: "extensions",
        pgtap: "extensions",
        pg_trgm: "extensions",
        btree_gist: "extensions",
        unaccent: "extensions",
        citext: "extensions",
        supabase_vault: null,
      })
    ) {
      await t.step(`a migration may create the extension ${extension}`, async () => {
        await run(`create extension if not exists ${extension} ${schema ? `schema ${schema}` : ""}`);
      });
    }

    await t.step("queues belong to postgres, which grants and reads them", async () => {
      const [{ owner }] = await run(`
        create extension pgmq;
        select pgmq.create('jobs');
        grant select on pgmq.q_jobs to service_role;
        select relowner::regrole::text as owner from pg_class where oid = 'pgmq.q_jobs'::regclass`);
      assert.equal(owner, "postgres");
    });

    await t.step("every new database is a new project", async () => {
      const [{ count }] = await run(`
        select count(*)::int from pg_database where datname = 'template1' and datistemplate`);
      assert.equal(count, 1);
    });
  });
});
