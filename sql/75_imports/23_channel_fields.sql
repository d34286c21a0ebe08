-- The channel of a feed as the podcast's columns can hold it, and its transfer to the podcast.
create function private.channel_categories(categories jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (
    select jsonb_agg(t.entry order by t.n) from (
      select jsonb_strip_nulls(jsonb_build_object(
          'category', c.category, 'subcategory', nullif(c.subcategory, ''))) as entry, min(e.n) as n
      from jsonb_array_elements(channel_categories.categories) with ordinality e (value, n)
      join public.podcast_categories c
        on c.category = e.value ->> 'category' and c.subcategory in ('', coalesce(e.value ->> 'subcategory', ''))
      where c.subcategory <> '' or not exists (
        select from public.podcast_categories s
        where s.category = c.category and s.subcategory = e.value ->> 'subcategory')
      group by c.category, c.subcategory order by 2 limit 3) t);
end $$;
comment on function private.channel_categories is
  'The first three categories of a feed that directories know; an unknown subcategory leaves its category.';

create function private.channel_fields(channel jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  owner_email constant text := private.normalize_line(channel ->> 'ownerEmail');
  owner_name  constant text := left(private.normalize_line(channel ->> 'ownerName'), 255);
begin
  return jsonb_strip_nulls(jsonb_build_object(
    'title', nullif(left(private.normalize_line(channel ->> 'title'), 255), ''),
    'description', left(channel ->> 'description', 10000),
    'language', case when private.is_language_tag(channel ->> 'language') then channel ->> 'language' end,
    'author', nullif(left(private.normalize_line(channel ->> 'author'), 255), ''),
    'owner', case when num_nonnulls(owner_email, owner_name) > 0 then jsonb_build_object('name', owner_name,
      'email', case when char_length(owner_email) <= 254 and owner_email ~ '^[^@\s]+@[^@\s]+$'
        then owner_email end) end,
    'categories', private.channel_categories(channel -> 'categories'),
    'type', case when channel ->> 'type' in ('episodic', 'serial') then channel ->> 'type' end,
    'explicit', (channel ->> 'explicit')::boolean,
    'copyright', nullif(left(private.normalize_line(channel ->> 'copyright'), 255), ''),
    'link', case when private.is_http_url(channel ->> 'link') then channel ->> 'link' end
  ));
end $$;
comment on function private.channel_fields is
  'The fields of a feed''s channel that applyChannel may name, as the podcast''s columns hold them. A field without a '
  'usable value is absent.';

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

create function private.store_import_channel(import public.podcast_imports, channel jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  fields constant jsonb := private.channel_fields(channel);
  emails constant text[] := private.owner_emails(channel);
begin
  insert into private.import_channels (import_id, fields) values (import.id, fields);
  insert into public.podcast_import_channels (import_id, podcast_id, fields, extra_tags, losses)
  values (import.id, import.podcast_id, private.mask_emails(fields, emails),
    private.mask_emails(coalesce(channel -> 'extraTags', '[]'), emails),
    private.mask_emails(coalesce(channel -> 'losses', '[]'), emails));
end $$;
comment on function private.store_import_channel is
  'Stores the channel of a staged feed: masked for the podcast''s admins, unmasked for apply_import_channel.';

create function private.apply_import_channel(import public.podcast_imports, field_names text[]) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  fields  jsonb;
  missing text;
begin
  if cardinality(field_names) = 0 then
    return;
  end if;
  select c.fields into fields from private.import_channels c where c.import_id = import.id;
  select name into missing from unnest(field_names) name
  where not coalesce(fields, '{}') ? coalesce(name, '') limit 1;
  if found then
    raise sqlstate 'PT400' using hint = 'INVALID_SELECTION',
      message = format('The feed''s channel has no %s to apply', coalesce(left(missing, 100), 'field null')),
      detail = 'Fields of this channel: '
        || coalesce((select string_agg(key, ', ' order by key) from jsonb_object_keys(fields) key), 'none');
  end if;
  -- only the named fields; each other column keeps its value
  select jsonb_object_agg(f.key, f.value) into fields from jsonb_each(fields) f where f.key = any (field_names);
  update public.podcasts p set
    title = coalesce(fields ->> 'title', p.title),
    description = coalesce(fields ->> 'description', p.description),
    language = coalesce(fields ->> 'language', p.language),
    author = coalesce(fields ->> 'author', p.author),
    owner_name = case when fields ? 'owner' then fields #>> '{owner,name}' else p.owner_name end,
    owner_email = case when fields ? 'owner' then fields #>> '{owner,email}' else p.owner_email end,
    categories = coalesce(fields -> 'categories', p.categories),
    type = coalesce((fields ->> 'type')::public.podcast_type, p.type),
    explicit = coalesce((fields ->> 'explicit')::boolean, p.explicit),
    copyright = coalesce(fields ->> 'copyright', p.copyright),
    link = coalesce(fields ->> 'link', p.link)
  where p.id = import.podcast_id;
end $$;
comment on function private.apply_import_channel is
  'Sets the named fields of the podcast, and no others, to those of the feed''s channel. PT400 INVALID_SELECTION names '
  'a field that the channel does not have.';
