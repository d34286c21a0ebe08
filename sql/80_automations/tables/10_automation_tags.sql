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
  'The {tags} of automation templates, and which triggers provide them. private.install_automations() writes the '
  'rows.';
comment on constraint tag_is_snake_case on public.automation_tags is
  'The tag must be 1 to 50 lower-case letters and "_", and begin with a letter';

-- Who
alter table public.automation_tags enable row level security;
create policy users_read on public.automation_tags for select to authenticated using (true);
grant select on public.automation_tags to authenticated, service_role;
-- No write grants: the rows belong to the schema.
