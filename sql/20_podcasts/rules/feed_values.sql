-- Values of the podcast namespace in podcasts and episodes: one shape per column, and the trigger that checks them.
-- https://github.com/Podcastindex-org/podcast-namespace/tree/main/docs/tags defines the members; their names are the
-- attributes' in snake case.
create function private.feed_shapes() returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select $shapes${
    "label": {"text": 128, "is_prose": true},
    "token": {"text": 128},
    "http_url": {"url": true},
    "flag": {"boolean": true},
    "amount": {"decimal": true},
    "media_type": {"text": 100, "like": "^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+$",
      "expects": "a media type, for example audio/mpeg", "cut": " *;.*$",
      "rewrites": [["^[.]?jpe?g$", "image/jpeg"], ["^[.]?(png|gif|webp)$", "image/\\1"], ["^[.]?mp3$", "audio/mpeg"],
        ["^[.]?m4a$", "audio/mp4"], ["^[.]?m3u8$", "application/x-mpegURL"]]},
    "uuid": {"text": 36, "like": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
      "expects": "a podcast:guid, which is a UUID"},
    "medium_name": {"text": 20,
      "like": "^((podcast|music|video|film|audiobook|newsletter|blog|publisher|course)L?|mixed)$",
      "expects": "a medium of the podcast namespace, for example music"},
    "txt": {"object": {"text": {"text": 4000, "is_prose": true}, "purpose": "token"}, "required": ["text"]},
    "funding_link": {"object": {"url": "http_url", "text": "label"}, "required": ["url", "text"]},
    "remote_item": {"object": {"feed_guid": "uuid", "feed_url": "http_url", "item_guid": {"text": 1000},
      "medium": "medium_name", "title": {"text": 255, "is_prose": true}}, "required": ["feed_guid"],
      "loose": ["feed_url", "medium", "title"]},
    "recipient": {"object": {"name": {"text": 255, "is_prose": true}, "type": "token", "address": {"text": 1000},
      "split": "amount", "custom_key": {"text": 255}, "custom_value": {"text": 1000}, "fee": "flag"},
      "required": ["type", "address", "split"], "loose": ["name"]},
    "time_split": {"object": {"start_time": "amount", "duration": "amount", "remote_start_time": "amount",
      "remote_percentage": "amount", "remote_item": "remote_item", "recipients": {"list": "recipient", "min": 1,
      "max": 100}}, "required": ["start_time", "duration"]},
    "source": {"object": {"uri": {"uri": true}, "content_type": "media_type"}, "required": ["uri"]},
    "location": {"required": ["name"], "object": {
      "name": "label",
      "rel": {"one_of": ["subject", "creator"]},
      "geo": {"text": 200, "like":
        "^geo:-?[0-9]{1,3}([.][0-9]+)?(,-?[0-9]+([.][0-9]+)?){1,2}(;[A-Za-z0-9-]+(=[A-Za-z0-9._~%:&+$-]+)?)*$",
        "expects": "a geo URI (RFC 5870), for example geo:48.2082,16.3738",
        "rewrites": [[" *, *", ","], [" *, *", ","], ["^(geo:)? *(?=-?[0-9])", "geo:"]]},
      "osm": {"text": 30, "like": "^[NWRnwr][0-9]+(#[0-9]+)?$",
        "expects": "an OpenStreetMap identifier, for example R113314"},
      "country": {"text": 2, "like": "^[A-Za-z]{2}$", "expects": "a country code of two letters, for example AT"}}},
    "funding": {"list": "funding_link", "max": 10},
    "verify_texts": {"list": "txt", "max": 20},
    "texts": {"list": "txt", "max": 20},
    "locations": {"list": "location", "max": 20},
    "images": {"max": 20, "list": {"required": ["href"], "object": {
      "href": "http_url",
      "alt": {"text": 1000, "is_prose": true},
      "aspect_ratio": {"text": 30, "like": "^[0-9]+([.][0-9]+)?( ?/ ?[0-9]+([.][0-9]+)?)?$",
        "expects": "a ratio, for example 16/9"},
      "width": {"integer": [1, 100000], "unit": "px"},
      "height": {"integer": [1, 100000], "unit": "px"},
      "type": "media_type",
      "purpose": "token"}}},
    "social_interactions": {"max": 20, "list": {"required": ["protocol"], "object": {
      "protocol": {"text": 32, "like": "^[a-z0-9._-]+$", "expects": "a protocol, for example activitypub or disabled"},
      "uri": {"uri": true},
      "account_id": {"text": 255},
      "account_url": "http_url",
      "priority": {"integer": [0, 1000000]}}}},
    "value_blocks": {"max": 10, "list": {"required": ["type", "method", "recipients"], "is_whole": true,
      "loose": ["suggested"], "object": {
      "type": "token",
      "method": "token",
      "suggested": "amount",
      "recipients": {"list": "recipient", "min": 1, "max": 100},
      "time_splits": {"list": "time_split", "max": 100}}}},
    "keywords": {"max": 50, "list": {"text": 100, "like": "^[^,]*$", "expects": "a keyword without a comma"}},
    "tags": {"max": 50, "list": {"required": ["text"], "object": {
      "text": {"text": 255, "is_prose": true},
      "domain": {"text": 2048}}}},
    "update_frequency": {"required": ["text"], "object": {
      "text": "label",
      "complete": "flag",
      "dtstart": {"text": 40, "like":
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$",
        "expects": "a date or time in ISO 8601, for example 2026-08-28"},
      "rrule": {"text": 255, "like": "^([A-Z]+=[A-Z0-9:.,+-]+;)*FREQ=[A-Z]+(;[A-Z]+=[A-Z0-9:.,+-]+)*$",
        "expects": "a recurrence rule (RFC 5545), for example FREQ=WEEKLY;BYDAY=MO"}}},
    "podroll": {"list": "remote_item", "max": 100},
    "remote_items": {"list": "remote_item", "max": 500},
    "publisher": {"object": {"feed_guid": "uuid", "feed_url": "http_url"}, "required": ["feed_guid"]},
    "directory_blocks": {"max": 100, "unique": "id", "list": {"required": ["id", "is_blocked"], "object": {
      "id": {"text": 64, "like": "^[a-z0-9._-]+$", "expects": "the slug of a directory, for example spotify"},
      "is_blocked": "flag"}}},
    "directory_links": {"max": 20, "unique": "directory", "list": {"required": ["directory", "url"], "object": {
      "directory": {"text": 64, "like": "^[a-z_]+$", "expects": "the name of a directory, for example spotify"},
      "url": "http_url"}}},
    "soundbites": {"max": 50, "list": {"required": ["start_seconds", "duration_seconds"], "object": {
      "start_seconds": {"number": [0, 1000000]},
      "duration_seconds": {"number": [0.001, 1000000]},
      "title": "label"}}},
    "content_links": {"max": 20, "list": {"object": {"href": {"uri": true}, "text": {"text": 255, "is_prose": true}},
      "required": ["href", "text"]}},
    "alternate_enclosures": {"max": 20, "list": {"required": ["type", "sources"], "object": {
      "type": "media_type",
      "length": {"integer": [0, 9007199254740991]},
      "bitrate": {"number": [0, 1000000000000]},
      "height": {"integer": [1, 100000], "unit": "px"},
      "lang": {"language": true},
      "title": "label",
      "rel": "token",
      "codecs": "token",
      "default": "flag",
      "sources": {"list": "source", "min": 1, "max": 10},
      "integrity": {"required": ["type", "value"], "object": {
        "type": {"one_of": ["sri", "pgp-signature"]},
        "value": {"text": 4096}}}}}},
    "extra_tags": {"max": 100, "max_text_bytes": 65536, "is_verbatim": true,
      "list": {"text": 65536, "like": "^<[A-Za-z_]", "expects": "an XML element"}}
  }$shapes$::jsonb
