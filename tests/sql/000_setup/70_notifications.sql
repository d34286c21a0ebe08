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

-- a TAP report, as each file of a pg_prove run has
select unnest(array['1..1', 'ok 1 - the factory of notifications is created']);
