-- Public settings: values that differ between installations. Secrets are in Vault.
create table private.settings (
  key            text primary key,
  value          text,            -- null: default_value applies
  default_value  text,            -- {other_key} is replaced by that setting
  description    text not null,
  resolved_value text,            -- the value in force; null if a setting that it refers to has none
  constraint key_is_snake_case check (key ~ '^[a-z][a-z0-9_]*$')
);
comment on table private.settings is
  'Public settings. Functions read them with private.get_setting(), operators write them with private.set_setting().';
alter table private.settings enable row level security;
-- No policy, no grant: functions read it.

create function private.resolve_setting(key text, out resolved_value text, out missing_key text)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  reference  text := resolve_setting.key;
  referenced text;
  steps      int := 0;
begin
  resolved_value := '{' || reference || '}';
  while reference is not null loop
    steps := steps + 1;
    if steps > 10 then
      raise sqlstate 'PT400' using message = format('Setting %L refers to itself', resolve_setting.key);
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

-- For settings that triggers of many rows read: an invalid value would stop all changes of these rows
create function private.guard_optional_url_setting() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if new.value <> '' and private.is_parsable_http_url(new.value) is not true then
    raise sqlstate 'PT400' using message = format(
      '%s must be an http or https URL of at most 2,048 characters, without a user name; empty turns it off', new.key);
  end if;
  return new;
end $$;

create function private.guard_seconds_setting() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if new.value !~ '^[0-9]{1,4}$' then
    raise sqlstate 'PT400' using message = format('%s must be an integer from 0 to 9999', new.key);
  end if;
  return new;
end $$;

create function private.get_setting(key text) returns text
language plpgsql stable security definer  -- callers may not read the table
set search_path = ''
as $$
declare
  resolved_value constant text := (select s.resolved_value from private.settings s where s.key = get_setting.key);
begin
  if resolved_value is null then
    raise sqlstate 'PT500' using hint = 'MISSING_SETTING',
      message = format('Setting %L is not set', (private.resolve_setting(key)).missing_key);
  end if;
  return resolved_value;
end $$;
comment on function private.get_setting is
  'Returns a public setting, or its default value. PT500 MISSING_SETTING names a setting without either.';
grant execute on function private.get_setting to anon, authenticated, service_role;

create function private.set_setting(key text, value text) returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  update private.settings s set value = set_setting.value where s.key = set_setting.key;
  if not found then
    raise sqlstate 'PT404' using message = format('Unknown setting %L', set_setting.key);
  end if;
end $$;
comment on function private.set_setting is 'For operators: sets a public setting; null restores the default value.';
