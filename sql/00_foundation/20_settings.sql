-- Public settings: values that differ between installations. Secrets are in Vault.
create table private.settings (
  key           text primary key,
  value         text,            -- null: default_value applies
  default_value text,            -- {other_key} is replaced by that setting
  description   text not null,
  constraint key_is_snake_case check (key ~ '^[a-z][a-z0-9_]*$')
);
comment on table private.settings is
  'Public settings. Functions read them with private.get_setting(), operators write them with private.set_setting().';
alter table private.settings enable row level security;
-- No policy, no grant: functions read it.

create function private.get_setting(key text) returns text
language plpgsql stable security definer  -- callers may not read the table
set search_path = ''
as $$
declare
  reference   text := get_setting.key;
  referenced  text;
  found_value text := '{' || reference || '}';
begin
  while reference is not null loop
    select coalesce(s.value, s.default_value) into referenced from private.settings s where s.key = reference;
    if referenced is null then
      raise sqlstate 'PT500' using message = format('Setting %L is not set', reference), hint = 'MISSING_SETTING';
    end if;
    found_value := replace(found_value, '{' || reference || '}', referenced);
    reference := substring(found_value from '\{([a-z_]+)\}');
  end loop;
  return found_value;
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
