-- The budgets of automatic emails to guests. What anyone can cause, by a booking with any address, counts apart from
-- emails to guests who agreed, and so does what cannot wait, the reminder of a session within a day.
create function private.unverified_email_time(_podcast_id uuid, budget text, at timestamptz) returns timestamptz
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  owner_id constant uuid := (select p.owner_id from public.podcasts p where p.id = _podcast_id);
begin
  return private.next_email_time(private.email_window_digest(format('automations_of:%s%s', owner_id, budget)),
    -- what strangers reported takes room from the owner
    least(private.get_setting('max_automation_unverified_recipients_per_day')::int,
      (private.email_trust(owner_id, at)).max_new_recipients), at);
end $$;
comment on function private.unverified_email_time is
  'Counts an automatic email to an address that anyone can have entered, in the day of the podcast''s owner with all '
  'podcasts, and returns when it may be sent; infinity: not within two days.';

create function private.take_guest_email(
  _podcast_id uuid, _email text, has_agreed boolean, is_urgent boolean, at timestamptz,
  out send_at timestamptz, out skip_reason text)
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  budget   constant text := case when is_urgent then '/urgent' else '' end;
  sender   constant text := format('podcast:%s%s', _podcast_id, budget);
  max_wait constant interval := '1 hour';
begin
  if has_agreed then
    send_at := case when private.try_consume_email_budget(sender, _email, at, caller_id => null) is null then at end;
  elsif private.unverified_email_time(_podcast_id, budget, at) = at  -- first, so that all lock in this order
    and private.try_consume_email_budget(sender || '/unverified', _email, at, caller_id => null) is null
  then
    send_at := private.recipient_email_time(sender, _email, at);
  end if;
  if (send_at <= at + max_wait) is not true then
    raise sqlstate 'PT429';  -- gives back what was counted
  end if;
exception when sqlstate 'PT429' then
  send_at := null;
  skip_reason := 'daily_limit';
end $$;
comment on function private.take_guest_email is
  'Counts an automatic email of a podcast to a guest''s address, and returns when it is sent: now, or at most an hour '
  'later if many wrote to the guest of a booking who is not verified. Over a budget of the day, or without room until '
  'then, counts nothing, and skip_reason is daily_limit.';
