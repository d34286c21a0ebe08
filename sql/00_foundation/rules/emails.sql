-- Email addresses are stored in lower case, as Auth stores them.
create function private.normalize_email(input text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return lower(btrim(input, private.invisible_characters(input)));
end $$;
comment on function private.normalize_email is 'Lowercases an email address and trims invisible characters around it.';

create function private.is_email_address(email text) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return email collate pg_c_utf8 ~ '^[^@<>(),;:"\[\]\\]+@([a-z0-9.-]|(?![[:punct:]])[^\u0001-\u007f])+$'
    and email !~ '@(.*\.)?(\.|$)' and private.invisible_characters(email) = '' and char_length(email) <= 254;
end $$;
comment on function private.is_email_address is
  'True for a single address in lower case that no email header parses as more; its domain may use any script.';
-- No grant: clients write no table with this check.
