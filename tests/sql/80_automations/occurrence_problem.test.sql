-- occurrence_problem and planned_occurrence_problem: what must hold when an action runs, and what can still happen.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.open_link('open', 'show');
select tests.booking_in('b', 'open', 50, guest => 'gus');
select tests.episode('e', 'show'), tests.upload_audio('e'), tests.guest('ivy', 'e'),
  tests.import('i', 'show', 'running');
create function pg_temp.context(of_trigger automation_trigger) returns jsonb language sql as $$
  select private.automation_context(tests.id('show'), case s when 'booking_id' then tests.id('b') end,
    case s when 'episode_id' then tests.id('e') end, now(), case s when 'episode_guest_id' then tests.id('e/ivy') end,
    case s when 'import_id' then tests.id('i') end)
  from private.automation_subject(of_trigger) s
$$;

-- The problem of an occurrence after changes, which are undone: '; ' is between those before and after it occurred.
create function pg_temp.problem(of_trigger automation_trigger, changes text, at timestamptz default now(),
  planned boolean default false) returns text language plpgsql as $$
declare
  context jsonb;
  problem text;
begin
  execute split_part(changes, '; ', 1);
  context := pg_temp.context(of_trigger);
  execute coalesce(nullif(split_part(changes, '; ', 2), ''), 'select');
  problem := case when planned then private.planned_occurrence_problem(jsonb_populate_record(null::automation_rules,
      jsonb_build_object('trigger_type', of_trigger, 'trigger_config', '{"offset_minutes": 120}'::jsonb)), context,
      problem.at)
    else private.occurrence_problem(of_trigger, context, problem.at) end;
  raise sqlstate 'PT200' using message = coalesce(problem, 'none');
exception when sqlstate 'PT200' then
  return sqlerrm;
