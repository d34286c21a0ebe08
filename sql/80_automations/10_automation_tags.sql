-- Automation tags: the registry of the {tags} that templates may contain, with the triggers that provide a value.
create type public.automation_trigger as enum ('booking.confirmed', 'time.before_recording', 'episode.published');
create type public.automation_tag_kind as enum ('text', 'moment');

create table public.automation_tags (
  tag      text primary key,
  kind     public.automation_tag_kind not null,      -- an email shows a moment in the recipient's time zone
  triggers public.automation_trigger[] not null,     -- that provide a value
  example  text not null,
  constraint tag_is_snake_case check (tag ~ '^[a-z][a-z_]{0,49}$')
);
comment on table public.automation_tags is
  'The {tags} of automation templates, and which triggers provide them. private.install_automation_tags() writes the '
  'rows.';

-- Who
alter table public.automation_tags enable row level security;
create policy users_read on public.automation_tags for select to authenticated using (true);
grant select on public.automation_tags to authenticated, service_role;
-- No write grants: the rows belong to the schema.

create function private.install_automation_tags() returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  every_trigger constant public.automation_trigger[] := enum_range(null::public.automation_trigger);
  of_bookings   constant public.automation_trigger[] := '{booking.confirmed,time.before_recording}';
  of_episodes   constant public.automation_trigger[] := '{episode.published}';
begin
  insert into public.automation_tags as t (tag, kind, triggers, example) values
    ('podcast_title', 'text', every_trigger, 'Night Trains'),
    ('podcast_url', 'text', every_trigger, 'https://podcasts.example/night-trains'),
    ('host_name', 'text', every_trigger, 'Ada'),
    -- a booking provides those of its episode, if it has one
    ('episode_title', 'text', of_episodes, 'Paris to Vienna'),
    ('episode_number', 'text', '{}', '12'),  -- an episode may have none
    ('episode_url', 'text', of_episodes, 'https://podcasts.example/night-trains/paris-to-vienna'),
    ('episode_published_at', 'moment', of_episodes, '2026-07-06T08:00:00.000Z'),
    -- an episode provides those of its first active guest, and an email to its guests those of each
    ('guest_first_name', 'text', of_bookings, 'Grace'),
    ('guest_full_name', 'text', of_bookings, 'Grace Hopper'),
    ('guest_email', 'text', of_bookings, 'grace@example.com'),
    ('booking_start', 'moment', of_bookings, '2026-07-06T15:00:00.000Z'),
    ('booking_end', 'moment', of_bookings, '2026-07-06T16:00:00.000Z'),
    ('booking_timezone', 'text', of_bookings, 'Europe/Berlin'),
    ('booking_link_name', 'text', of_bookings, 'Interview'),
    ('recording_start', 'moment', of_bookings, '2026-07-06T15:00:00.000Z')
  on conflict (tag) do update set kind = excluded.kind, triggers = excluded.triggers, example = excluded.example
    where t is distinct from excluded;
end $$;
comment on function private.install_automation_tags is 'Part of private.install(): writes the registry of tags.';
