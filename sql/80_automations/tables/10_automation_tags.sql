-- Automation tags: the registry of the {tags} that templates may contain, with the triggers that provide a value.
create type public.automation_trigger as enum (
  'booking.requested', 'booking.confirmed', 'booking.declined', 'booking.rescheduled', 'booking.cancelled',
  'time.before_recording', 'time.after_recording', 'guest.accepted', 'episode.scheduled', 'episode.published',
  'import.completed');
create type public.automation_tag_kind as enum ('text', 'moment', 'url');

create table public.automation_tags (
  tag      text primary key,
  kind     public.automation_tag_kind not null,      -- an email shows a moment in the recipient's zone
  triggers public.automation_trigger[] not null,     -- that provide a value
  optional_triggers public.automation_trigger[] not null default '{}',  -- that provide one if there is one
  example  text not null,                            -- as a recipient reads it
  constraint tag_is_snake_case check (tag ~ '^[a-z][a-z_]{0,49}$')
);
comment on table public.automation_tags is
  'The {tags} of automation templates, and which triggers provide them. private.install_automations() writes the '
  'rows. Beside them there is booking_answer:<question>, the answer of a booking to one question of its link.';
comment on constraint tag_is_snake_case on public.automation_tags is
  'The tag must be 1 to 50 lower-case letters and "_", and begin with a letter';

-- Who
alter table public.automation_tags enable row level security;
create policy users_read on public.automation_tags for select to authenticated using (true);
grant select on public.automation_tags to authenticated, service_role;
-- No write grants: the rows belong to the schema.

create function private.automation_subject(trigger_type public.automation_trigger) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case split_part(trigger_type::text, '.', 1)
    when 'episode' then 'episode_id' when 'guest' then 'episode_guest_id' when 'import' then 'import_id'
    else 'booking_id' end;
end $$;
comment on function private.automation_subject is
  'The key of the context that names what a trigger is about: booking_id, episode_id, episode_guest_id or import_id.';
