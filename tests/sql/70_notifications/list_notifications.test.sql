-- list_notifications: the caller's notifications, newest first, in pages, with filters that combine.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana');
create function pg_temp.list(who text, arguments text default '') returns jsonb language sql as $$
  select tests.value_as(who, format('select public.list_notifications(%s)', arguments))::jsonb
$$;
create function pg_temp.titles(who text, arguments text default '') returns text language sql as $$
  select coalesce(string_agg(n ->> 'title', ' ' order by i), '')
  from jsonb_array_elements(pg_temp.list(who, arguments) -> 'notifications') with ordinality x (n, i)
$$;

-- callers
select is(pg_temp.list('ola'), '{"notifications": [], "cursor": null, "hasMore": false}',
  'list_notifications of an empty inbox is an empty page');

-- the fields
select tests.notification('Whole', 'ola', jsonb_build_object('type', 'chat.mention', 'priority', 'immediate',
  'body', 'Body', 'link', '/episodes/1', 'group_key', 'g', 'metadata', '{"episode_id": "1"}'::jsonb,
  'scheduled_for', '2026-01-01T00:00:00.5Z', 'read_at', '2026-01-02T00:00:00Z', 'created_at', '2026-01-01T12:00:00Z'));
select is(pg_temp.list('ola') #> '{notifications,0}', jsonb_build_object('id', tests.id('Whole'),
    'type', 'chat.mention', 'category', 'collaboration', 'priority', 'immediate', 'title', 'Whole', 'body', 'Body',
    'link', '/episodes/1', 'group_key', 'g', 'scheduled_for', '2026-01-01T00:00:00.500Z',
    'read_at', '2026-01-02T00:00:00.000Z', 'archived_at', null, 'created_at', '2026-01-01T12:00:00.000Z',
    'metadata', '{"episode_id": "1"}'::jsonb),
  'list_notifications returns the fields of a notification, with timestamps in UTC');
delete from public.notifications;

select tests.notification(title, 'ola', jsonb_build_object('body', title, 'link', '/' || title, 'group_key', title,
  'metadata', jsonb_build_object(title, title)))
from unnest(array['"quoted"', 'back\slash \u0041', E'tab\t, line\n, return\r, \x01 and \x7f', 'separators \u2028\u2029',
  U&'separators \2028\2029', 'emoji 🎙️👩‍👩‍👧', '</script>', '{"id": 1}', '%s %1$s']) title;
select is(n.listed, (select to_jsonb(r) from (select x.title, x.body, x.link, x.group_key, x.metadata) r),
  'list_notifications returns the text ' || to_json(x.title) || ' unchanged')
from jsonb_array_elements(pg_temp.list('ola') -> 'notifications') e (listed)
join public.notifications x on x.id = (e.listed ->> 'id')::uuid
cross join lateral (select jsonb_object_agg(key, value) as listed from jsonb_each(e.listed)
  where key in ('title', 'body', 'link', 'group_key', 'metadata')) n;
delete from public.notifications;

-- states
select tests.notification('unread', 'ola', '{"created_at": "2026-01-05"}');
select tests.notification('read', 'ola', tests.read() || '{"created_at": "2026-01-04"}');
select tests.notification('archived', 'ola', tests.archived() || '{"created_at": "2026-01-03"}');
select tests.notification('later', 'ola', tests.not_due() || '{"created_at": "2026-01-02"}');
select tests.notification('later-archived', 'ola',
  tests.archived() || tests.not_due() || '{"created_at": "2026-01-01"}');
select tests.notification('past', 'ola',
  jsonb_build_object('scheduled_for', now() - interval '1 hour', 'created_at', '2025-12-31'));
select tests.notification('now', 'ola', jsonb_build_object('scheduled_for', now(), 'created_at', '2025-12-30'));
select tests.notification('others', 'ana');
select is(pg_temp.titles('ola', arguments), expected, format('list_notifications(%s) lists %s', arguments, expected))
from (values
  ('', 'unread read past now'),
  ('unread_only => true', 'unread past now'),
  ('archived_only => true', 'archived later-archived'),
  ('archived_only => true, unread_only => true', ''),
  ('archived_only => null, unread_only => null', 'unread read past now')) v (arguments, expected);
select is(pg_temp.titles('ana'), 'others', 'list_notifications lists the notifications of the caller alone');
delete from public.notifications;

-- filters: one row per state, category and priority; each filter combination lists exactly its rows
insert into public.notifications (user_id, type, category, priority, title, read_at, archived_at, created_at)
select tests.id('ola'), 'chat.message', c, p, concat_ws('-', s, c, p), case when s <> 'unread' then now() end,
  case when s = 'archived' then now() end, now() - (row_number() over () % 7) * interval '1 second'
from unnest(enum_range(null::public.notification_category)) c, unnest(enum_range(null::public.notification_priority)) p,
  unnest(array['unread', 'read', 'archived']) s, generate_series(1, 2);
create temp table combinations as
select a.archived, u.unread, c.category, p.priority
from (values (false), (true)) a (archived), (values (false), (true)) u (unread),
  unnest(enum_range(null::public.notification_category) || array[null::public.notification_category]) c (category),
  unnest(enum_range(null::public.notification_priority) || array[null::public.notification_priority]) p (priority);
