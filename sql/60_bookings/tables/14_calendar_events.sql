-- Calendar events: the event of each confirmed booking in a host's calendar, as the worker last wrote it, and the
-- messages for which the worker compares it with the booking. Bookings that started over a day ago are history: their
-- events stay as they are.
create table private.calendar_events (
  booking_id       uuid primary key,  -- not a reference: the event of a deleted booking is still to be removed
  calendar_id      uuid not null references public.connected_calendars on delete cascade,
  external_id      text,              -- the provider's id of the event; null: its creation is not confirmed
  creation_key     uuid not null,     -- by which the provider recognizes a repeated creation
  written          text,              -- digest of the state that was written last; null: unknown
  attendee_digests text[] not null default '{}',  -- sha256 of the addresses that the worker may have written
  attempt_id       uuid,              -- of the last attempt to write: an older one writes no more
  lease_expires_at timestamptz,       -- one writer at a time
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now()
);
comment on table private.calendar_events is
  'The calendar event of each booking: where it is and what was written last. The calendar_sync job writes it.';
create index calendar_events_calendar_id_idx on private.calendar_events (calendar_id);
alter table private.calendar_events enable row level security;
-- No policy, no grant.
create trigger t100_touch before update on private.calendar_events
  for each row execute function private.touch_updated_at();

create function private.find_receiving_calendar(podcast_id uuid) returns uuid
language sql stable security invoker set search_path = ''
as $$
  select c.id from public.podcast_members m
  join public.connected_calendars c on c.user_id = m.user_id and c.receives_events
  join public.calendar_connections n on n.id = c.connection_id
  where m.podcast_id = $1 and m.role >= 'admin' and n.status <> 'revoked' and n.provider in ('google', 'microsoft')
  order by m.role desc, m.created_at, m.user_id limit 1
$$;
comment on function private.find_receiving_calendar is
  'The calendar into which sessions of a podcast are written: the owner''s, or that of the admin who joined first.';

