-- broadcast_inboxes: one message per changed inbox and statement, which its user alone may receive.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana'), tests.podcast('show', 'ola'), tests.episode('pilot', 'show'),
  tests.guest('gus', 'pilot');
delete from realtime.messages;

-- The messages since the last call: whose inbox, and the counts
create function pg_temp.sent() returns text language sql as $$
  with taken as (
    delete from realtime.messages m using tests.ids i where m.topic = 'inbox:' || i.id
    returning i.name, m.payload
  )
  select string_agg(format('%s %s', t.name, array(
    select t.payload -> key from unnest(array['inbox', 'unread', 'archived', 'needsAttention']) key)), ', '
    order by t.name, t.payload ->> 'unread') from taken t
$$;

-- What is sent
select tests.notification('first', 'ola', '{"priority": "immediate"}');
select results_eq('select topic, extension, event, private, payload from realtime.messages',
  $$ values ('inbox:' || tests.id('ola'), 'broadcast', 'inbox_changed', true,
    '{"inbox": 1, "unread": 1, "archived": 0, "needsAttention": 1}'::jsonb) $$,
  'a new notification sends a private broadcast with the counts of the inbox');
select pg_temp.sent() is not null;
insert into public.notifications (user_id, type, category, priority, title)
select tests.id(name), 'chat.message', category, 'low', 'New'
from unnest(array['ola', 'ana']) name, unnest(enum_range(null::public.notification_category)) category,
  generate_series(1, 3);
select is(pg_temp.sent(), 'ana {15,15,0,0}, ola {16,16,0,1}',
  'a statement sends one message per user, for rows of all categories together');
select tests.value_as('ola', 'select public.mark_all_notifications_read()') is not null;
select is(pg_temp.sent(), 'ola {16,0,0,0}', 'mark_all_notifications_read sends one message');
select tests.value_as('ola', 'select public.mark_all_notifications_read()') is not null;
select is(pg_temp.sent(), null, 'a call that changes no notification sends nothing');
select private.fold_notification_counts() > 0;
select tests.value_as('ola', format('select public.archive_notification(%L)', tests.id('first'))) is not null;
select is(pg_temp.sent(), 'ola {15,0,1,0}', 'archive_notification sends counts that include folded changes');
delete from public.notifications where id = tests.id('first');
select is(pg_temp.sent(), 'ola {15,0,0,0}', 'the deletion of a notification sends a message');
select tests.notification('later', 'ola', tests.not_due()) is not null;
select is(pg_temp.sent(), 'ola {15,0,0,0}', 'a notification that is not due is not in the counts that it sends');
select private.release_due_notifications(at => now() + interval '2 hours');
select is(pg_temp.sent(), 'ola {16,1,0,0}', 'release_due_notifications sends the counts with what became due');
update public.notifications set user_id = tests.id('ana') where id = tests.id('later');
select is(pg_temp.sent(), 'ana {16,16,0,0}, ola {15,0,0,0}', 'a notification that moves to another user tells both');

insert into public.notifications (episode_guest_id, type, category, priority, title)
values (tests.id('pilot/gus'), 'chat.message', 'collaboration', 'normal', 'New');
insert into public.notifications (unlisted_user_id, type, category, priority, title, read_at)
values (tests.id('ola'), 'chat.message', 'collaboration', 'normal', 'New', now());
select is_empty('select from realtime.messages', 'notifications of guests and unlisted ones send nothing');

-- Limit
select tests.person(name) from unnest(array['new', 'old', 'busy']) name;
insert into auth.sessions (id, user_id, created_at, refreshed_at) values
  (gen_random_uuid(), tests.id('old'), now() - interval '3 days', null),
  (gen_random_uuid(), tests.id('busy'), now() - interval '9 days', null),
  (gen_random_uuid(), tests.id('busy'), now() - interval '8 days', (now() - interval '1 hour') at time zone 'utc');
select private.set_setting('max_inbox_broadcasts', '2');
insert into public.notifications (user_id, type, category, priority, title)
select tests.id(name), 'chat.message', 'team', 'low', 'New' from unnest(array['ola', 'old', 'busy', 'new']) name;
select is(pg_temp.sent(), 'busy {1,1,0,0}, old {1,1,0,0}',
  'a statement sends at most max_inbox_broadcasts messages, to the users whose session was used last');
select private.set_setting('max_inbox_broadcasts', '0');
select tests.notification('quiet', 'new');
select is(pg_temp.sent(), null, 'max_inbox_broadcasts of 0 turns broadcasts off');
select private.set_setting('max_inbox_broadcasts', null);

-- Who receives
create function pg_temp.received_by(who text, topic text) returns text language sql as $$
  select set_config('realtime.topic', $2, true);
  select coalesce(string_agg(m, ','), 'nothing') from unnest(string_to_array(
    tests.value_as($1, 'select string_agg(m.extension, '','') from realtime.messages m'), ',')) m
$$;
insert into realtime.messages (topic, extension, private)
select topic, extension, true
from unnest(array['inbox:' || tests.id('ola'), 'inbox:']) topic, unnest(array['broadcast', 'presence']) extension;
select is(pg_temp.received_by(who, topic), received, format('%s receives %s on %s', who, received, said)) from (values
  ('ola', 'inbox:' || tests.id('ola'), 'broadcast,broadcast', 'their own inbox'),
  ('old', 'inbox:' || tests.id('ola'), 'nothing', 'the inbox of another user'),
  ('anon', 'inbox:' || tests.id('ola'), 'nothing', 'the inbox of a user'),
  ('anon', 'inbox:', 'nothing', 'an inbox without a user'),
  ('ola', 'inbox:', 'nothing', 'an inbox without a user'),
  ('ola', tests.id('ola')::text, 'nothing', 'another topic'),
  ('ola', '', 'nothing', 'a channel without a topic')) v (who, topic, received, said);
select is(tests.result_of(who, format(
    'insert into realtime.messages (topic, extension, private) values (%L, ''broadcast'', true)',
    'inbox:' || tests.id('ola'))), '42501', format('%s may not send to an inbox', who))
from unnest(array['ola', 'old', 'anon']) who;
select is(tests.result_of(who, format('select private.broadcast_inboxes(array[%L]::uuid[])', tests.id('ola'))), '42501',
  format('%s may not call broadcast_inboxes', who)) from unnest(array['ola', 'anon', 'service']) who;

-- Realtime fails
create function pg_temp.fail() returns trigger language plpgsql as $$
begin
  raise sqlstate '23514' using message = 'no partition';
end $$;
create trigger fails before insert on realtime.messages for each row execute function pg_temp.fail();
delete from realtime.messages;
select tests.notification('unsent', 'ola');
select is((select count(*) from public.notifications where id = tests.id('unsent')), 1::bigint,
  'a notification is written on a day for which Realtime has no partition');
create or replace function pg_temp.fail() returns trigger language plpgsql as $$
begin
  raise sqlstate '42501' using message = 'Realtime changed its grants';
end $$;
select tests.notification('refused', 'ola');
select is((select count(*) from public.notifications where id = tests.id('refused')), 1::bigint,
  'a notification is written when its broadcast fails');
select is_empty('select from realtime.messages', 'a broadcast that fails sends nothing');

select * from tests.finish();
rollback;
