-- Public settings: values that differ between installations. Secrets are in Vault.
create type private.setting_kind as enum (
  'count', 'bytes', 'seconds', 'minutes', 'hours', 'days',
  'url', 'urls', 'hosts', 'host_patterns', 'email', 'choice', 'text', 'header');

create table private.settings (
  key            text primary key,
  kind           private.setting_kind not null,    -- which values are accepted
  can_be_empty   boolean not null default false,   -- '' is accepted too: none
  choices        text[],
  value          text,                             -- null: default_value applies
  default_value  text,                             -- {other_key} is replaced by that setting
  description    text not null,
  resolved_value text,                             -- the value in force; null if it refers to a setting that has none
  constraint key_is_snake_case check (key ~ '^[a-z][a-z0-9_]*$'),
  constraint only_choice_has_choices check ((kind = 'choice') = (choices is not null))
);
comment on table private.settings is
  'Public settings. Functions read them with private.get_setting(), operators write them with private.set_setting().';
alter table private.settings enable row level security;
-- No policy, no grant: functions read it.

create function private.resolve_setting(_key text, out resolved_value text, out missing_key text)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  reference  text := _key;
  referenced text;
  steps      int := 0;
begin
  resolved_value := '{' || reference || '}';
  while reference is not null loop
    steps := steps + 1;
    if steps > 10 then
      raise sqlstate 'PT400' using message = format('Setting %L refers to itself', _key);
    end if;
    select coalesce(s.value, s.default_value) into referenced from private.settings s where s.key = reference;
    if referenced is null then
      resolved_value := null;
      missing_key := reference;
      return;
    end if;
    resolved_value := replace(resolved_value, '{' || reference || '}', referenced);
    reference := substring(resolved_value from '\{([a-z_]+)\}');
  end loop;
end $$;
comment on function private.resolve_setting is
  'A setting with its references replaced, or the key of the setting that has neither a value nor a default value. '
  'PT400 when it refers to itself.';

create function private.lock_settings() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('settings', 0));
  return null;
end $$;
create trigger t050_lock before insert or update of value, default_value or delete on private.settings
  for each statement execute function private.lock_settings();  -- each writer resolves the settings of all others

create function private.resolve_settings() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  update private.settings s set resolved_value = r.resolved_value
  from private.settings k cross join lateral private.resolve_setting(k.key) r
  where s.key = k.key and s.resolved_value is distinct from r.resolved_value;
  return null;
end $$;
create trigger t500_resolve after insert or update of value, default_value or delete on private.settings
  for each statement execute function private.resolve_settings();

