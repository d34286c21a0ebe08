-- The deletion of a podcast cancels the calendar entries that its hosts have of sessions ahead. Their guests' entries
-- are canceled with the bookings.
create function private.cancel_host_entries_of_podcast() returns trigger
language plpgsql security definer  -- callers may not notify
set search_path = ''
as $$
begin
  perform private.notify_each('booking.cancelled', (
    select jsonb_agg(jsonb_build_object(
      'payload', p.payload || jsonb_build_object(
        'params', p.payload -> 'params' || jsonb_build_object('variant', 'deleted')),
      'recipients', jsonb_build_array(jsonb_build_object('email', i.email, 'locale', f.locale,
        'timezone', coalesce(f.timezone, p.payload #>> '{params,timezone}'), 'reply_to', b.guest_email,
        'calendar_event', private.host_calendar_event(b, f.id) || jsonb_build_object(
          'method', 'CANCEL', 'status', 'CANCELLED', 'sequence', b.sequence + 1))))
      order by b.id, f.id)
    from public.bookings b
    join public.podcast_members m on m.podcast_id = b.podcast_id and m.role >= 'admin'
    join public.profiles f on f.id = m.user_id
    cross join lateral private.booking_payload(b, null, null) p (payload)
    cross join lateral (select lower(u.email) as email from auth.users u where u.id = f.id) i
    where b.podcast_id = old.id and b.status = 'confirmed' and b.start_time > now()
      and exists (select from private.calendar_invitations c
        where c.uid = b.calendar_uid and c.email_digest = private.email_digest(i.email))));
  return old;
end $$;
create trigger t530_cancel_host_entries before delete on public.podcasts
  for each row execute function private.cancel_host_entries_of_podcast();
