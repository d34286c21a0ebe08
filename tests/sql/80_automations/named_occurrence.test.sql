-- named_occurrence: the context_data of the booking, episode, guest or import that a dry run names.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.open_link('open', 'show'), tests.booking_in('booking', 'open', 50),
  tests.episode('episode', 'show'), tests.guest('guest', 'episode'), tests.import('import', 'show', 'completed');
select tests.podcast('other', 'otto'), tests.open_link('theirs', 'other'),
  tests.booking_in('their booking', 'theirs', 50, guest => 'zoe'),
  tests.episode('their episode', 'other'), tests.guest('guest', 'their episode'),
  tests.import('their import', 'other', 'completed');
select tests.rule(t::text, 'show', t, trigger_config => case when t::text like 'time.%' then '{"offset_minutes": 60}'
  else '{}' end::jsonb) from unnest(enum_range(null::automation_trigger)) t;
create function pg_temp.named(rule automation_trigger, booking text default null, episode text default null,
  guest text default null, import text default null) returns jsonb language sql as $$
  select private.named_occurrence(tests.rule_row(rule::text), (select id from tests.ids where name = booking),
    (select id from tests.ids where name = episode), (select id from tests.ids where name = guest),
    (select id from tests.ids where name = import), now())
$$;

select is(pg_temp.named(t, 'booking') - 'tags', private.automation_context(tests.id('show'), tests.id('booking'), null,
  now()) - 'tags', format('the occurrence of %s is that of the booking', t))
from unnest(enum_range(null::automation_trigger)) t where t::text ~ '^(booking|time)';
select is(pg_temp.named(t, episode => 'episode'), private.automation_context(tests.id('show'), null,
  tests.id('episode'), now()), format('the occurrence of %s is that of the episode', t))
from unnest('{episode.scheduled,episode.published}'::automation_trigger[]) t;
select is(pg_temp.named('guest.accepted', guest => 'episode/guest') ->> 'episode_guest_id',
  tests.id('episode/guest')::text, 'the occurrence of guest.accepted is that of the episode guest');
select is(pg_temp.named('import.completed', import => 'import') ->> 'import_id', tests.id('import')::text,
  'the occurrence of import.completed is that of the import');
select is(pg_temp.named('booking.rescheduled', 'booking') #>> '{tags,booking_previous_start}',
  private.format_timestamp(tests.slot(50)), 'the previous time of a named booking is its present one');

-- Who and what is rejected
select is(tests.describe_error(format('select pg_temp.named(%L, %L, %L, %L, %L)', t, booking, episode, guest, import)),
  error, format('named_occurrence for %s rejects %s', t, what))
from (values
  ('booking.declined', null, null, null, null, 'no id', 'PT400 / Provide booking_id, and no other id, for this rule'),
  ('time.after_recording', null, 'episode', null, null, 'an episode',
    'PT400 / Provide booking_id, and no other id, for this rule'),
  ('booking.declined', 'booking', 'episode', null, null, 'two ids',
    'PT400 / Provide booking_id, and no other id, for this rule'),
  ('episode.scheduled', 'booking', null, null, null, 'a booking',
    'PT400 / Provide episode_id, and no other id, for this rule'),
  ('guest.accepted', null, 'episode', null, null, 'an episode',
    'PT400 / Provide episode_guest_id, and no other id, for this rule'),
  ('import.completed', null, null, 'episode/guest', null, 'a guest',
    'PT400 / Provide import_id, and no other id, for this rule'),
  ('booking.declined', 'their booking', null, null, null, 'a booking of another podcast', 'PT404 / Booking not found'),
  ('episode.scheduled', null, 'their episode', null, null, 'an episode of another podcast',
    'PT404 / Episode not found'),
  ('guest.accepted', null, null, 'their episode/guest', null, 'a guest of another podcast', 'PT404 / Guest not found'),
  ('import.completed', null, null, null, 'their import', 'an import of another podcast', 'PT404 / Import not found')
) v (t, booking, episode, guest, import, what, error);

select * from tests.finish();
rollback;
