-- Notification preferences: one row per user, one column per channel and type (notification_types.preference), and
-- quiet hours. Trigger t500_add_preferences writes the row with the profile.
create type public.digest_frequency as enum ('off', 'daily', 'weekly');

create table public.notification_preferences (
  user_id                  uuid primary key references public.profiles on delete cascade,
  in_app_team_added        boolean not null default true,
  email_team_added         boolean not null default true,
  push_team_added          boolean not null default false,
  in_app_episode_published boolean not null default true,
  email_episode_published  boolean not null default false,
  push_episode_published   boolean not null default true,
  in_app_chat_message      boolean not null default true,
  email_chat_message       boolean not null default true,
  push_chat_message        boolean not null default true,
  in_app_chat_mention      boolean not null default true,
  email_chat_mention       boolean not null default true,
  push_chat_mention        boolean not null default true,
  in_app_guest_accepted    boolean not null default true,
  email_guest_accepted     boolean not null default false,
  push_guest_accepted      boolean not null default true,
  in_app_member_invited    boolean not null default true,
  push_member_invited      boolean not null default true,
  in_app_transfer_offered  boolean not null default true,
  email_transfer_offered   boolean not null default true,
  push_transfer_offered    boolean not null default true,
  in_app_transfer_accepted boolean not null default true,
  email_transfer_accepted  boolean not null default true,
  push_transfer_accepted   boolean not null default false,
  in_app_new_booking       boolean not null default true,
  email_new_booking        boolean not null default true,
  push_new_booking         boolean not null default true,
  in_app_booking_confirmed boolean not null default true,
  email_booking_confirmed  boolean not null default true,
  push_booking_confirmed   boolean not null default false,
  in_app_booking_rescheduled boolean not null default true,
  email_booking_rescheduled boolean not null default true,
  push_booking_rescheduled boolean not null default false,
  in_app_booking_cancelled boolean not null default true,
  email_booking_cancelled  boolean not null default true,
  push_booking_cancelled   boolean not null default true,
  in_app_booking_reminder  boolean not null default true,
  email_booking_reminder   boolean not null default true,
  push_booking_reminder    boolean not null default true,
  in_app_import_completed  boolean not null default true,
  email_import_completed   boolean not null default true,
  push_import_completed    boolean not null default false,
  in_app_import_failed     boolean not null default true,
  email_import_failed      boolean not null default true,
  push_import_failed       boolean not null default true,
  in_app_podcast_paused    boolean not null default true,
  email_podcast_paused     boolean not null default true,
  push_podcast_paused      boolean not null default false,
  in_app_podcast_unpaused  boolean not null default true,
  email_podcast_unpaused   boolean not null default true,
  push_podcast_unpaused    boolean not null default false,
  in_app_deletion_scheduled boolean not null default true,
  push_deletion_scheduled  boolean not null default true,
  in_app_deletion_canceled boolean not null default true,
  email_deletion_canceled  boolean not null default true,
  push_deletion_canceled   boolean not null default false,
  in_app_automation_failed boolean not null default true,
  email_automation_failed  boolean not null default true,
  push_automation_failed   boolean not null default false,
  in_app_booking_declined  boolean not null default true,
  in_app_guest_declined    boolean not null default true,
  email_guest_declined     boolean not null default false,
  push_guest_declined      boolean not null default true,
  in_app_team_changes      boolean not null default true,
  email_team_changes       boolean not null default true,
  push_team_changes        boolean not null default false,
  in_app_request_declined  boolean not null default true,
  email_request_declined   boolean not null default true,
  push_request_declined    boolean not null default false,
  in_app_storage           boolean not null default true,
  email_storage            boolean not null default true,
  push_storage             boolean not null default false,
  in_app_billing           boolean not null default true,
  push_billing             boolean not null default false,
  in_app_calendar          boolean not null default true,
  email_calendar           boolean not null default true,
  push_calendar            boolean not null default true,
  email_digest             boolean not null default true,
  digest_frequency         public.digest_frequency not null default 'off',  -- of emails of types with can_wait
  digest_hour              int not null default 8,  -- in the zone of the profile
  digest_weekday           int not null default 1,  -- of a weekly digest, ISO 8601: 1 is Monday
  quiet_hours_start        time,  -- in the zone of the profile; push of most types waits for their end
  quiet_hours_end          time,
  updated_at               timestamptz not null default now(),
  constraint digest_hour_is_0_to_23 check (digest_hour between 0 and 23),
  constraint digest_weekday_is_1_to_7 check (digest_weekday between 1 and 7),
  constraint quiet_hours_have_start_and_end check (num_nulls(quiet_hours_start, quiet_hours_end) in (0, 2)),
  constraint quiet_hours_are_not_empty check (quiet_hours_start <> quiet_hours_end),
  constraint quiet_hours_are_before_24_00 check (greatest(quiet_hours_start, quiet_hours_end) < '24:00')
);
comment on table public.notification_preferences is
  'Which notifications a user receives on which channel, the digest, and quiet hours. Users read and update their own.';
comment on constraint digest_hour_is_0_to_23 on public.notification_preferences is
  'The hour of the digest must be 0 to 23';
comment on constraint digest_weekday_is_1_to_7 on public.notification_preferences is
  'The weekday of the digest must be 1 (Monday) to 7';
comment on constraint quiet_hours_are_before_24_00 on public.notification_preferences is
  'The quiet hours must begin and end before 24:00';
comment on constraint quiet_hours_are_not_empty on public.notification_preferences is
  'The quiet hours must begin and end at different times';
comment on constraint quiet_hours_have_start_and_end on public.notification_preferences is
  'The quiet hours must have a start and an end';

-- Who
alter table public.notification_preferences enable row level security;
create policy users_read_own on public.notification_preferences for select to authenticated
  using (user_id = (select auth.uid()));
create policy users_update_own on public.notification_preferences for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
grant select on public.notification_preferences to authenticated, service_role;
grant update on public.notification_preferences to authenticated;  -- the policy keeps user_id
-- No insert or delete grant: the row belongs to the profile.

-- Always
create trigger t100_normalize before update on public.notification_preferences
  for each row execute function private.touch_updated_at();

create function private.add_notification_preferences() returns trigger
language plpgsql security definer  -- clients may not insert
set search_path = ''
as $$
begin
  insert into public.notification_preferences (user_id) values (new.id);
  return null;
end $$;
create trigger t500_add_preferences after insert on public.profiles
  for each row execute function private.add_notification_preferences();

create function private.add_missing_notification_preferences() returns void
language sql volatile security invoker set search_path = ''
as $$
  insert into public.notification_preferences (user_id) select f.id from public.profiles f
  where not exists (select from public.notification_preferences p where p.user_id = f.id) on conflict do nothing
$$;
comment on function private.add_missing_notification_preferences is
  'Part of private.install(): writes the row of profiles from before the table existed.';