create function private.session_event(booking public.bookings, calendar_user_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  language text := private.language_of((select f.locale from public.profiles f where f.id = calendar_user_id));
  title    text := (select p.title from public.podcasts p where p.id = booking.podcast_id);
  text     text;  -- the guest's own
begin
  text := concat_ws(E'\n\n', booking.notes, (
    select string_agg(a.label || E'\n' || a.answer, E'\n\n' order by a.n) from private.labelled_answers(booking) a));
  if booking.guest_verified_at is null then  -- as in emails
    booking.guest_name := private.without_active_links(booking.guest_name);
    text := private.without_active_links(text);
  end if;
  return jsonb_build_object(
    'summary', private.normalize_line(booking.guest_name || ': ' || booking.name),
    -- the guest's text comes last, because it may be cut
    'description', private.shorten_text(concat_ws(E'\n\n',
      title,
      private.render_text(private.get_text(language, 'calendar_event.guest'), jsonb_build_object(
        'name', private.normalize_line(booking.guest_name), 'email', booking.guest_email)),
      private.render_text(private.get_text(language, 'calendar_event.manage'), jsonb_build_object(
        'url', format('%s/podcasts/%s/bookings/%s', private.get_setting('app_url'), booking.podcast_id, booking.id))),
      nullif(text, '')), 8000),
    'start', private.format_timestamp(booking.start_time),
    'end', private.format_timestamp(booking.end_time),
    'location', coalesce(booking.location ->> 'value', ''),  -- empty: removes what was written before
    'attendees', coalesce((
      select jsonb_agg(jsonb_build_object('email', lower(u.email),
        'name', private.display_name_or_default(f.display_name)) order by p.user_id)
      from public.episode_people p
      join public.podcast_members m on m.podcast_id = booking.podcast_id and m.user_id = p.user_id
      join public.profiles f on f.id = p.user_id
      join auth.users u on u.id = p.user_id
      where p.episode_id = booking.episode_id and p.is_active and p.user_id <> calendar_user_id), '[]'));
end $$;
comment on function private.session_event is
  'The event of a confirmed booking for the calendar of a host, without this host as attendee: {summary, description, '
  'start, end, location, attendees: [{email, name}]}. Attendees are the members of the team who are active on the '
  'episode''s roster.';

-- After: messages. Functions that change a roster enqueue one themselves; these are for other changes of what an event
-- shows and where it belongs.
create function private.enqueue_calendar_sync(booking_id uuid, podcast_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.enqueue('calendar_sync', case when podcast_id is null
    then jsonb_build_object('type', 'booking.deleted', 'booking_id', booking_id)
    else jsonb_build_object('type', 'booking.changed', 'podcast_id', podcast_id, 'booking_id', booking_id) end);
end $$;
comment on function private.enqueue_calendar_sync is
  'Enqueues {type: booking.changed, podcast_id, booking_id} for calendar_sync, or {type: booking.deleted, booking_id} '
  'without a podcast: the deletion of a podcast deletes the messages with its id.';

create function private.enqueue_calendar_syncs(
  podcast_ids uuid[], _episode_id uuid default null, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.enqueue_calendar_sync(b.id, b.podcast_id)
  from public.bookings b join public.podcasts p on p.id = b.podcast_id  -- not of a podcast that is being deleted
  where b.podcast_id = any (podcast_ids) and b.status = 'confirmed'
    and b.start_time > at - interval '1 day'
    and (_episode_id is null or b.episode_id = _episode_id);
end $$;
grant execute on function private.enqueue_calendar_syncs to service_role;
comment on function private.enqueue_calendar_syncs is
  'Enqueues the confirmed bookings of podcasts, or of an episode, that did not start over a day ago.';

create function private.enqueue_host_calendar_syncs(_user_id uuid, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.enqueue_calendar_syncs(array(
    select m.podcast_id from public.podcast_members m
    where m.user_id = _user_id and m.role >= 'admin'), at => at);
  -- events to remove, which waited for the connection
  perform private.enqueue_calendar_sync(e.booking_id, b.podcast_id)
  from public.calendar_connections n
  join public.connected_calendars c on c.connection_id = n.id
  join private.calendar_events e on e.calendar_id = c.id
  left join public.bookings b on b.id = e.booking_id
  where n.user_id = _user_id and b.status is distinct from 'confirmed';
end $$;
comment on function private.enqueue_host_calendar_syncs is
  'Enqueues what may have to be written into, or removed from, the calendars of an owner or admin.';

create function private.announce_calendar_change() returns trigger
language plpgsql security definer  -- writers of calendars may not enqueue
set search_path = ''
as $$
begin
  perform private.enqueue_host_calendar_syncs(case when tg_op = 'DELETE' then old.user_id else new.user_id end);
  return null;
end $$;
create trigger t900_announce_chosen after insert on public.connected_calendars
  for each row when (new.receives_events) execute function private.announce_calendar_change();
create trigger t900_announce_choice after update of receives_events on public.connected_calendars
  for each row when (new.receives_events and not old.receives_events)
  execute function private.announce_calendar_change();
create trigger t900_announce_removal after delete on public.connected_calendars
  for each row when (old.receives_events) execute function private.announce_calendar_change();
create trigger t900_announce_renewal after update of status on public.calendar_connections
  for each row when (old.status = 'revoked' and new.status <> 'revoked')
  execute function private.announce_calendar_change();

create function private.announce_session_change() returns trigger
language plpgsql security definer  -- callers may not write messages
set search_path = ''
as $$
begin
  -- the deletion of a podcast deletes its episodes before its bookings
  perform private.enqueue_calendar_sync(new.id, p.id) from public.podcasts p where p.id = new.podcast_id;
  return null;
end $$;
create trigger t900_announce_session after update of status, start_time, end_time, episode_id, location
  on public.bookings
  for each row when ('confirmed' in (old.status, new.status)) execute function private.announce_session_change();

create function private.announce_deleted_bookings() returns trigger
language plpgsql security definer  -- clients may not read calendar events
set search_path = ''
as $$
begin
  delete from private.calendar_events e using deleted_rows d
  where e.booking_id = d.id and d.status = 'confirmed' and d.start_time <= now() - interval '1 day';
  perform private.enqueue_calendar_sync(e.booking_id, null)
  from private.calendar_events e join deleted_rows d on d.id = e.booking_id;
  return null;
end $$;
create trigger t900_announce_deletion after delete on public.bookings referencing old table as deleted_rows
  for each statement execute function private.announce_deleted_bookings();

create function private.announce_hosts() returns trigger
language plpgsql security definer  -- members may not enqueue
set search_path = ''
as $$
begin
  perform private.enqueue_calendar_syncs(array[case when tg_op = 'DELETE' then old.podcast_id else new.podcast_id end]);
  return null;
end $$;
create trigger t900_announce_new_host after insert on public.podcast_members
  for each row when (new.role >= 'admin') execute function private.announce_hosts();
create trigger t900_announce_role after update of role on public.podcast_members
  for each row when (old.role <> new.role) execute function private.announce_hosts();
create trigger t900_announce_left_member after delete on public.podcast_members
  for each row execute function private.announce_hosts();

create function private.announce_participation() returns trigger
language plpgsql security definer  -- clients may not enqueue
set search_path = ''
as $$
begin
  perform private.enqueue_attendee_change(
    case when new.is_active then 'added' else 'removed' end, new.podcast_id, new.episode_id, new.user_id);
  return null;
end $$;
create trigger t900_announce_participation after update of is_active on public.episode_people
  for each row when (old.is_active <> new.is_active and new.user_id is not null)
  execute function private.announce_participation();
