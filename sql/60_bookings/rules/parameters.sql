-- Parameters of availability: text that guests send.
create function private.parse_date(value text) returns date
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if (value ~ '^\d{4}-\d\d-\d\d$' and pg_input_is_valid(value, 'date')) is not true then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'date: must be a date as YYYY-MM-DD';
  end if;
  return value::date;
end $$;
comment on function private.parse_date is 'A calendar date from its text. PT400.';

create function private.require_timezone(_timezone text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if private.is_timezone(_timezone) is not true then
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'timezone: must be an IANA time zone, such as Europe/Berlin';
  end if;
end $$;
comment on function private.require_timezone is 'PT400 unless the text is the name of a time zone.';
-- No grants: security definer functions call them.
