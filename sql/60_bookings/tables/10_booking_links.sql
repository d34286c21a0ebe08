-- Booking links: what a podcast offers for booking, with the times at which it can be booked.
-- The constraints and the trigger, whose error names what is wrong, share these functions.
create function private.hours_error(hours jsonb) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case
  when hours ->> 'startTime' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' is not true
    then '.startTime: must be a time from 00:00 to 23:59, as HH:MM'
  when hours ->> 'endTime' ~ '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$' is not true
    then '.endTime: must be a time from 00:01 to 24:00, as HH:MM'
  when hours ->> 'endTime' <= hours ->> 'startTime' collate "C" then '.endTime: must be after startTime' end;
comment on function private.hours_error is 'What is wrong with startTime and endTime of a rule or of a date, or null.';
grant execute on function private.hours_error to authenticated, service_role;  -- checks run as the writer

create function private.availability_rules_error(rules jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  rule    jsonb;
  n       int := 0;
  problem text;
begin
  if jsonb_typeof(rules) <> 'array' then
    return 'availability_rules: must be a list';
  elsif jsonb_array_length(rules) > 100 then
    return 'availability_rules: must have at most 100 rules';
  end if;
  for rule in select value from jsonb_array_elements(rules) loop
    problem := case
      when jsonb_typeof(rule) <> 'object' then ': must be an object with dayOfWeek, startTime and endTime'
      when (rule ->> 'dayOfWeek' ~ '^[0-6]$' and jsonb_typeof(rule -> 'dayOfWeek') = 'number') is not true
        then '.dayOfWeek: must be an integer from 0 (Sunday) to 6'
      when private.hours_error(rule) is not null then private.hours_error(rule)
      when rule - '{dayOfWeek,startTime,endTime}'::text[] <> '{}'
        then ': may have only dayOfWeek, startTime and endTime' end;
    if problem is not null then
      return format('availability_rules[%s]%s', n, problem);
    end if;
    n := n + 1;
  end loop;
  return null;
end $$;
comment on function private.availability_rules_error is
  'What is wrong with a list of availability rules, or null: at most 100 rules {dayOfWeek: 0 (Sunday) to 6, startTime, '
  'endTime}, with times as HH:MM and the end, at most 24:00, after the start. Rules may overlap.';
grant execute on function private.availability_rules_error to authenticated, service_role;  -- checks run as the writer

create function private.date_overrides_error(overrides jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  override jsonb;
  hours    jsonb;
  n        int := 0;
  i        int;
  problem  text;
  dates    text[] := '{}';
begin
  if jsonb_typeof(overrides) <> 'array' then
    return 'date_overrides: must be a list';
  elsif jsonb_array_length(overrides) > 366 then
    return 'date_overrides: must have at most 366 dates; remove past ones';
  end if;
  for override in select value from jsonb_array_elements(overrides) loop
    problem := case
      when jsonb_typeof(override) <> 'object' then ': must be an object with date and windows'
      when (jsonb_typeof(override -> 'date') = 'string' and override ->> 'date' ~ '^\d{4}-\d\d-\d\d$'
        and pg_input_is_valid(override ->> 'date', 'date')) is not true then '.date: must be a date as YYYY-MM-DD'
      when override ->> 'date' = any (dates) then '.date: must differ from the other dates'
      when jsonb_typeof(override -> 'windows') is distinct from 'array'
        then '.windows: must be a list, which is empty for a day off'
      when jsonb_array_length(override -> 'windows') > 10 then '.windows: must have at most 10 windows'
      when override - '{date,windows}'::text[] <> '{}' then ': may have only date and windows' end;
    i := 0;
    for hours in
      select value from jsonb_array_elements(case when problem is null then override -> 'windows' else '[]' end)
    loop
      problem := format('.windows[%s]', i) || case
        when jsonb_typeof(hours) <> 'object' then ': must be an object with startTime and endTime'
        when private.hours_error(hours) is not null then private.hours_error(hours)
        when hours - '{startTime,endTime}'::text[] <> '{}' then ': may have only startTime and endTime' end;
      exit when problem is not null;
      i := i + 1;
    end loop;
    if problem is not null then
      return format('date_overrides[%s]%s', n, problem);
    end if;
    dates := dates || (override ->> 'date');
    n := n + 1;
  end loop;
  return null;
end $$;
comment on function private.date_overrides_error is
  'What is wrong with a list of date overrides, or null: at most 366 of {date, windows: [{startTime, endTime}]}, with '
  'different dates and at most 10 windows each. Windows may overlap; a date without one is a day off.';
grant execute on function private.date_overrides_error to authenticated, service_role;  -- checks run as the writer

create function private.booking_questions_error(questions jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  question jsonb;
  n        int := 0;
  problem  text;
  ids      text[] := '{}';
begin
  if jsonb_typeof(questions) <> 'array' then
    return 'questions: must be a list';
  elsif jsonb_array_length(questions) > 20 then
    return 'questions: must have at most 20 questions';
  end if;
  for question in select value from jsonb_array_elements(questions) loop
    problem := case
      when jsonb_typeof(question) <> 'object' then ': must be an object with id, label and, optionally, isRequired'
      when (question ->> 'id' ~ '^[A-Za-z0-9_-]{1,50}$' and jsonb_typeof(question -> 'id') = 'string') is not true
        then '.id: must be 1 to 50 letters, digits, "_" or "-"'
      when question ->> 'id' = any (ids) then '.id: must differ from those of the other questions'
      when (char_length(question ->> 'label') <= 300 and not private.is_blank(question ->> 'label')
        and jsonb_typeof(question -> 'label') = 'string') is not true then '.label: must be 1 to 300 characters'
      when coalesce(jsonb_typeof(question -> 'isRequired'), 'boolean') <> 'boolean'
        then '.isRequired: must be true or false'
      when question - '{id,label,isRequired}'::text[] <> '{}' then ': may have only id, label and isRequired' end;
    if problem is not null then
      return format('questions[%s]%s', n, problem);
    end if;
    ids := ids || (question ->> 'id');
    n := n + 1;
  end loop;
  return null;
end $$;
comment on function private.booking_questions_error is
  'What is wrong with a list of questions to guests, or null: at most 20 of {id, label, isRequired?}, with different '
  'ids.';
grant execute on function private.booking_questions_error to authenticated, service_role;  -- checks run as the writer

create function private.session_location_error(location jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return case
    when location is null then null
    when jsonb_typeof(location) <> 'object' then 'location: must be null, or an object with type and value'
    when location - '{type,value}'::text[] <> '{}' then 'location: may have only type and value'
    when (location ->> 'type' in ('link', 'phone', 'in_person', 'custom')) is not true
      then 'location.type: must be link, phone, in_person or custom'
    when (jsonb_typeof(location -> 'value') = 'string' and char_length(location ->> 'value') <= 500
      and not private.is_blank(location ->> 'value')) is not true then 'location.value: must be 1 to 500 characters'
    when location ->> 'type' = 'link' and not private.is_http_url(location ->> 'value')
      then 'location.value: must be an http or https URL, such as https://meet.example.com/room' end;
end $$;
comment on function private.session_location_error is
  'What is wrong with the place of a session, or null: {type: link, phone, in_person or custom, value}, with a text of '
  'at most 500 characters, and an http or https URL for a link. Null means none.';
grant execute on function private.session_location_error to authenticated, service_role;  -- checks run as the writer

create function private.clean_session_location(location jsonb) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
return case when jsonb_typeof($1 -> 'value') = 'string' then $1 || jsonb_build_object('value', regexp_replace(
    private.normalize_line($1 ->> 'value'), '[\u0001-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]', '', 'g'))
  else nullif($1, 'null') end;
comment on function private.clean_session_location is
  'The place of a session as one line, without control characters and without those that reorder the text around them.';

create type public.conflict_scope as enum ('link', 'podcast');

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
  date_overrides        jsonb not null default '[]',            -- [{date, windows: [{startTime, endTime}]}]
  conflict_scope        public.conflict_scope not null default 'link',  -- whose bookings take its slots
  location              jsonb,                                  -- {type, value} of sessions; null: none
  requires_confirmation boolean not null default true,          -- false: requests of verified guests are confirmed
  is_active             boolean not null default true,          -- inactive ones do not exist for guests
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  constraint slug_unique_per_podcast unique (podcast_id, slug),
  constraint slug_is_1_to_100_chars check (char_length(slug) between 1 and 100),
  constraint slug_is_url_safe check (slug !~ '[/?#%\s]'),
  constraint name_is_1_to_200_chars check (char_length(name) <= 200 and not private.is_blank(name)),
  constraint description_is_at_most_5000_chars check (char_length(description) <= 5000),
  constraint duration_is_5_to_720_minutes check (duration_minutes between 5 and 720),
  constraint timezone_is_known check (private.is_timezone(timezone)),
  constraint buffer_before_is_0_to_720_minutes check (buffer_before_minutes between 0 and 720),
  constraint buffer_after_is_0_to_720_minutes check (buffer_after_minutes between 0 and 720),
  constraint min_notice_is_0_to_8760_hours check (min_notice_hours between 0 and 8760),
  constraint max_advance_is_1_to_365_days check (max_advance_days between 1 and 365),
  constraint availability_rules_are_valid check (private.availability_rules_error(availability_rules) is null),
  constraint questions_are_valid check (private.booking_questions_error(questions) is null),
  constraint date_overrides_are_valid check (private.date_overrides_error(date_overrides) is null),
  constraint location_is_valid check (private.session_location_error(location) is null)
);
comment on table public.booking_links is
  'What guests can book with a podcast. Admins read and write them; guests see active ones by get_availability.';
comment on constraint availability_rules_are_valid on public.booking_links is
  'The availability rules must have known days, times and dates';
comment on constraint buffer_after_is_0_to_720_minutes on public.booking_links is
  'The buffer after a booking must be 0 to 720 minutes';
comment on constraint buffer_before_is_0_to_720_minutes on public.booking_links is
  'The buffer before a booking must be 0 to 720 minutes';
comment on constraint date_overrides_are_valid on public.booking_links is
  'The date overrides must have known dates and times';
comment on constraint description_is_at_most_5000_chars on public.booking_links is
  'The description must have at most 5,000 characters';
comment on constraint duration_is_5_to_720_minutes on public.booking_links is 'The duration must be 5 to 720 minutes';
comment on constraint location_is_valid on public.booking_links is
  'The location must have a known type and a text of 1 to 500 characters';
comment on constraint max_advance_is_1_to_365_days on public.booking_links is
  'The time in advance must be 1 to 365 days';
comment on constraint min_notice_is_0_to_8760_hours on public.booking_links is 'The notice must be 0 to 8,760 hours';
comment on constraint name_is_1_to_200_chars on public.booking_links is 'The name must have 1 to 200 characters';
comment on constraint questions_are_valid on public.booking_links is
  'The questions must have ids, labels and known types';
comment on constraint slug_is_1_to_100_chars on public.booking_links is 'The slug must have 1 to 100 characters';
comment on constraint slug_is_url_safe on public.booking_links is
  'The slug must have no white space, "/", "?", "#" or "%"';
comment on constraint timezone_is_known on public.booking_links is
  'The time zone must be an IANA time zone, such as Europe/Berlin';
comment on constraint slug_unique_per_podcast on public.booking_links is
  'Another booking link of the podcast has this slug';

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
  buffer_after_minutes, min_notice_hours, max_advance_days, availability_rules, questions, date_overrides,
  conflict_scope, location, requires_confirmation, is_active)
  on public.booking_links to authenticated;
grant update (slug, name, description, duration_minutes, timezone, buffer_before_minutes, buffer_after_minutes,
  min_notice_hours, max_advance_days, availability_rules, questions, date_overrides, conflict_scope, location,
  requires_confirmation, is_active)
  on public.booking_links to authenticated;
grant select, insert, update, delete on public.booking_links to service_role;

-- Not granted: id and, after the insert, podcast_id, because bookings refer to both.

-- Always
create trigger t050_guard_writer before insert on public.booking_links
  for each row execute function private.guard_admin_writer();

create function private.normalize_booking_link() returns trigger
language plpgsql security definer  -- callers may not call slugify, and the limit is about all links
set search_path = ''
as $$
declare
  problem  text := coalesce(private.availability_rules_error(new.availability_rules),
    private.booking_questions_error(new.questions),
    private.date_overrides_error(new.date_overrides),
    private.session_location_error(private.clean_session_location(new.location)),
    case when not private.is_timezone(new.timezone)
      then 'timezone: must be an IANA time zone, such as Europe/Berlin' end);
  new_slug text;
begin
  if problem is not null then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = problem;
  end if;
  new.updated_at := clock_timestamp();
  new.name := private.normalize_line(new.name);
  new.timezone := private.normalize_timezone(new.timezone);
  new.questions := private.normalize_lines(new.questions, '{label}');
  new.location := private.clean_session_location(new.location);
  if tg_op = 'INSERT' or new.slug is distinct from old.slug then
    -- serializes the writers of a podcast's links, so that the second sees the first
    perform pg_advisory_xact_lock(hashtextextended('booking-links/' || new.podcast_id, 0));
    new_slug := private.slugify(coalesce(new.slug, new.name), case when new.slug is null then 'session' end);
    if new_slug is null then
      raise sqlstate 'PT400' using message = 'A slug must contain at least one letter or digit';
    elsif new.slug is null then
      new_slug := private.next_available_slug(new_slug, array(
        select l.slug from public.booking_links l where l.podcast_id = new.podcast_id and l.id <> new.id));
    elsif exists (select from public.booking_links l
      where l.podcast_id = new.podcast_id and l.slug = new_slug and l.id <> new.id)
    then
      raise sqlstate 'PT409' using message = format('Slug %L is already in use', new_slug), hint = 'SLUG_TAKEN';
    end if;
    new.slug := new_slug;
  end if;
  if tg_op = 'INSERT'
     and (select count(*) from public.booking_links l where l.podcast_id = new.podcast_id) >= 50 then
    raise sqlstate 'PT409' using message = 'A podcast can have at most 50 booking links; delete one first',
      hint = 'TOO_MANY_BOOKING_LINKS';
  end if;
  return new;
end $$;
create trigger t100_normalize before insert or update on public.booking_links
  for each row execute function private.normalize_booking_link();

create trigger t300_guard_writable before insert or update or delete on public.booking_links
  for each row when (pg_trigger_depth() = 0)  -- not cascades
  execute function private.guard_writable_podcast();
