-- Notification types: the catalogue. The texts of a type are <type>.title and <type>.body of each language.
create type public.notification_category as enum ('episode', 'collaboration', 'team', 'booking', 'system');
create type public.notification_priority as enum ('low', 'normal', 'immediate');
create type public.notification_channel as enum ('in_app', 'email', 'push');

create table public.notification_types (
  type             text primary key,
  category         public.notification_category not null,
  priority         public.notification_priority not null,
  preference       text,                                     -- the columns <channel>_<preference> of the preferences
  channels         public.notification_channel[] not null,   -- that a user can choose; none: addresses alone receive it
  default_channels public.notification_channel[] not null,
  required_role    public.podcast_role,                      -- on the podcast, at each attempt to send; null: none
  subject          text,                                     -- the prefix of the group_key, <subject>:<id>
  asks_for_answer  boolean not null default false,           -- until the subject ends (private.end_notifications)
  passes_quiet_hours boolean not null default false,         -- wakes people; nothing that strangers can cause
  passes_mutes     boolean not null default false,           -- of a podcast, episode or chat, unless the user objects
  can_wait         boolean not null default false,           -- for the digest of users who chose one
  quotes_people    boolean not null default false,           -- its body is what a person wrote
  collapses        boolean not null default false,           -- emails and pushes of a group become one while they wait
  email_delay      interval not null default '0',            -- after an email of a group, longer until it is read
  push_ttl         interval not null default '1 day',        -- a push that is not delivered by then is lost
  is_essential     boolean not null default false,           -- its email cannot be turned off
  is_essential_to_addresses boolean not null default false,  -- nor can that to a recipient who is only an address
  is_unsubscribed_per_podcast boolean not null default false,  -- each podcast is another sender of its emails
  is_rendered_when_sent boolean not null default false,      -- each attempt, by private.<type>_content()
  constraint type_is_dotted check (type ~ '^[a-z_]+\.[a-z_]+$'),
  constraint preference_is_snake_case check (preference ~ '^[a-z][a-z_]*$'),
  constraint channels_have_preference check ((preference is null) = (channels = '{}')),
  constraint default_channels_are_channels check (default_channels <@ channels),
  constraint subject_is_snake_case check (subject ~ '^[a-z][a-z_]*$'),
  constraint what_asks_has_subject check (subject is not null or not asks_for_answer),
  constraint what_passes_quiet_hours_is_immediate check (priority = 'immediate' or not passes_quiet_hours),
  constraint what_can_wait_is_not_urgent check (not can_wait or priority <> 'immediate' and not asks_for_answer),
  constraint only_what_collapses_has_email_delay check (collapses or email_delay = interval '0'),
  constraint email_delay_is_not_negative check (email_delay >= interval '0'),
  constraint push_ttl_is_positive check (push_ttl > interval '0')
);
comment on table public.notification_types is
  'What users can be notified of: category, priority, channels and preference of each type. '
  'private.install_notifications() writes the rows.';
comment on constraint channels_have_preference on public.notification_types is
  'A type with channels must have a preference';
comment on constraint default_channels_are_channels on public.notification_types is
  'The default channels must be channels of the type';
comment on constraint email_delay_is_not_negative on public.notification_types is
  'The delay of an email must be 0 or more';
comment on constraint preference_is_snake_case on public.notification_types is
  'The preference must be lower-case letters and "_"';
comment on constraint push_ttl_is_positive on public.notification_types is 'The lifetime of a push must be above 0';
comment on constraint type_is_dotted on public.notification_types is 'The type must be two words with a dot';
comment on constraint subject_is_snake_case on public.notification_types is
  'The subject must be lower-case letters and "_"';
comment on constraint what_asks_has_subject on public.notification_types is
  'A type that asks for an answer must have a subject';
comment on constraint what_passes_quiet_hours_is_immediate on public.notification_types is
  'A type that passes quiet hours must have the priority immediate';
comment on constraint what_can_wait_is_not_urgent on public.notification_types is
  'A type that can wait cannot be immediate or ask for an answer';
comment on constraint only_what_collapses_has_email_delay on public.notification_types is
  'Only a type that collapses can delay its emails';

-- Who
alter table public.notification_types enable row level security;
create policy users_read on public.notification_types for select to authenticated using (true);
grant select on public.notification_types to authenticated, service_role;
-- No write grants: the rows belong to the schema.
