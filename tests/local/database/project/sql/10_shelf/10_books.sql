create type public.binding as enum ('paper', 'cloth', 'leather');
create type public.size as (width numeric(6, 2), height numeric(6, 2));
create domain public.isbn as text constraint isbn_is_digits check (value ~ '^[0-9-]+$');
comment on type public.binding is 'Cheapest first';

-- A function that a table needs, a table that a function needs, and two tables that need each other.
create function private.shout(words text) returns text language sql immutable set search_path = '' as $$
  select upper(words)
$$;
create table public.authors (
  id          uuid primary key default gen_random_uuid(),
  name        text not null,
  best_book   bigint
);
create table public.books (
  id          bigint primary key generated always as identity,
  author_id   uuid not null references public.authors on delete cascade deferrable initially deferred,
  title       text not null,
  loud_title  text generated always as (private.shout(title)) stored,
  binding     public.binding not null default 'cloth',
  size        public.size,
  isbn        public.isbn unique,
  cover       bytea,
  place       int not null default 1,
  constraint title_is_sane check (char_length(title) between 1 and 200 and title !~ '\s$'),
  constraint place_is_unique unique (author_id, place) deferrable
);
comment on column public.books.place is 'On the shelf';
comment on constraint title_is_sane on public.books is 'Short, and no blank at its end';
alter table public.books alter column cover set storage external;
alter table public.books replica identity full;
alter table public.authors add constraint best_book_exists
  foreign key (best_book) references public.books on delete set null;
create index books_title_idx on public.books using gin (title extensions.gin_trgm_ops);
create index books_cloth_idx on public.books (author_id) where binding >= 'cloth';
create index authors_best_book_idx on public.authors (best_book);

create function private.my_books() returns setof public.books
language sql stable security definer set search_path = '' as $$
  select b from public.books b where b.author_id = (select auth.uid())
$$;
revoke all on function private.my_books from public;
grant execute on function private.my_books to authenticated;

alter table public.books enable row level security;
alter table public.authors enable row level security;
create policy authors_read on public.books for select to authenticated
  using (author_id = (select auth.uid()) and place between 1 and 99 and title <> '');
create policy nobody_hides on public.books as restrictive for update to authenticated
  using (true) with check (place > 0);
create policy anyone_reads on public.authors for select to anon, authenticated using (true);
grant select, insert (author_id, title), update (title, place) on public.books to authenticated;
grant select on public.authors to anon, authenticated;

create view public.shelf with (security_invoker = true) as
  select a.name, count(*) as books from public.books b join public.authors a on a.id = b.author_id
  where b.place between 1 and 9 and b.title <> '' group by a.name;
grant select on public.shelf to authenticated;
create materialized view private.counts as select binding, count(*) from public.books group by binding;
