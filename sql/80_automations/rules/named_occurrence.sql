-- The occurrence that a dry run or a test names.
create function private.named_occurrence(
  rule public.automation_rules, _booking_id uuid, _episode_id uuid, _episode_guest_id uuid, _import_id uuid,
  at timestamptz) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  subject  constant text := private.automation_subject(rule.trigger_type);
  ids      constant jsonb := jsonb_strip_nulls(jsonb_build_object('booking_id', _booking_id, 'episode_id', _episode_id,
    'episode_guest_id', _episode_guest_id, 'import_id', _import_id));
  context  jsonb;
begin
  if ids - subject <> '{}' or not ids ? subject then
    raise sqlstate 'PT400' using message = format('Provide %s, and no other id, for this rule', subject);
  end if;
  context := private.automation_context(rule.podcast_id, _booking_id, _episode_id, at, _episode_guest_id, _import_id,
    case rule.trigger_type when 'booking.rescheduled' then (
      select b.start_time from public.bookings b where b.id = _booking_id) end);
  if context ->> subject is null then
    raise sqlstate 'PT404' using message = case subject when 'booking_id' then 'Booking not found'
      when 'episode_id' then 'Episode not found' when 'episode_guest_id' then 'Guest not found'
      else 'Import not found' end;
  end if;
  return context;
end $$;
comment on function private.named_occurrence is
  'The context_data of a rule for the booking, episode, episode guest or import that is named. PT400 unless it is the '
  'one id that the trigger needs, PT404 if the rule''s podcast has no such row. The previous time of a rescheduled '
  'booking is its present one.';
