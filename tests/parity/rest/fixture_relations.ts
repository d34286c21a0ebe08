// Tables, views and functions of the tests of relationships and calls; fixture.ts creates and drops them.
export const relations = `
  -- the name of an exposed table, with other columns and keys
  create table lt_hidden.lt_people (id int primary key, secret text, show_id int references public.lt_shows on delete cascade);
  create table public.lt_tasks (
    id int primary key, name text,
    parent_id int constraint lt_tasks_parent references public.lt_tasks,
    main_id int constraint lt_tasks_main references public.lt_tasks
  );
  create view public.lt_live_shows with (security_invoker = true) as
    select s.id as live_id, s.title from public.lt_shows s where s.status = 'live';
  create view public.lt_recent with (security_invoker = true) as
    select e.id, e.show_id, e.title, (select count(*) from public.lt_people) as "people (all)"
    from (select * from public.lt_episodes) e;
  create view public.lt_listed with (security_invoker = true) as
    select r.title as listed, r.show_id as shown_in from public.lt_recent r;
  -- #rrggbb in JSON and filters
  create domain public.lt_color as int;
  create domain public.lt_grade as int default 5;
  create function public.show_lt_color(public.lt_color) returns json language sql immutable set search_path = ''
    as $$ select to_json('#' || lpad(to_hex($1), 6, '0')) $$;
  create function public.parse_lt_color(text) returns public.lt_color language sql immutable set search_path = ''
    as $$ select ('x' || lpad(ltrim($1, '#'), 8, '0'))::bit(32)::int $$;
  create function public.read_lt_color(json) returns public.lt_color language sql immutable set search_path = ''
    as $$ select public.parse_lt_color($1 #>> '{}') $$;
  grant execute on function public.show_lt_color, public.parse_lt_color, public.read_lt_color to public;
  create cast (public.lt_color as json) with function public.show_lt_color as implicit;
  create cast (text as public.lt_color) with function public.parse_lt_color as implicit;
  create cast (json as public.lt_color) with function public.read_lt_color as implicit;
  create table public.lt_paints (
    id int primary key, color public.lt_color, grade public.lt_grade,
    show_id int references public.lt_shows on delete cascade
  );
  grant all on public.lt_paints to service_role;
  create view public.lt_titles as select e.id as episode_id, e.title, e.show_id from public.lt_episodes e;
  grant all on public.lt_titles to service_role;
  revoke all on public.lt_tasks, public.lt_live_shows, public.lt_recent, public.lt_listed from anon, authenticated;
  grant select on public.lt_tasks, public.lt_live_shows, public.lt_recent, public.lt_listed to anon, authenticated;

  create function public.lt_recent_of(show int) returns setof public.lt_recent language sql stable set search_path = ''
    as $$ select * from public.lt_recent r where r.show_id = lt_recent_of.show order by r.id $$;
  create function public.lt_initial(public.lt_episodes) returns text language sql stable set search_path = ''
    as $$ select left($1.title, 1) $$;
  create function public.lt_words(public.lt_episodes) returns tsvector language sql stable set search_path = ''
    as $$ select to_tsvector('simple', $1.title || ' thing') $$;
  create function public.lt_title_of(show public.lt_shows) returns text language sql stable set search_path = ''
    as $$ select lt_title_of.show.title $$;
  create function public.lt_join(separator text, variadic words text[]) returns text language sql stable
    set search_path = '' as $$ select array_to_string(lt_join.words, lt_join.separator) $$;
  create function public.lt_code(code character) returns text language sql stable set search_path = ''
    as $$ select lt_code.code::text $$;
  create function public.lt_unnamed_json(json) returns text language sql stable set search_path = ''
    as $$ select $1->>'x' $$;
  create function public.lt_unnamed_text(text) returns text language sql stable set search_path = ''
    as $$ select upper($1) $$;
  create function public.lt_unnamed_bytes(bytea) returns int language sql stable set search_path = ''
    as $$ select length($1) $$;
  create function public.lt_unnamed_int(int) returns int language sql stable set search_path = '' as $$ select 1 $$;
  create function public.lt_over() returns text language sql stable set search_path = '' as $$ select 'none' $$;
  create function public.lt_over(a text) returns text language sql stable set search_path = '' as $$ select 'text' $$;
  create function public.lt_over(a int) returns text language sql stable set search_path = '' as $$ select 'int' $$;
  create function public.lt_over(b boolean default true) returns text language sql stable set search_path = ''
    as $$ select 'b' $$;
`;

export const relationRows = `
  insert into lt_hidden.lt_people values (1, 'hidden', 1);
  insert into public.lt_paints values (1, 255, 1, 1), (2, 65280, 2, null);
  insert into public.lt_tasks values (1, 'Board', null, null), (2, 'First', 1, null), (3, 'Second', 1, 2);
`;

export const dropRelations = `drop table if exists public.lt_tasks, public.lt_paints cascade;
  drop domain if exists public.lt_color, public.lt_grade cascade;`;
