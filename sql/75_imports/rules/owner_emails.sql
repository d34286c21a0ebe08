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
  select e.email from (values
    (1, private.deliverable_email_or_null(channel ->> 'lockedOwner')),
    (2, private.deliverable_email_or_null(channel ->> 'ownerEmail'))) e (rank, email)
  where e.email is not null and private.has_accepted_domain(e.email) order by e.rank limit 1
$$;
comment on function private.owner_email_of_channel is
  'The email of a feed''s owner: podcast:locked''s owner, else itunes:email; null when no email can be sent to '
  'either.';

-- As JSON writes the address, with an at sign in any form that URLs and HTML have.
create function private.email_pattern(email text) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select replace(regexp_replace(substring(to_json(email)::text from '^.(.*).$'), '([][(){}.*+?^$|\\])', '\\\1', 'g'),
    '@', '(?:@|%40|&#0{0,5}64;|&#x0{0,5}40;|&commat;)')
$$;
comment on function private.email_pattern is 'A regular expression of an email address in JSON, for the flag i.';

create function private.mask_emails(value jsonb, emails text[]) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  masked text := value::text;
  email  text;
begin
  foreach email in array emails loop
    masked := regexp_replace(masked, private.email_pattern(email),
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

-- Items are staged before their feed names its owner, and realtime sends each: every address may be the owner's.
create function private.may_have_address(text text) returns boolean
language sql immutable parallel safe security invoker set search_path = ''
-- not "@ana" or https://social.example/@ana; a regular expression would take longer than the rest of staging an item
return replace(replace(text, '/@', ''), '"@', '') like any ('{%@%,%\\%40%,%&#%,%&commat;%}');
comment on function private.may_have_address is 'Whether mask_addresses may change a text of JSON.';

-- Takes the text of JSON, which its caller has made for may_have_address.
create function private.mask_addresses(text text) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
return regexp_replace(text,
  '((?:\\u[0-9a-f]{4}|\\.)?[^][:space:]"\\@/<>(),;:=?&%])[^][:space:]"\\@/<>(),;:=?&]*'  -- keeps escapes of JSON whole
  '(?:@|%40|&#0{0,5}64;|&#x0{0,5}40;|&commat;)'
  '([^][:space:]"\\@/<>(),;:=?&%.])[^][:space:]"\\@/<>(),;:=?&%]*(\.[^][:space:]"\\@/<>(),;:=?&%.]{2,24})',
  '\1***@\2***\3', 'gi')::jsonb;
comment on function private.mask_addresses is 'The JSON with all email addresses masked in all texts: j***@e***.com.';

-- An item shows its payload masked; the worker needs it as in the feed, because an address may be part of a URL.
create function private.unmask_import_item(inout item public.podcast_import_items)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  original jsonb;
begin
  select o.payload into original from private.import_item_originals o where o.import_item_id = item.id;
  if found then
    item.title := original ->> 'title';
    item.parsed_payload := original || jsonb_build_object(  -- the numbers may have been detected
      'episodeNumber', item.parsed_payload -> 'episodeNumber', 'seasonNumber', item.parsed_payload -> 'seasonNumber');
  end if;
end $$;
comment on function private.unmask_import_item is 'The item with its title and parsed_payload as in the feed.';
