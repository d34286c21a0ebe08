-- Booking links: what a podcast offers for booking, with the times at which it can be booked.
create function private.are_availability_rules(rules jsonb) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select jsonb_typeof($1) = 'array' and jsonb_array_length($1) <= 100 and not exists (
    select from jsonb_array_elements(case jsonb_typeof($1) when 'array' then $1 end) r (rule)
    where jsonb_typeof(r.rule) <> 'object'
      or (r.rule - '{dayOfWeek,startTime,endTime}'::text[] = '{}'
        and r.rule ->> 'dayOfWeek' ~ '^[0-6]$' and jsonb_typeof(r.rule -> 'dayOfWeek') = 'number'
        and r.rule ->> 'startTime' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
        and r.rule ->> 'endTime' ~ '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$'
        and r.rule ->> 'endTime' > r.rule ->> 'startTime') is not true)
$$;
comment on function private.are_availability_rules is
  'Whether the value is a list of at most 100 rules {dayOfWeek: 0 (Sunday) to 6, startTime, endTime}, with times as '
  'HH:MM and the end, at most 24:00, after the start. Rules may overlap.';
grant execute on function private.are_availability_rules to authenticated, service_role;  -- checks run as the writer

create function private.are_booking_questions(questions jsonb) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select jsonb_typeof($1) = 'array' and jsonb_array_length($1) <= 20
    and (select count(distinct q.question ->> 'id') from jsonb_array_elements(
      case jsonb_typeof($1) when 'array' then $1 end) q (question)) = jsonb_array_length($1)
    and not exists (
      select from jsonb_array_elements(case jsonb_typeof($1) when 'array' then $1 end) q (question)
      where jsonb_typeof(q.question) <> 'object'
        or (q.question - '{id,label,isRequired}'::text[] = '{}'
          and jsonb_typeof(q.question -> 'id') = 'string' and q.question ->> 'id' ~ '^[A-Za-z0-9_-]{1,50}$'
          and jsonb_typeof(q.question -> 'label') = 'string' and char_length(q.question ->> 'label') <= 300
          and not private.is_blank(q.question ->> 'label')
          and coalesce(jsonb_typeof(q.question -> 'isRequired'), 'boolean') = 'boolean') is not true)
$$;
comment on function private.are_booking_questions is
  'Whether the value is a list of at most 20 questions {id, label, isRequired?}, with different ids.';
grant execute on function private.are_booking_questions to authenticated, service_role;  -- checks run as the writer

create table public.booking_links (
  id                    uuid primary key default gen_random_uuid(),
  podcast_id            uuid not null references public.podcasts on delete cascade,
  slug                  text not null default nullif('', ''),   -- null: a trigger derives it from the name
  name                  text not null,
  description           text not null default '',
  duration_minutes      int not null default 60,
  timezone              text not null,                          -- IANA; of the rules
  buffer_before_minutes int not null default 0,
  buffer_after_minutes  int not null default 0,
  min_notice_hours      int,                                    -- null: 24
  max_advance_days      int,                                    -- null: 60
  availability_rules    jsonb not null default '[]',            -- [{dayOfWeek, startTime, endTime}]
  questions             jsonb not null default '[]',            -- [{id, label, isRequired?}] that guests answer
  is_active             boolean not null default true,          -- inactive ones do not exist for guests
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  constraint slug_unique_per_podcast unique (podcast_id, slug),
  constraint slug_is_url_safe check (slug ~ '^[^/?#%\s]{1,100}$'),
  constraint name_is_1_to_200_chars check (char_length(name) <= 200 and not private.is_blank(name)),
  constraint description_is_at_most_5000_chars check (char_length(description) <= 5000),
  constraint duration_is_5_to_720_minutes check (duration_minutes between 5 and 720),
  constraint timezone_is_known check (private.is_timezone(timezone)),
  constraint buffer_before_is_0_to_720_minutes check (buffer_before_minutes between 0 and 720),
  constraint buffer_after_is_0_to_720_minutes check (buffer_after_minutes between 0 and 720),
  constraint min_notice_is_0_to_8760_hours check (min_notice_hours between 0 and 8760),
  constraint max_advance_is_1_to_365_days check (max_advance_days between 1 and 365),
  constraint availability_rules_are_valid check (private.are_availability_rules(availability_rules)),
  constraint questions_are_valid check (private.are_booking_questions(questions))
);
comment on table public.booking_links is
  'What guests can book with a podcast. Admins read and write them; guests see active ones by get_availability.';

-- Who
alter table public.booking_links enable row level security;
create policy admins_read on public.booking_links for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_insert on public.booking_links for insert to authenticated
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_update on public.booking_links for update to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_delete on public.booking_links for delete to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select, delete on public.booking_links to authenticated;
grant insert (podcast_id, slug, name, description, duration_minutes, timezone, buffer_before_minutes,
  buffer_after_minutes, min_notice_hours, max_advance_days, availability_rules, questions, is_active)
  on public.booking_links to authenticated;
grant update (slug, name, description, duration_minutes, timezone, buffer_before_minutes, buffer_after_minutes,
  min_notice_hours, max_advance_days, availability_rules, questions, is_active)
  on public.booking_links to authenticated;
grant select, insert, update, delete on public.booking_links to service_role;

-- Always
create trigger t300_guard_writable before insert or update or delete on public.booking_links
  for each row when (pg_trigger_depth() = 0)  -- not cascades
  execute function private.guard_writable_podcast();
