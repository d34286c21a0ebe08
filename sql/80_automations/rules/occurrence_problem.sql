-- Whether what a trigger reported still holds, by the facts of now.
create function private.booking_problem(
  trigger_type public.automation_trigger, booking public.bookings, context jsonb, at timestamptz) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  wanted constant public.booking_status[] := case trigger_type
    when 'booking.declined' then '{declined}' when 'booking.cancelled' then '{cancelled}'
    when 'booking.requested' then '{pending,confirmed}' when 'booking.rescheduled' then '{pending,confirmed}'
    else '{confirmed}' end;
begin
  return case
    when private.is_expired_booking(booking, at) then 'The request expired'
    when booking.status = any (wanted) then case
      when trigger_type in ('booking.declined', 'booking.cancelled') then null
      when trigger_type in ('booking.rescheduled', 'time.before_recording', 'time.after_recording')
        and (private.format_timestamp(booking.start_time), private.format_timestamp(booking.end_time))
          is distinct from (context #>> '{tags,booking_start}', context #>> '{tags,booking_end}')
        then 'The booking was rescheduled'
      when trigger_type = 'time.before_recording' and booking.start_time <= at then 'The recording has begun'
      when trigger_type <> 'time.after_recording' and booking.end_time <= at then 'The session is over' end
    when booking.status = 'pending' then 'The booking waits for an answer'
    when booking.status = 'confirmed' then 'The booking is confirmed'
    when booking.status = 'declined' then 'The booking was declined'
    else 'The booking was canceled' end;
end $$;
comment on function private.booking_problem is
  'Why what a trigger reported of a booking, a row of nulls if it was deleted, no longer holds; null if it does.';

create function private.occurrence_problem(
  trigger_type public.automation_trigger, context jsonb, at timestamptz) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  subject    constant text := private.automation_subject(trigger_type);
  subject_id constant uuid := context ->> subject;
  booking    public.bookings;
begin
  if subject = 'booking_id' then
    select b.* into booking from public.bookings b where b.id = subject_id;
    return private.booking_problem(trigger_type, booking, context, at);
  end if;
  return case trigger_type
    when 'guest.accepted' then case when (
      select g.status from public.episode_guests g where g.id = subject_id) is distinct from 'active'
      then 'The guest no longer takes part in the episode' end
    when 'episode.scheduled' then case when not exists (
      select from public.episodes e  -- only a scheduled one has scheduled_at
      where e.id = subject_id and private.format_timestamp(e.scheduled_at) = context #>> '{tags,episode_scheduled_at}')
      then 'The episode is no longer scheduled for this time' end
    when 'episode.published' then case when (
      select e.status from public.episodes e where e.id = subject_id) is distinct from 'published'
      then 'The episode is no longer published' end
    when 'import.completed' then case when not exists (
      select from public.podcast_imports i where i.id = subject_id) then 'The import was deleted' end end;
end $$;
comment on function private.occurrence_problem is
  'Why an occurrence, the context_data of an execution, no longer holds; null if it does. A confirmed booking that was '
  'moved is still confirmed.';

create function private.planned_occurrence_problem(
  rule public.automation_rules, context jsonb, at timestamptz) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  trigger_type constant public.automation_trigger := rule.trigger_type;
  booking      public.bookings;
  episode      public.episodes;
  guest        public.episode_guest_status;
begin
  if private.automation_subject(trigger_type) = 'booking_id' then
    select b.* into booking from public.bookings b where b.id = (context ->> 'booking_id')::uuid;
    booking.status := case
      when trigger_type = 'booking.cancelled' and (booking.status = 'pending'
        or booking.status = 'confirmed' and booking.start_time > at) then 'cancelled'
      when booking.status = 'pending' and not private.is_expired_booking(booking, at)
        then case trigger_type when 'booking.declined' then 'declined' else 'confirmed' end::public.booking_status
      else booking.status end;
    return coalesce(private.booking_problem(trigger_type, booking, context, at), case
      when private.automation_due_at(trigger_type, rule.trigger_config, booking.start_time, booking.end_time) <= at
      then 'The time to run for this recording has passed' end);
  elsif trigger_type = 'guest.accepted' then
    select g.status into guest from public.episode_guests g where g.id = (context ->> 'episode_guest_id')::uuid;
    return case when guest in ('invited', 'active') then null
      when guest = 'declined' then 'The guest declined the invitation'
      else 'The guest no longer takes part in the episode' end;
  elsif trigger_type = 'import.completed' then
    return (
      select case i.status when 'failed' then 'The import failed' when 'canceled' then 'The import was canceled' end
      from public.podcast_imports i where i.id = (context ->> 'import_id')::uuid);
  end if;
  select e.* into episode from public.episodes e where e.id = (context ->> 'episode_id')::uuid;
  return case
    when episode.origin = 'import' then 'Imported episodes start no automations'
    when episode.status = 'archived' then 'The episode is archived'
    when episode.status = 'published' and trigger_type = 'episode.scheduled' then 'The episode is published already'
    when episode.status <> 'published' and trigger_type = 'episode.published'
      and episode.first_published_at is not null then 'Only the first publication of an episode starts automations'
    end;
end $$;
comment on function private.planned_occurrence_problem is
  'Why an occurrence that a dry run names can no longer happen; null for one that holds or may still happen, such as '
  'the confirmation of a request or the publication of a draft.';
