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

create function private.is_public_domain(domain text) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
-- RFC 2606, 6761, 6762, 7686, 8375, 9476, and .internal, which ICANN reserves
return $1 ~ '\.[^.]*[^.0-9][^.]*$'
  and $1 !~ '(^|\.)(test|example|invalid|localhost|localdomain|local|internal|onion|alt|arpa|example\.(com|net|org))$';
comment on function private.is_public_domain is
  'Whether a domain in lower case may receive email from the internet: it has a dot, and no name that is reserved for '
  'tests, documentation or private networks.';

create function private.has_accepted_domain(email text) returns boolean
language sql stable security invoker set search_path = ''
return private.get_setting('accepted_email_domains') = 'any' or private.is_public_domain(substring($1 from '[^@]*$'));
comment on function private.has_accepted_domain is
  'Whether an installation with this setting takes an address in. No check calls it, because rows that exist stay '
  'valid.';

create function private.require_email(email text, name text) returns void
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if private.is_email_address(email) is not true then
    raise sqlstate 'PT400' using message = format('%s must be a valid email address', name);
  elsif not private.has_accepted_domain(email) then
    raise sqlstate 'PT400' using hint = 'UNDELIVERABLE_EMAIL',
      message = format('%s must be at a domain that receives email; check what follows the "@"', name);
  end if;
end $$;
comment on function private.require_email is
  'PT400 for an argument that is not a normalized email address, with UNDELIVERABLE_EMAIL for one whose domain this '
  'installation does not accept. Each operation that takes an address in calls it.';
