-- The table notifications over the API: users read their own rows; constraints hold for every writer.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'),
  tests.person('stranger'), tests.episode('pilot', 'show'), tests.guest('gus', 'pilot');
select tests.notification(who || '''s', who) from unnest(array['ola', 'ana', 'vic']) who;
select tests.notification('guest''s', 'ola', jsonb_build_object('user_id', null,
  'episode_guest_id', tests.id('pilot/gus')));
select tests.access('selecting notifications', 'select from public.notifications',
  'ok 1: ola ana vic; ok 0: stranger; ok 4: service; 42501: anon');
select is(tests.value_as(who, 'select title from public.notifications'), who || '''s',
  format('%s reads the notification of %s alone', who, who))
from unnest(array['ola', 'ana', 'vic']) who;

-- constraints
select is(tests.error_of(format('select tests.notification(%L, %L, %L)', 'bad', 'ola', columns)), '23514',
  format('the constraint %s rejects %s', name, columns))
from (values
  ('has_one_recipient', '{"user_id": null}'::jsonb),
  ('has_one_recipient', jsonb_build_object('episode_guest_id', tests.id('pilot/gus'))),
  ('archived_is_read', '{"archived_at": "2026-01-01"}'), ('title_is_1_to_300_chars', '{"title": ""}'),
  ('title_is_1_to_300_chars', jsonb_build_object('title', repeat('x', 301))),
  ('body_is_at_most_2000_chars', jsonb_build_object('body', repeat('x', 2001)))
) v (name, columns);

select * from tests.finish();
rollback;
