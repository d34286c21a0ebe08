-- The email of a feed's owner: whether a code can be sent to it, the form that others see, and which one a channel has.
create function private.deliverable_email_or_null(email text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  normalized text := private.normalize_email(email);
begin
  -- As podcast_guests: one address, without characters that have a meaning in an email header
  return case
    when normalized collate pg_c_utf8 ~ '^[^@<>(),;:"\[\]\\]+@([a-z0-9.-]|(?![[:punct:]])[^\u0001-\u007f])+$'
      and normalized !~ '@(.*\.)?(\.|$)'
      and private.invisible_characters(normalized) = ''
      and char_length(normalized) <= 254 then normalized end;
end $$;
comment on function private.deliverable_email_or_null is
  'The normalized email address; null when no email can be sent to it.';

create function private.mask_email(email text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  domain text := substring(email from '[^@]*$');
begin
  return left(email, 1) || '***@' || left(domain, 1) || '***' || coalesce(substring(domain from '\.[^.]+$'), '');
end $$;
comment on function private.mask_email is 'The email address as others than its owner see it: j***@e***.com.';

create function private.owner_email_of_channel(channel jsonb) returns text
language sql stable security invoker set search_path = ''
as $$
  select coalesce(
    private.deliverable_email_or_null($1 ->> 'lockedOwner'), private.deliverable_email_or_null($1 ->> 'ownerEmail'))
$$;
comment on function private.owner_email_of_channel is
  'The email of a feed''s owner: podcast:locked''s owner, else itunes:email; null when no email can be sent to '
  'either.';

-- Texts are searched as JSON writes them; `***=` makes an address a literal pattern.
create function private.mask_emails(value jsonb, emails text[]) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  masked text := value::text;
  email  text;
begin
  foreach email in array emails loop
    masked := regexp_replace(masked, '***=' || substring(to_json(email)::text from '^.(.*).$'),
      replace(substring(to_json(private.mask_email(email))::text from '^.(.*).$'), '\', '\\'), 'gi');
  end loop;
  return masked::jsonb;
end $$;
comment on function private.mask_emails is 'Masks these email addresses in all texts: j***@e***.com.';

create function private.owner_emails(channel jsonb) returns text[]
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select array(
    select distinct m[1]
    from regexp_matches(concat_ws(' ', channel ->> 'ownerEmail', channel ->> 'lockedOwner'),
      '[^\s@,;:<>()]{1,64}@[^\s@,;:<>()]{1,255}', 'g') m order by 1)
$$;
comment on function private.owner_emails is 'The addresses that a channel gives for its owner.';
