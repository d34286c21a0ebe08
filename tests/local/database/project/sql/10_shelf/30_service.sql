-- Functions of the service: each kind of argument and result.
create function private.count_books(
  _author_id uuid, since timestamptz default null, bindings public.binding[] default '{cloth}') returns bigint
language sql stable set search_path = '' return 0;
grant execute on function private.count_books to service_role;
create function private.list_authors() returns table (id uuid, books bigint[]) language sql stable set search_path = ''
begin atomic
  select a.id, '{}'::bigint[] from public.authors a;
end;
grant execute on function private.list_authors to service_role;
create function private.list_shelf() returns setof public.shelf language sql stable set search_path = ''
begin atomic
  select s from public.shelf s;
end;
grant execute on function private.list_shelf to service_role;
-- Not of the service: a helper of users too, a trigger, and a function with a public one.
create function private.is_short(title text) returns boolean language sql immutable set search_path = '' return true;
grant execute on function private.is_short to authenticated, service_role;
create function private.tidy() returns trigger language plpgsql set search_path = '' as 'begin return new; end';
grant execute on function private.tidy to service_role;
create function private.lend(book_id bigint) returns void language sql set search_path = '' return null;
create function public.lend(book_id bigint) returns void language sql set search_path = '' return private.lend(book_id);
grant execute on function private.lend to service_role;
grant execute on function public.lend to service_role;