select is(
  (select count(*) from combinations v
   where pg_temp.titles('ola', format('"limit" => 100, archived_only => %L, unread_only => %L, category => %L, '
       'priority => %L', v.archived, v.unread, v.category, v.priority))
     <> coalesce((select string_agg(n.title, ' ' order by n.created_at desc, n.id desc) from public.notifications n
       where (n.archived_at is not null) = v.archived and (not v.unread or n.read_at is null)
         and (v.category is null or n.category = v.category) and (v.priority is null or n.priority = v.priority)), '')),
  0::bigint, 'list_notifications lists exactly the rows of each of the 96 filter combinations, newest first');
select is(tests.error_of(format('select public.list_notifications(%s)', arguments)), '22P02',
  format('list_notifications(%s) rejects the unknown value', arguments))
from unnest(array['category => ''news''', 'priority => ''high''']) arguments;

-- pages
create function pg_temp.pages(who text, page_size int, filter text default '') returns text[] language plpgsql as $$
declare
  page   jsonb := pg_temp.list(who, format('"limit" => %s %s', page_size, filter));
  titles text[] := '{}';
begin
  loop
    titles := titles || array(select n ->> 'id' from jsonb_array_elements(page -> 'notifications') n);
    exit when not (page ->> 'hasMore')::boolean or cardinality(titles) > 100;
    page := pg_temp.list(who, format('"limit" => %s, cursor => %L %s', page_size, page ->> 'cursor', filter));
  end loop;
  return titles;
end $$;
select is(pg_temp.pages('ola', page_size, filter), array(select n.id::text from public.notifications n
    where n.archived_at is null and (filter = '' or n.category = 'team') order by n.created_at desc, n.id desc),
  format('pages of %s%s cover the inbox without gaps and duplicates', page_size, filter))
from (values (1, ''), (7, ''), (100, ''), (3, ', category => ''team''')) v (page_size, filter);
select is(jsonb_array_length(pg_temp.list('ola') -> 'notifications'), 25, 'list_notifications has 25 rows by default');
select is(pg_temp.list('ola', '"limit" => 60') ->> 'cursor', null,
  'list_notifications has no cursor on a full last page');
select matches(pg_temp.list('ola', '"limit" => 1') ->> 'cursor', '^[A-Za-z0-9_-]+$',
  'the cursor of list_notifications is opaque and URL-safe');
select is(tests.value_as('ola', format($$select tests.describe_error(%L)$$,
    format('select public.list_notifications(%s)', arguments))), expected,
  format('list_notifications(%s) returns 400', arguments))
from (values ('"limit" => 0', 'PT400 / limit must be between 1 and 100'),
  ('"limit" => 101', 'PT400 / limit must be between 1 and 100'),
  ('"limit" => null', 'PT400 / limit must be between 1 and 100'),
  ('cursor => ''x''', 'PT400 / Invalid cursor; pass the cursor of the previous page'),
  ('cursor => ''''', 'PT400 / Invalid cursor; pass the cursor of the previous page')) v (arguments, expected);

-- a cursor of page one, then newer rows
create temp table first_page as select pg_temp.list('ola', '"limit" => 5') as page;
create temp table second_page as
select pg_temp.list('ola', format('"limit" => 5, cursor => %L', page ->> 'cursor')) as page from first_page;
select tests.notification('newer' || n, 'ola', jsonb_build_object('created_at', now() + interval '1 second'))
from generate_series(1, 5) n;
select is(pg_temp.list('ola', format('"limit" => 5, cursor => %L', (select page ->> 'cursor' from first_page))),
  (select page from second_page), 'a cursor of list_notifications leads to the same page after new notifications');

-- plans: pages of 25 read one row more, and merges the next row of each branch
delete from public.notifications;
insert into public.notifications (user_id, type, category, priority, title, read_at, archived_at, created_at)
select tests.id(case when n % 4 = 0 then 'ana' else 'ola' end), 'chat.message', c[1 + n % 5], p[1 + n / 5 % 3], 'Title',
  case when n / 15 % 3 > 0 then now() end, case when n / 15 % 3 = 2 then now() end,
  now() - n * interval '1 second'
from generate_series(1, 6000) n
cross join (select enum_range(null::public.notification_category) as c,
  enum_range(null::public.notification_priority) as p) e;
analyze public.notifications;
create function pg_temp.rows_read() returns bigint language sql as $$
  select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relid = 'public.notifications'::regclass
$$;
create function pg_temp.rows_read_by_page(arguments text) returns bigint language plpgsql as $$
declare
  before constant bigint := pg_temp.rows_read();
begin
  perform pg_temp.list('ola', arguments);
  return pg_temp.rows_read() - before;
end $$;
select cmp_ok(
  (select max(pg_temp.rows_read_by_page(format('archived_only => %L, unread_only => %L, category => %L, '
     'priority => %L, cursor => %L', v.archived, v.unread, v.category, v.priority, c.cursor))) from combinations v),
  '<=', 30::bigint, 'list_notifications reads the rows of ' || c.page || ', and at most five others, with each filter')
from (values ('the first page', null),
  ('a deep page', private.encode_cursor(now() - interval '50 minutes', tests.id('ola')))) c (page, cursor);

select * from tests.finish();
rollback;