$$;
comment on function private.feed_shapes is
  'The shapes of the feed values of podcasts and episodes by column, and the shapes that these share (shape_error, '
  'repair_by_shape).';

-- A name leads to one company's hosts, so that a link of "Spotify" leads there. Equals DIRECTORIES of types/public.ts
-- (a test compares both).
create function private.directories() returns table (directory text, hosts text)
language sql immutable parallel safe security invoker set search_path = ''
as $$
  values
    ('apple_podcasts', 'podcasts[.]apple[.]com'),
    ('spotify', 'open[.]spotify[.]com'),
    ('youtube', '((www|m|music)[.])?youtube[.]com'),
    ('amazon_music', 'music[.]amazon[.](com|ca|com[.]mx|com[.]br|co[.]uk|de|fr|it|es|in|co[.]jp|com[.]au)'),
    ('pocket_casts', 'pca[.]st|((www|play)[.])?pocketcasts[.]com'),
    ('overcast', '(www[.])?overcast[.]fm'),
    ('podcast_addict', '(www[.])?podcastaddict[.]com'),
    ('castbox', '(www[.])?castbox[.]fm')
$$;
comment on function private.directories is
  'The directories of directory_links in the order in which they are shown, with a pattern of their hosts.';

create function private.directory_link_error(link jsonb, path text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  hosts text := (select d.hosts from private.directories() d where d.directory = link ->> 'directory');
begin
  return case
    when hosts is null then format('%s.directory must be one of: %s', path,
      (select string_agg(d.directory, ', ') from private.directories() d))
    -- without a port, and also false if the pattern finds no host at all
    when not coalesce(substring(lower(link ->> 'url') from '^https?://([^/?#]*)') ~ format('^(%s)$', hosts), false)
      then format('%s.url must be a page of %s', path, link ->> 'directory') end;
end $$;
comment on function private.directory_link_error is
  'What is wrong with the directory or the host of a link {directory, url}; null if nothing is.';

create function private.ordered_directory_links(links jsonb) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(l.link order by d.n), '[]')
  from jsonb_array_elements(links) l (link)
  join private.directories() with ordinality d (directory, hosts, n) on d.directory = l.link ->> 'directory'
