begin;
select tests.start();

select is_empty($$ select * from private.api_grants where grantee is not null
    except select * from private.declared_grants() $$,
  'PUBLIC and the API roles have no grant beyond those that sql/ declares');
select is_empty($$ select * from private.declared_grants() except select * from private.api_grants $$,
  'each declared grant is given');
select is_empty($$ select nspname, proname from tests.functions group by nspname, proname having count(*) > 1 $$,
  'no function is overloaded, so that a grant can name it');

-- What a database of the platform's earlier defaults, or a restored one, has
alter default privileges for role postgres grant execute on functions to public;
alter default privileges for role postgres in schema public
  grant all on functions to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  grant all on sequences to anon, authenticated, service_role;
create function private.probe_function() returns int language sql return 1;
create function public.own_function() returns int language sql return 1;  -- an operator's, as the rest of these
create function public.own_function(n int) returns int language sql return n;
create procedure public.own_procedure() language sql begin atomic select 1; end;
create table public.own_table (id int generated always as identity);
create view public.own_view as select 1 as one;
grant execute on function public.delete_account() to anon;
grant select, truncate on private.settings to authenticated;
grant insert on public.podcasts to public;
grant select on public.podcast_import_item_texts to anon;
select set_eq($$
    select name, grantee, string_agg(privilege, ' ' order by privilege) from (
      select * from private.api_grants where grantee is not null except select * from private.declared_grants()) extra
    where name !~ '[.]own_' group by name, grantee $$,
  $$ values ('public.delete_account', 'anon', 'EXECUTE'), ('private.settings', 'authenticated', 'SELECT TRUNCATE'),
    ('public.podcasts', 'public', 'INSERT'), ('private.probe_function', 'public', 'EXECUTE'),
    ('public.podcast_import_item_texts', 'anon', 'SELECT') $$, 'api_grants lists what exceeds the declared grants');
create temp table own as select * from private.api_grants where name ~ '[.]own_';
select is((select count(distinct grantee) from own), 4::bigint, 'an operator''s objects have grants of their own');

select private.install();
select is_empty($$
    select * from private.api_grants
    where grantee is not null and name !~ '[.]own_' and name <> 'private.probe_function'
    except select * from private.declared_grants() $$,
  'private.install() revokes each grant on the product''s objects that sql/ does not give');
select is((select grantee from private.api_grants where name = 'private.probe_function'), null,
  'private.install() revokes each grant on an object of private that sql/ does not declare');
select is_empty($$ select * from private.declared_grants() except select * from private.api_grants $$,
  'private.install() keeps each declared grant');
select bag_eq('select * from own', $$ select * from private.api_grants where name ~ '[.]own_' $$,
  'private.install() leaves the grants on objects of an operator');
create function public.probe_later() returns int language sql return 1;
create table public.probe_later (id int generated always as identity);
select is_empty($$ select * from private.api_grants where name ~ 'probe_later' and grantee is not null $$,
  'private.install() revokes the default privileges for what is created later');

select * from tests.finish();
rollback;
