-- Whether what a trigger reported still holds, by the facts of now.
create function private.occurrence_problem(
  trigger_type public.automation_trigger, context jsonb, at timestamptz) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  booking public.bookings;
begin
  if trigger_type = 'episode.published' then
    return case when (
      select e.status from public.episodes e where e.id = (context ->> 'episode_id')::uuid)
      is distinct from 'published' then 'The episode is no longer published' end;
  end if;
  select b.* into booking from public.bookings b where b.id = (context ->> 'booking_id')::uuid;
  return case
    when booking.status is distinct from 'confirmed' then 'The booking was canceled'
    when trigger_type <> 'time.before_recording' then null
    when private.format_timestamp(booking.start_time) <> context #>> '{tags,recording_start}'
      then 'The booking was rescheduled'
    when booking.start_time <= at then 'The recording has begun' end;
end $$;
comment on function private.occurrence_problem is
  'Why an occurrence, the context_data of an execution, no longer holds; null if it does.';