$$;
comment on function private.ordered_directory_links is
  'Returns links to directories in the order of private.directories().';

-- What a shape cannot say: rules between members.
create function private.feed_rule_error(column_name text, value jsonb) returns text
language sql stable parallel safe security invoker set search_path = ''
as $$
  select error from (
    select case
      when $1 in ('verify_texts', 'texts') and entry ->> 'purpose' = 'ai-content'
          and entry ->> 'text' not in ('true', 'false')
        then format('%s[%s].text must be true or false if purpose is ai-content', $1, n - 1)
      when $1 = 'social_interactions' and entry ->> 'protocol' <> 'disabled' and entry ->> 'uri' is null
        then format('%s[%s].uri is required unless protocol is disabled', $1, n - 1)
      when $1 = 'update_frequency' and entry ->> 'rrule' ~ '(^|;)COUNT=' and entry ->> 'dtstart' is null
        then 'update_frequency.rrule must not have COUNT without dtstart'
      when $1 = 'update_frequency' and exists (
          select from string_to_table(entry ->> 'rrule', ';') part where part !~ concat(
            '^((COUNT|INTERVAL)=[0-9]+|WKST=[A-Z]{2}|UNTIL=[0-9TZ:.+-]+',
            '|FREQ=(SECONDLY|MINUTELY|HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)',
            '|BY(SECOND|MINUTE|HOUR|DAY|MONTHDAY|YEARDAY|WEEKNO|MONTH|SETPOS)=[0-9A-Z,+-]+)$'))
        then 'update_frequency.rrule must be a recurrence rule (RFC 5545), for example FREQ=WEEKLY;BYDAY=MO'
      when $1 = 'update_frequency' and not pg_input_is_valid(entry ->> 'dtstart', 'timestamptz')
        then 'update_frequency.dtstart must be a date that exists'
      when $1 = 'directory_links' then private.directory_link_error(entry, format('%s[%s]', $1, n - 1))
      when $1 = 'value_blocks' and exists (
          select from jsonb_array_elements(nullif(entry -> 'time_splits', 'null')) t (split)
          where num_nonnulls(t.split ->> 'remote_item', t.split ->> 'recipients') <> 1)
        then format('%s[%s].time_splits must each have either remote_item or recipients', $1, n - 1)
      when $1 = 'alternate_enclosures' and entry #>> '{integrity,value}' !~ case entry #>> '{integrity,type}'
          when 'sri' then '^sha(256|384|512)-[A-Za-z0-9+/=_-]+( sha(256|384|512)-[A-Za-z0-9+/=_-]+)*$'
          else '^[A-Za-z0-9+/=_[:space:]-]+$' end
        then format('%s[%s].integrity.value must be an SRI string, for example sha256-…, or a signature in base64',
          $1, n - 1)
    end as error
    from jsonb_array_elements(case jsonb_typeof($2) when 'array' then $2 else jsonb_build_array($2) end)
      with ordinality e (entry, n)
  ) errors
  where error is not null limit 1