-- Always: a wrong value is refused where it is set, because each call that reads it would fail.
create function private.is_url_setting(url text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
declare
  reference text := substring(url from '^\{([a-z_]+)\}(?:/|$)');
begin
  if reference is not null then
    url := 'https://reference.example' || substr(url, length(reference) + 3);
  end if;
  return url !~ '[{}]' and private.is_parsable_http_url(url)
    and (reference is null or exists (select from private.settings s where s.key = reference and s.kind = 'url'));
end $$;
comment on function private.is_url_setting is
  'Whether a text is an http or https URL, or the {key} of a setting that is one and a path. Null if the text is null.';

create function private.max_count() returns int language sql immutable security invoker set search_path = ''
return 1000000000;
comment on function private.max_count is 'The largest count that a setting or a plan limit can be.';

create function private.expected_setting(setting private.settings, value text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  -- further numbers overflow where they are added or doubled
  max_number constant bigint := case setting.kind when 'count' then private.max_count()
    when 'bytes' then 1073741824 when 'seconds' then 86400 when 'minutes' then 10080 when 'hours' then 87600
    when 'days' then 36500 end;
  entries     text[];
  is_accepted boolean;
  expected    text;
begin
  if value is null or value = '' and setting.can_be_empty then
    return null;
  elsif max_number is not null then
    is_accepted := case when value ~ '^[0-9]{1,10}$' then value::bigint <= max_number end;
    expected := format('a whole number%s from 0 to %s', ' of ' || nullif(setting.kind, 'count'), max_number);
  elsif setting.kind in ('url', 'urls') then
    entries := case setting.kind when 'url' then array[value] else regexp_split_to_array(btrim(value), '\s*,\s*') end;
    is_accepted := (select bool_and(private.is_url_setting(e)) from unnest(entries) e);
    expected := case setting.kind when 'urls' then 'a list with commas, each entry ' else '' end
      || 'an http or https URL of at most 2,048 characters without a user name, or a path after another such setting, '
      'as {public_url}/path';
  elsif setting.kind in ('hosts', 'host_patterns') then
    is_accepted := (
      select bool_and(private.is_parsable_http_url('http://' || h.host) and h.host !~ '[/?#]')
      from regexp_matches(value, '[^\s,]+', 'g') m (entry)
      cross join lateral (select case when setting.kind = 'hosts' then m.entry[1]
        else regexp_replace(m.entry[1], '^\*(\.|$)', 'any\1') end) h (host));
    expected := 'hosts with commas between them, as host or host:port'
      || case setting.kind when 'host_patterns' then ', *.domain or *' else '' end;
  elsif setting.kind = 'email' then
    is_accepted := private.is_email_address(value);
    expected := 'an email address in lower case';
  elsif setting.kind = 'choice' then
    is_accepted := value = any (setting.choices);
    expected := array_to_string(setting.choices, ' or ');
  elsif setting.kind = 'header' then
    is_accepted := replace(value, '{public_url}', 'x') ~ '^[!-z|~](?:[ -z|~]*[!-z|~])?$' and char_length(value) <= 300;
    expected := 'at most 300 visible ASCII characters; {public_url} and <version> are replaced';
  else
    is_accepted := value ~ '^[^{}[:cntrl:]]+$' and not private.is_blank(value);
    expected := 'a line of text without braces';
  end if;
  return case when is_accepted is not true then
    expected || case when setting.can_be_empty then ', or empty' else '' end end;
end $$;
comment on function private.expected_setting is
  'What a setting accepts, if it does not accept the value; else null. {key} means the value of another setting.';

create function private.guard_setting() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  proposed text;
  expected text;
begin
  -- not what an operator set before a migration that changes what the setting accepts
  foreach proposed in array array[new.default_value, case when new.value is distinct from old.value then new.value end]
  loop
    expected := private.expected_setting(new, proposed);
    if expected is not null then
      raise sqlstate 'PT400' using
        message = format('Setting %L cannot be %L; it must be %s', new.key, left(proposed, 200), expected);
    end if;
  end loop;
  return new;
end $$;
create trigger t300_guard
  before insert or update of value, default_value, kind, can_be_empty, choices on private.settings
  for each row execute function private.guard_setting();

create function private.get_setting(_key text) returns text
language plpgsql stable security definer  -- callers may not read the table
set search_path = ''
as $$
declare
  resolved_value constant text := (select s.resolved_value from private.settings s where s.key = _key);
begin
  if resolved_value is null then
    raise sqlstate 'PT500' using hint = 'MISSING_SETTING',
      message = format('Setting %L is not set', (private.resolve_setting(_key)).missing_key);
  end if;
  return resolved_value;
end $$;
comment on function private.get_setting is
  'Returns a public setting, or its default value. PT500 MISSING_SETTING names a setting without either.';
grant execute on function private.get_setting to anon, authenticated, service_role;

create function private.set_setting(_key text, _value text) returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  update private.settings s set value = _value where s.key = _key;
  if not found then
    raise sqlstate 'PT404' using message = format('Unknown setting %L', _key);
  end if;
end $$;
comment on function private.set_setting is
  'For operators: sets a public setting; null restores the default value. PT400 names what the setting accepts. PT404 '
  'for an unknown setting.';
