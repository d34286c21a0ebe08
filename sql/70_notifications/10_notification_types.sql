-- Notification types: the catalogue. The texts of a type are <type>.title and <type>.body of each language.
create type public.notification_category as enum ('episode', 'collaboration', 'team', 'booking', 'system');
create type public.notification_priority as enum ('low', 'normal', 'immediate');
create type public.notification_channel as enum ('in_app', 'email', 'push');

create table public.notification_types (
  type             text primary key,
  category         public.notification_category not null,
  priority         public.notification_priority not null,
  preference       text unique,                              -- the columns <channel>_<preference> of the preferences
  channels         public.notification_channel[] not null,   -- that a user can choose; none: addresses alone receive it
  default_channels public.notification_channel[] not null,
  email_delay      interval not null default '0',            -- emails of one group collapse into one meanwhile
  push_ttl         interval not null default '1 day',        -- a push that is not delivered by then is lost
  is_essential     boolean not null default false,           -- its email cannot be turned off
  is_essential_to_addresses boolean not null default false,  -- nor can that to a recipient who is only an address
  constraint type_is_dotted check (type ~ '^[a-z_]+\.[a-z_]+$'),
  constraint preference_is_snake_case check (preference ~ '^[a-z][a-z_]*$'),
  constraint channels_have_preference check ((preference is null) = (channels = '{}')),
  constraint default_channels_are_channels check (default_channels <@ channels),
  constraint email_delay_is_not_negative check (email_delay >= interval '0'),
  constraint push_ttl_is_positive check (push_ttl > interval '0')
);
comment on table public.notification_types is
  'What users can be notified of: category, priority, channels and preference of each type. '
  'private.install_notification_types() writes the rows.';

-- Who
alter table public.notification_types enable row level security;
create policy users_read on public.notification_types for select to authenticated using (true);
grant select on public.notification_types to authenticated, service_role;
-- No write grants: the rows belong to the schema.

create function private.install_notification_types() returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into public.notification_types as t
    (type, category, priority, preference, channels, default_channels, email_delay, push_ttl, is_essential,
      is_essential_to_addresses) values
    ('episode.team_added', 'episode', 'normal', 'team_added', '{in_app,email,push}', '{in_app,email}', '0', '1 day',
      false, false),
    ('episode.published', 'episode', 'low', 'episode_published', '{in_app,email,push}', '{in_app,push}', '0',
      '1 day', false, false),
    ('chat.message', 'collaboration', 'normal', 'chat_message', '{in_app,email,push}', '{in_app,email,push}',
      '2 minutes', '4 hours', false, false),
    ('chat.mention', 'collaboration', 'immediate', 'chat_mention', '{in_app,email,push}', '{in_app,email,push}',
      '2 minutes', '4 hours', false, false),
    ('guest.invited', 'collaboration', 'normal', null, '{}', '{}', '0', '1 day', false, true),
    ('guest.accepted', 'collaboration', 'normal', 'guest_accepted', '{in_app,email,push}', '{in_app,push}', '0',
      '1 day', false, false),
    ('podcast.member_invited', 'team', 'normal', 'member_invited', '{in_app,push}', '{in_app,push}', '0', '1 day',
      false, true),
    ('podcast.transfer_offered', 'team', 'immediate', 'transfer_offered', '{in_app,email,push}',
      '{in_app,email,push}', '0', '1 day', false, false),
    ('podcast.transfer_accepted', 'team', 'normal', 'transfer_accepted', '{in_app,email,push}', '{in_app,email}',
      '0', '1 day', false, false),
    ('booking.requested', 'booking', 'immediate', 'new_booking', '{in_app,email,push}', '{in_app,email,push}', '0',
      '1 day', false, false),
    ('booking.confirmed', 'booking', 'normal', 'booking_confirmed', '{in_app,email,push}', '{in_app,email}', '0',
      '1 day', false, true),
    ('booking.rescheduled', 'booking', 'normal', 'booking_rescheduled', '{in_app,email,push}', '{in_app,email}', '0',
      '1 day', false, true),
    ('booking.declined', 'booking', 'normal', null, '{}', '{}', '0', '1 day', false, true),
    ('booking.cancelled', 'booking', 'immediate', 'booking_cancelled', '{in_app,email,push}', '{in_app,email,push}',
      '0', '1 day', false, true),
    ('import.completed', 'system', 'normal', 'import_completed', '{in_app,email,push}', '{in_app,email}', '0',
      '1 day', false, false),
    ('import.failed', 'system', 'immediate', 'import_failed', '{in_app,email,push}', '{in_app,email,push}', '0',
      '1 day', false, false),
    ('podcast.paused', 'system', 'normal', 'podcast_paused', '{in_app,email,push}', '{in_app,email}', '0', '1 day',
      false, false),
    ('podcast.unpaused', 'system', 'normal', 'podcast_unpaused', '{in_app,email,push}', '{in_app,email}', '0',
      '1 day', false, false),
    ('podcast.deletion_scheduled', 'system', 'immediate', 'deletion_scheduled', '{in_app,email,push}',
      '{in_app,email,push}', '0', '1 day', true, false),
    ('podcast.deletion_canceled', 'system', 'normal', 'deletion_canceled', '{in_app,email,push}', '{in_app,email}',
      '0', '1 day', false, false),
    ('automation.failed', 'system', 'normal', 'automation_failed', '{in_app,email,push}', '{in_app,email}', '0',
      '1 day', false, false),
    ('automation.email', 'system', 'normal', null, '{}', '{}', '0', '1 day', false, false),
    ('automation.address_requested', 'system', 'normal', null, '{}', '{}', '0', '1 day', false, false)
  on conflict (type) do update set category = excluded.category, priority = excluded.priority,
    preference = excluded.preference, channels = excluded.channels, default_channels = excluded.default_channels,
    email_delay = excluded.email_delay, push_ttl = excluded.push_ttl, is_essential = excluded.is_essential,
    is_essential_to_addresses = excluded.is_essential_to_addresses
    where t is distinct from excluded;
end $$;
comment on function private.install_notification_types is
  'Part of private.install(): writes the catalogue of notification types.';