$$;
comment on function private.feed_rule_error is
  'The first error between members of a value that has its shape, or null.';

create function private.feed_value_error(column_name text, value jsonb) returns text
language plpgsql stable parallel safe security invoker set search_path = ''
as $$
begin
  if octet_length(value::text) > 131072 then
    return format('%s must have at most 131,072 bytes', column_name);
  end if;
  return coalesce(private.shape_error(value, to_jsonb(column_name), private.feed_shapes(), column_name),
    private.feed_rule_error(column_name, value));
end $$;
comment on function private.feed_value_error is
  'What is wrong with the value of a feed column, such as `soundbites[0].start_seconds is required`; null if it is '
  'valid. A list of one entry checks that entry.';
-- No grant: the trigger and security definer functions call it.

create function private.location_error(location jsonb) returns text
language plpgsql immutable parallel safe security definer  -- callers may not execute the functions that it calls
set search_path = ''
as $$
begin
  return private.shape_error(location, '"location"', private.feed_shapes(), 'location');
end $$;
comment on function private.location_error is
  'What is wrong with a location {name, rel?, geo?, osm?, country?}; null if nothing is.';
grant execute on function private.location_error to authenticated, service_role;  -- a check runs as the writer

-- Always: for podcasts and episodes
create function private.guard_feed_values() returns trigger
language plpgsql security definer  -- callers may not execute the functions that it calls
set search_path = ''
as $$
declare
  new_row     jsonb := to_jsonb(new);
  old_row     jsonb := case tg_op when 'UPDATE' then to_jsonb(old) else '{}' end;
  checked     jsonb := '{}';
  column_name text;
  shape       jsonb;
  error       text;
begin
  for column_name, shape in select s.key, s.value from jsonb_each(private.feed_shapes()) s where new_row ? s.key loop
    continue when new_row -> column_name in ('null', old_row -> column_name)
      or (shape ? 'list' and new_row -> column_name = '[]');
    error := private.feed_value_error(column_name, new_row -> column_name);
    if error is not null then
      raise sqlstate 'PT400' using message = error;
    end if;
    if not shape ? 'is_verbatim' then
      checked := checked || jsonb_build_object(column_name, private.fold_texts(new_row -> column_name));
    end if;
  end loop;
  return case checked when '{}' then new else jsonb_populate_record(new, checked) end;
end $$;
create trigger t330_guard_feed_values before insert or update of funding, verify_texts, locations, update_frequency,
    podroll, remote_items, publisher, directory_blocks, directory_links, images, social_interactions, value_blocks,
    keywords, tags, extra_tags on public.podcasts
  for each row execute function private.guard_feed_values();
