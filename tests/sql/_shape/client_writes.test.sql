-- Direct writes of clients: the guard on every table that the grants let them write, and what it refuses.
begin;
select tests.start();

create temp table writable as
  select c.oid, c.relname::text as name, v.verb, v.bit
  from pg_class c, (values ('INSERT', 4), ('UPDATE', 16), ('DELETE', 8)) v (verb, bit)
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'p', 'f') and exists (
    select from unnest(array['anon', 'authenticated']) role
    where case v.verb when 'DELETE' then has_table_privilege(role, c.oid, v.verb)
      else has_any_column_privilege(role, c.oid, v.verb) end);
select cmp_ok((select count(*) from writable), '>', 25::bigint, 'clients may write more than 25 tables and verbs');
select is_empty(format($$
  select w.name, w.verb from writable w where not exists (
    select from pg_trigger t
    where t.tgrelid = w.oid and t.tgfoid = 'private.guard_client_write'::regproc and t.tgenabled = 'O'
      and t.tgtype & 3 = %s and t.tgtype & w.bit = w.bit and cardinality(t.tgattr::int2[]) = 0
      and pg_get_triggerdef(t.oid) like
        '%%WHEN ((CURRENT_USER = ANY (ARRAY[''anon''::name, ''authenticated''::name])))%%') $$, 2 + l.bit),
  format('guard_client_write runs before each %s that clients write', l.level))
from (values (0, 'statement'), (1, 'row')) l (bit, level);
select is_empty($$
  select t.tgrelid::regclass, t.tgname from pg_trigger t
  where t.tgfoid <> 'private.guard_client_write'::regproc and t.tgtype & 3 = 3 and not t.tgisinternal
    and t.tgname < 't000_guard_client_rows' and t.tgrelid in (select w.oid from writable w) $$,
  'guard_client_write ends a statement before any other trigger sees the first row too many');

-- A new table: its grants alone decide
create table public.many_rows (id int primary key, text text);
grant select, insert, delete, update (text) on public.many_rows to authenticated;
create function pg_temp.rows_as(who text, statement text) returns text language plpgsql as $$
declare
  outcome text;
begin
  begin
    outcome := tests.result_of(who, statement);
    raise sqlstate 'TT000' using message = outcome;  -- undoes the statement
  exception when sqlstate 'TT000' then
    return outcome;
  end;
end $$;
select tests.person('ola');
select private.guard_client_writes();
select private.guard_client_writes();
select set_eq($$ select tgname::text, tgtype::int from pg_trigger where tgrelid = 'public.many_rows'::regclass $$,
  $$ values ('t000_guard_client_statement', 2 + 4 + 8 + 16), ('t000_guard_client_rows', 1 + 2 + 4 + 8 + 16) $$,
  'guard_client_writes creates the triggers of the verbs that a table grants, once');
insert into public.many_rows select n from generate_series(1, 1001) n;
select is(pg_temp.rows_as('ola', s.statement), s.expected, s.description)
from (values
  ('insert into public.many_rows select n from generate_series(2001, 3000) n', 'ok 1000',
    'a client inserts 1,000 rows in one statement'),
  ('insert into public.many_rows select n from generate_series(2001, 3001) n', 'PT400',
    'a client cannot insert 1,001 rows in one statement'),
  ($$ update public.many_rows set text = 'x' where id <= 1000 $$, 'ok 1000',
    'a client updates 1,000 rows in one statement'),
  ($$ update public.many_rows set text = 'x' $$, 'PT400', 'a client cannot update 1,001 rows in one statement'),
  ('delete from public.many_rows where id <= 1000', 'ok 1000', 'a client deletes 1,000 rows in one statement'),
  ('delete from public.many_rows', 'PT400', 'a client cannot delete 1,001 rows in one statement'),
  ($$ insert into public.many_rows (id) select n from generate_series(1, 1000) n
      on conflict (id) do update set text = 'x' $$, 'ok 1000',
    'a client inserts or updates 1,000 rows in one statement, and each counts once'),
  ($$ with gone as (delete from public.many_rows where id <= 1000)
      insert into public.many_rows select n from generate_series(2001, 3000) n $$, 'ok 1000',
    'the rows that a statement deletes do not count as rows that it inserts'),
  ($$ do $do$ begin
      for i in 1..3 loop
        update public.many_rows set text = 'x' where id <= 1000;
      end loop;
    end $do$ $$, 'ok 0', 'each statement of a transaction may write 1,000 rows')
) s (statement, expected, description);
select is(pg_temp.rows_as('postgres', $$ update public.many_rows set text = 'x' $$), 'ok 1001',
  'functions that run as their owner write any number of rows');
grant update on public.many_rows to service_role;
grant select on public.many_rows to service_role;
select is(pg_temp.rows_as('service', $$ update public.many_rows set text = 'x' $$), 'ok 1001',
  'the service writes any number of rows');
revoke insert, delete on public.many_rows from authenticated;
select private.guard_client_writes();
select set_eq($$ select distinct tgtype & 28 from pg_trigger where tgrelid = 'public.many_rows'::regclass $$,
  array[16], 'guard_client_writes follows the grants of a table');

-- The message, and a deletion that cascades
select tests.podcast('show', 'ola');
insert into public.episodes (podcast_id, title) values (tests.id('show'), 'Long');
insert into public.episode_messages (episode_id, sender_user_id, body)
  select e.id, tests.id('ola'), 'Hello' from public.episodes e, generate_series(1, 1001);
select tests.act_as('ola');
select is(tests.describe_error($$ insert into public.episodes (podcast_id, title)
    select tests.id('show'), 'Part ' || n from generate_series(1, 1001) n $$),
  'PT400 / One request can insert at most 1,000 rows of episodes; send several requests with fewer rows each / '
  'TOO_MANY_ROWS', 'the error of too many rows names verb, number and table, and what to do');
select is(tests.result_of('ola', $$ delete from public.episodes $$), 'ok 1',
  'rows that a deletion cascades to do not count');
select tests.act_as('postgres');
select is((select count(*) from private.episode_slugs), 1::bigint, 'a statement with too many rows reserves no slugs');

select * from tests.finish();
rollback;
