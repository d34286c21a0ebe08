-- Notifications of a user, remembered by title. `columns` sets further columns.
create function tests.notification(title text, who text, columns jsonb default '{}') returns uuid
language plpgsql security definer as $$
declare
  created uuid;
begin
  perform tests.person(who) where not tests.exists(who);
  insert into public.notifications select * from jsonb_populate_record(null::public.notifications,
    jsonb_build_object('id', gen_random_uuid(), 'user_id', tests.id(who), 'type', 'chat.message',
      'category', 'collaboration', 'priority', 'normal', 'title', title, 'metadata', '{}'::jsonb,
      'created_at', now(), 'updated_at', now()) || columns)
  returning id into created;
  return tests.remember(title, created);
end $$;

-- The columns of a read, an archived, and a not yet due notification
create function tests.read() returns jsonb language sql as $$ select jsonb_build_object('read_at', now()) $$;
create function tests.archived() returns jsonb language sql as $$
  select jsonb_build_object('read_at', now(), 'archived_at', now())
$$;
create function tests.not_due() returns jsonb language sql as $$
  select jsonb_build_object('scheduled_for', now() + interval '1 hour')
$$;

-- 'unread', 'read' or 'archived' of a remembered notification
create function tests.notification_state(title text) returns text language sql security definer as $$
  select case when n.archived_at is not null then 'archived' when n.read_at is not null then 'read' else 'unread' end
  from public.notifications n where n.id = tests.id($1)
$$;

-- The tests of the two verbs that change the due unread notifications of a group and link
create function tests.check_group_verb(verb text, count_name text, changed_column text) returns setof text
language plpgsql as $$
declare
  call constant text := format('select public.%s(%%L, %%L)', verb);
  changed constant text := format('select array(select n.title from public.notifications n
    where (n.updated_at, n.%s, n.read_at, n.created_at) = (now(), now(), now(), %L) order by 1)::text',
    changed_column, '2026-01-01');
  titles text;
begin
  perform tests.person('ola'), tests.person('ana');
  perform tests.notification(v.title, v.who, v.columns || case v.link when '' then '{}' else
    jsonb_build_object('link', v.link) end || jsonb_build_object('group_key', v.group_key)) from (values
    ('first', 'ola', 'g', '/a', '{}'::jsonb), ('without-link', 'ola', 'g', '', '{}'), ('other-link', 'ola', 'g', '/b',
    '{}'), ('second', 'ola', 'g', '/a', jsonb_build_object('scheduled_for', now())),
    ('other-group', 'ola', 'h', '/a', '{}'), ('read', 'ola', 'g', '/a', '{"read_at": "2026-01-01"}'),
    ('archived', 'ola', 'g', '/a', '{"read_at": "2026-01-01", "archived_at": "2026-01-01"}'),
    ('later', 'ola', 'g', '/a', tests.not_due()), ('others', 'ana', 'g', '/a', '{}'))
    v (title, who, group_key, link, columns);
  update public.notifications set created_at = '2026-01-01', updated_at = '2026-01-01';
  return next is(tests.value_as('ola', format(call, 'g', '/a')), format('{"hasMore": false, "%s": 2}', count_name),
    verb || ' returns the number of changed notifications');
  execute changed into titles;
  return next is(titles, '{first,second}', verb || ' changes due unread notifications of this group and link alone');
  return next is(tests.value_as('ola', format(call, 'g', null)), format('{"hasMore": false, "%s": 1}', count_name),
    verb || ' with a null link matches notifications without a link');
  execute changed into titles;
  return next is(titles, '{first,second,without-link}',
    verb || ' with a null link leaves notifications with a link as they are');
  return query select is(tests.value_as('ola', format(call, key, null)),
    format('{"hasMore": false, "%s": 0}', count_name),
    format('%s returns 0 for a group of %s characters without notifications', verb, length(key)))
    from unnest(array['x', repeat('ä', 200)]) key;
  return query select is(tests.value_as('ola', format('select tests.describe_error(%L)', format(call, key, null))),
    'PT400 / group_key must be 1 to 200 characters',
    format('%s returns 400 for a group key of %s characters', verb, coalesce(length(key)::text, 'null')))
    from unnest(array['', repeat('x', 201), null]) key;
  return next is(tests.result_of('ola', format('select public.%s(%L)', verb, 'g')), '42883',
    verb || ' requires a link');
  return next is(tests.notification_state('others'), 'unread', verb || ' leaves notifications of others unread');
  update public.notifications n set read_at = null, archived_at = null where n.title in ('first', 'second');
  return next is(array(select tests.value_as('ola', format('select private.read_notification_group(%L, %L, %L, %L, '
      'max_rows => 1)', count_name, 'g', '/a', changed_column = 'archived_at')) from generate_series(1, 3)),
    array[format('{"hasMore": true, "%s": 1}', count_name), format('{"hasMore": false, "%s": 1}', count_name),
      format('{"hasMore": false, "%s": 0}', count_name)],
    verb || ' changes each notification once in repeated calls');
end $$;

-- The tests of the two verbs that archive a notification
create function tests.check_archiving(verb text) returns setof text language plpgsql as $$
declare
  call constant text := format('select (n.archived_at, n.read_at, n.updated_at)::text from public.%s(%%L) n', verb);
begin
  perform tests.person('ola'), tests.person('ana');
  perform tests.notification('unread', 'ola'), tests.notification('read', 'ola', '{"read_at": "2026-01-01"}'),
    tests.notification('archived', 'ola', '{"read_at": "2026-01-01", "archived_at": "2026-01-01",
      "updated_at": "2026-01-01"}'),
    tests.notification('later', 'ola', tests.not_due()), tests.notification('others', 'ana');
  return query select is(tests.value_as('ola', format(call, tests.id(title))),
    row(archived_at, read_at, updated_at)::text,
    format('%s of a notification that is %s returns archived_at, read_at and updated_at', verb, title))
    from (values ('unread', now(), now(), now()), ('read', now(), '2026-01-01', now()), ('later', now(), now(), now()),
      ('archived', '2026-01-01', '2026-01-01', '2026-01-01')) v (title, archived_at, read_at, updated_at);
  return query select is(tests.value_as('ola', format('select tests.describe_error(%L)', format(call, id))),
    'PT404 / Notification not found', format('%s returns 404 for %s', verb, what))
    from (values (tests.id('others'), 'a notification of another user'), (gen_random_uuid(), 'an unknown id'),
      (null, 'null')) v (id, what);
  return next is(tests.notification_state('others'), 'unread', verb || ' leaves notifications of others as they are');
end $$;

-- a TAP report, as each file of a pg_prove run has
select unnest(array['1..1', 'ok 1 - the factory of notifications is created']);
