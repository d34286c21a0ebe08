-- Email addresses as the service keeps them: in lower case, as Auth keeps its own.
create function private.plain_address(typed text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return lower(btrim(typed, private.unseen(typed)));
end $$;
comment on function private.plain_address is 'An e-mail address as it is kept: in lower case, and with nothing around it that cannot be seen.';

create function private.is_email_address(email text) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return email collate pg_c_utf8 ~ '^[^@<>(),;:"\[\]\\]+@([a-z0-9.-]|(?![[:punct:]])[^\u0001-\u007f])+$'
    and email !~ '@(.*\.)?(\.|$)' and private.unseen(email) = '' and char_length(email) <= 254;
end $$;
comment on function private.is_email_address is
  'True for one address in lower case that no email header reads as more than that; its domain is labels in any script.';
-- No grant: clients write no table with such a check.