end $$;
create function pg_temp.booking(status text, slot int default 50) returns text language sql as $$
  select format('update bookings set status = %L, start_time = %L, end_time = %L, expires_at = case when %1$L = '
    '''pending'' then start_time end, cancelled_by = case when %1$L = ''cancelled'' then ''guest'' end',
    status, tests.slot(slot), tests.slot(slot + 1))
$$;
create function pg_temp.change(name text) returns text language sql as $$
  select case name
    when 'pending' then 'select' when 'moved' then pg_temp.booking('confirmed', 55)
    when 'confirmed' then pg_temp.booking('confirmed') when 'declined' then pg_temp.booking('declined')
    when 'cancelled' then pg_temp.booking('cancelled') when 'deleted' then 'delete from bookings' end
$$;
alter table public.bookings disable trigger t310_guard_status;

-- Bookings
select is(pg_temp.problem(t, concat_ws('; ', pg_temp.change(was), pg_temp.change(becomes)), tests.slot(slot)), problem,
  format('%s of a booking that is %s %s at hour %s', t, was,
    case problem when 'none' then 'holds' else 'does not hold' end || coalesce(' when it is ' || becomes, ''), slot))
from (values
  ('booking.requested'::automation_trigger, 'pending', null, 0, 'none'),
  ('booking.requested', 'pending', 'confirmed', 0, 'none'),
  ('booking.requested', 'pending', 'moved', 0, 'none'),
  ('booking.requested', 'pending', 'declined', 0, 'The booking was declined'),
  ('booking.requested', 'pending', 'cancelled', 0, 'The booking was canceled'),
  ('booking.requested', 'pending', 'deleted', 0, 'The booking was canceled'),
  ('booking.requested', 'confirmed', null, 51, 'The session is over'),
  ('booking.confirmed', 'confirmed', null, 50, 'none'),
  ('booking.confirmed', 'confirmed', 'moved', 0, 'none'),
  ('booking.confirmed', 'confirmed', 'cancelled', 0, 'The booking was canceled'),
  ('booking.confirmed', 'confirmed', null, 51, 'The session is over'),
  ('booking.declined', 'declined', null, 60, 'none'),
  ('booking.declined', 'declined', 'deleted', 0, 'The booking was canceled'),
  ('booking.cancelled', 'cancelled', null, 60, 'none'),
  ('booking.rescheduled', 'pending', null, 0, 'none'),
  ('booking.rescheduled', 'confirmed', null, 0, 'none'),
  ('booking.rescheduled', 'confirmed', 'moved', 0, 'The booking was rescheduled'),
  ('booking.rescheduled', 'confirmed', 'cancelled', 0, 'The booking was canceled'),
  ('booking.rescheduled', 'confirmed', null, 51, 'The session is over'),
  ('time.before_recording', 'confirmed', null, 49, 'none'),
  ('time.before_recording', 'confirmed', 'moved', 49, 'The booking was rescheduled'),
  ('time.before_recording', 'confirmed', 'cancelled', 49, 'The booking was canceled'),
  ('time.before_recording', 'confirmed', null, 50, 'The recording has begun'),
  ('time.after_recording', 'confirmed', null, 70, 'none'),
  ('time.after_recording', 'confirmed', 'moved', 70, 'The booking was rescheduled'),
  ('time.after_recording', 'confirmed', 'deleted', 70, 'The booking was canceled')
) v (t, was, becomes, slot, problem);
select is(pg_temp.problem('booking.requested', 'select; update bookings set expires_at = now()'), 'The request expired',
  'booking.requested does not hold once the request has expired');

-- Guests, episodes and imports
alter table public.episode_guests disable trigger user;
create function pg_temp.episode(status text, day int default 1) returns text language sql as $$
  select format('update episodes set status = %L, scheduled_at = now() + make_interval(days => %s)', status, day)
$$;
create function pg_temp.guest(status text) returns text language sql as $$
  select format('update episode_guests set status = %L', status)
$$;
select is(pg_temp.problem(t, changes), problem, format('%s %s', t, what))
from (values
  ('guest.accepted'::automation_trigger, pg_temp.guest('active'), 'none', 'holds while the guest is active'),
  ('guest.accepted', pg_temp.guest('active') || '; ' || pg_temp.guest('declined'),
    'The guest no longer takes part in the episode', 'does not hold once the guest declines'),
  ('guest.accepted', pg_temp.guest('active') || '; delete from episode_guests',
    'The guest no longer takes part in the episode', 'does not hold once the guest is deleted'),
  ('episode.scheduled', pg_temp.episode('scheduled'), 'none', 'holds while the episode is scheduled'),
  ('episode.scheduled', pg_temp.episode('scheduled') || '; ' || pg_temp.episode('scheduled', 2),
    'The episode is no longer scheduled for this time', 'does not hold at another time'),
  ('episode.scheduled', pg_temp.episode('scheduled') || '; ' || pg_temp.episode('published'),
    'The episode is no longer scheduled for this time', 'does not hold once the episode is published'),
  ('episode.scheduled', pg_temp.episode('scheduled') || '; delete from episodes',
    'The episode is no longer scheduled for this time', 'does not hold once the episode is deleted'),
  ('episode.published', pg_temp.episode('published'), 'none', 'holds while the episode is published'),
  ('episode.published', pg_temp.episode('published') || '; ' || pg_temp.episode('draft'),
    'The episode is no longer published', 'does not hold once the episode is a draft'),
  ('import.completed', 'select', 'none', 'holds while the import exists'),
  ('import.completed', 'select; delete from podcast_imports', 'The import was deleted',
    'does not hold once the import is deleted')) v (t, changes, problem, what);

-- What can still happen
select is(pg_temp.problem(t, pg_temp.change(status), tests.slot(slot), planned => true), problem,
  format('%s of a booking that is %s %s at hour %s', t, status,
    case problem when 'none' then 'may happen' else 'cannot happen' end, slot))
from (values
  ('booking.requested'::automation_trigger, 'pending', 0, 'none'),
  ('booking.confirmed', 'pending', 0, 'none'), ('booking.confirmed', 'confirmed', 0, 'none'),
  ('booking.confirmed', 'declined', 0, 'The booking was declined'),
  ('booking.confirmed', 'cancelled', 0, 'The booking was canceled'),
  ('booking.confirmed', 'pending', 50, 'The request expired'),
  ('booking.declined', 'pending', 0, 'none'), ('booking.declined', 'declined', 60, 'none'),
  ('booking.declined', 'confirmed', 0, 'The booking is confirmed'),
  ('booking.cancelled', 'pending', 60, 'none'), ('booking.cancelled', 'confirmed', 0, 'none'),
  ('booking.cancelled', 'confirmed', 50, 'The booking is confirmed'),
  ('booking.cancelled', 'declined', 0, 'The booking was declined'),
  ('booking.rescheduled', 'pending', 0, 'none'), ('booking.rescheduled', 'confirmed', 0, 'none'),
  ('booking.rescheduled', 'cancelled', 0, 'The booking was canceled'),
  ('time.before_recording', 'pending', 0, 'none'),
  ('time.before_recording', 'confirmed', 47, 'none'),
  ('time.before_recording', 'confirmed', 48, 'The time to run for this recording has passed'),
  ('time.before_recording', 'confirmed', 50, 'The recording has begun'),
  ('time.after_recording', 'pending', 0, 'none'), ('time.after_recording', 'confirmed', 52, 'none'),
  ('time.after_recording', 'confirmed', 53, 'The time to run for this recording has passed'),
  ('time.after_recording', 'declined', 0, 'The booking was declined')) v (t, status, slot, problem);
select is(pg_temp.problem(t, changes, planned => true), problem, format('%s %s', t, what))
from (values
  ('guest.accepted'::automation_trigger, 'select', 'none', 'may happen while the guest is invited'),
  ('guest.accepted', pg_temp.guest('active'), 'none', 'may happen while the guest is active'),
  ('guest.accepted', pg_temp.guest('declined'), 'The guest declined the invitation',
    'cannot happen once the guest declined'),
  ('guest.accepted', pg_temp.guest('removed'), 'The guest no longer takes part in the episode',
    'cannot happen once the guest was removed'),
  ('episode.scheduled', 'select', 'none', 'may happen for a draft'),
  ('episode.scheduled', pg_temp.episode('published'), 'The episode is published already',
    'cannot happen once the episode is published'),
  ('episode.published', 'select', 'none', 'may happen for a draft'),
  ('episode.published', pg_temp.episode('published'), 'none', 'may happen for a published episode'),
  ('episode.published', pg_temp.episode('published') || '; ' || pg_temp.episode('draft'),
    'Only the first publication of an episode starts automations', 'cannot happen a second time'),
  ('episode.published', pg_temp.episode('published') || '; ' || pg_temp.episode('archived'), 'The episode is archived',
    'cannot happen for an archived episode'),
  ('episode.published', 'update episodes set origin = ''import''', 'Imported episodes start no automations',
    'cannot happen for an imported episode'),
  ('import.completed', 'select', 'none', 'may happen while the import runs'),
  ('import.completed', 'update podcast_imports set status = ''failed''', 'The import failed',
    'cannot happen once the import failed'),
  ('import.completed', 'update podcast_imports set status = ''canceled''', 'The import was canceled',
    'cannot happen once the import was canceled')) v (t, changes, problem, what);

select * from tests.finish();
rollback;
