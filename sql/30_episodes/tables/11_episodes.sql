-- Episodes: their status, dates, audio and the contents of their feed item.
create type public.episode_status as enum ('draft', 'scheduled', 'published', 'archived');
create type public.episode_origin as enum ('app', 'import');
create type public.episode_type as enum ('full', 'trailer', 'bonus');

create table public.episodes (
  id                     uuid primary key default gen_random_uuid(),
  podcast_id             uuid not null references public.podcasts on delete cascade,
  slug                   text not null default nullif('', ''),    -- null: a trigger derives it from the title
  guid                   text not null default nullif('', ''),    -- a trigger sets it; an imported one is kept
  title                  text not null,
  itunes_title           text,                                     -- itunes:title of the feed; null: the title
  subtitle               text,                                     -- itunes:subtitle; the feed shows 255 characters
  summary                text,                                     -- itunes:summary
  description            text not null default '',                 -- text or HTML
  link                   text,                                     -- the podcaster's page; null: the service's page
  show_notes_html        text,                                     -- HTML as members wrote it, for their editor only
  show_notes_safe_html   text,                                     -- written by the worker: sanitized, for public use
  show_notes_version     int,                                      -- the worker's allow-list; 0: edited, null: none
  status                 public.episode_status not null default 'draft',
  origin                 public.episode_origin not null default 'app',
  season_number          int,
  season_name            text,
  episode_number         int,
  episode_display        text,                                     -- shown instead of episode_number: Ch. 3
  episode_type           public.episode_type not null default 'full',
  explicit               boolean not null default false,
  is_blocked             boolean not null default false,           -- itunes:block: directories do not list the episode
  scheduled_at           timestamptz,
  published_at           timestamptz,
  first_published_at     timestamptz,                              -- set once; null: never public
  created_by             uuid default auth.uid() references public.profiles on delete set null,
  chapters_url           text,                                     -- chapters hosted elsewhere; rows of ours replace it
  audio_url              text,                                     -- the service writes the audio columns
  audio_file_size_bytes  bigint,                                   -- size of the stored object
  audio_content_type     text,
  audio_duration_seconds int,
  audio_has_seek_table   boolean,                                  -- false: apps seek inexactly; null: not yet read
  cover_image_url        text,
  license                text,                                     -- as podcasts.license, as are the lists of this name
  license_url            text,
  -- Feed values: private.feed_shapes() defines and limits each
  funding                jsonb not null default '[]',
  texts                  jsonb not null default '[]',              -- [{text, purpose?}]
  locations              jsonb not null default '[]',
  images                 jsonb not null default '[]',
  social_interactions    jsonb not null default '[]',
  value_blocks           jsonb not null default '[]',              -- [{…, time_splits?}]
  keywords               jsonb not null default '[]',
  tags                   jsonb not null default '[]',
  soundbites             jsonb not null default '[]',              -- [{start_seconds, duration_seconds, title?}]
  content_links          jsonb not null default '[]',              -- [{href, text}]: the content elsewhere
  alternate_enclosures   jsonb not null default '[]',              -- [{type, sources: [{uri, …}], integrity?, …}]
  extra_tags             jsonb not null default '[]',
  created_at             timestamptz not null default now(),
  updated_at             timestamptz not null default now(),       -- with microseconds: identifies the row's version
  constraint slug_is_unique unique (podcast_id, slug),
  constraint title_is_1_to_255_chars check (char_length(title) <= 255 and not private.is_blank(title)),
  constraint itunes_title_is_1_to_255_chars check (
    char_length(itunes_title) <= 255 and not private.is_blank(itunes_title)),
  constraint subtitle_is_1_to_4000_chars check (char_length(subtitle) <= 4000 and not private.is_blank(subtitle)),
  constraint season_name_is_1_to_128_chars check (
    char_length(season_name) <= 128 and not private.is_blank(season_name)),
  constraint episode_display_is_1_to_32_chars check (
    char_length(episode_display) <= 32 and not private.is_blank(episode_display)),
  constraint slug_is_1_to_100_chars check (char_length(slug) between 1 and 100),
  constraint slug_is_url_safe check (slug !~ '[/?#%\s]'),
  constraint guid_is_1_to_1000_chars check (char_length(guid) between 1 and 1000),
  constraint texts_are_size_limited check (
    char_length(summary) <= 10000 and char_length(description) <= 10000 and octet_length(show_notes_html) <= 1048576),
  constraint safe_notes_are_size_limited check (octet_length(show_notes_safe_html) <= 2097152),
  constraint safe_notes_have_version check (show_notes_safe_html is null or show_notes_version is not null),
  constraint episode_and_season_numbers_are_not_negative check (season_number >= 0 and episode_number >= 0),
  constraint scheduled_has_scheduled_at check (status <> 'scheduled' or scheduled_at is not null),
  constraint published_has_publication_dates check (
    status <> 'published' or (published_at is not null and first_published_at is not null)),
  constraint audio_columns_all_or_none check (
    num_nulls(audio_url, audio_file_size_bytes, audio_content_type) in (0, 3)),
  constraint audio_size_and_duration_not_negative check (audio_file_size_bytes >= 0 and audio_duration_seconds >= 0),
  constraint audio_type_is_known check (audio_content_type = any (private.audio_types())),
  constraint episode_urls_are_http_urls check (
    (cover_image_url is null or private.is_http_url(cover_image_url))
    and (link is null or private.is_http_url(link))
    and (chapters_url is null or private.is_http_url(chapters_url))),
  constraint license_is_1_to_128_chars check (char_length(license) <= 128 and not private.is_blank(license)),
  constraint license_url_has_license check (
    license_url is null or license is not null and private.is_http_url(license_url)),
  constraint lists_are_arrays check ('array' = all (array[jsonb_typeof(funding), jsonb_typeof(texts),
    jsonb_typeof(locations), jsonb_typeof(images), jsonb_typeof(social_interactions), jsonb_typeof(value_blocks),
    jsonb_typeof(keywords), jsonb_typeof(tags), jsonb_typeof(soundbites), jsonb_typeof(content_links),
    jsonb_typeof(alternate_enclosures), jsonb_typeof(extra_tags)])),
  -- excludes dates that calendars and feeds cannot represent
  constraint dates_are_in_range check (
    published_at between '1970-01-01Z' and '9999-12-31Z' and scheduled_at between '1970-01-01Z' and '9999-12-31Z')
);
comment on table public.episodes is
  'Episodes. Members read them, admins edit them; only the service writes the audio columns.';
comment on constraint audio_columns_all_or_none on public.episodes is 'Audio must have its URL, its size and its type';
comment on constraint audio_size_and_duration_not_negative on public.episodes is
  'The size and the duration of audio must be 0 or more';
comment on constraint audio_type_is_known on public.episodes is 'The audio must be of a known type, such as audio/mpeg';
comment on constraint dates_are_in_range on public.episodes is 'The dates must be in the years 1970 to 9999';
comment on constraint episode_and_season_numbers_are_not_negative on public.episodes is
  'The season and episode numbers must be 0 or more';
comment on constraint episode_display_is_1_to_32_chars on public.episodes is
  'The episode display must have 1 to 32 characters';
comment on constraint episode_urls_are_http_urls on public.episodes is
  'The link, the cover and chapters URLs must be http or https URLs';
comment on constraint guid_is_1_to_1000_chars on public.episodes is 'The GUID must have 1 to 1,000 characters';
comment on constraint itunes_title_is_1_to_255_chars on public.episodes is
  'The iTunes title must have 1 to 255 characters';
comment on constraint license_is_1_to_128_chars on public.episodes is 'The license must have 1 to 128 characters';
comment on constraint license_url_has_license on public.episodes is
  'The license URL must be an http or https URL, beside a license';
comment on constraint lists_are_arrays on public.episodes is 'Lists must be arrays';
comment on constraint published_has_publication_dates on public.episodes is
  'A published episode must have its dates of publication';
comment on constraint safe_notes_are_size_limited on public.episodes is
  'The sanitized show notes must have at most 2 MB';
comment on constraint safe_notes_have_version on public.episodes is 'Sanitized show notes must have a version';
comment on constraint scheduled_has_scheduled_at on public.episodes is
  'A scheduled episode must have a time of publication';
comment on constraint season_name_is_1_to_128_chars on public.episodes is
  'The season name must have 1 to 128 characters';
comment on constraint slug_is_1_to_100_chars on public.episodes is 'The slug must have 1 to 100 characters';
comment on constraint slug_is_url_safe on public.episodes is 'The slug must have no white space, "/", "?", "#" or "%"';
comment on constraint subtitle_is_1_to_4000_chars on public.episodes is
  'The subtitle must have 1 to 4,000 characters';
comment on constraint texts_are_size_limited on public.episodes is
  'The summary and the description must have at most 10,000 characters, the show notes 1 MB';
comment on constraint title_is_1_to_255_chars on public.episodes is 'The title must have 1 to 255 characters';
comment on constraint slug_is_unique on public.episodes is 'Another episode of the podcast has this slug';
create index episodes_podcast_id_idx on public.episodes (podcast_id, created_at desc, id desc);
create index episodes_published_idx on public.episodes (podcast_id, published_at desc, id desc)
  where status = 'published';
create index episodes_trailers_idx on public.episodes (podcast_id, published_at desc, id desc)
  where status = 'published' and episode_type = 'trailer';
create index episodes_scheduled_idx on public.episodes (scheduled_at) where status = 'scheduled';
create index episodes_created_by_idx on public.episodes (created_by, id);
create index episodes_show_notes_idx on public.episodes (show_notes_version, podcast_id)
  where show_notes_version is not null;
-- The last index: a new table has no statistics, so that all indexes on podcast_id seem to cost the same, and the
-- planner then takes the newest. Imports look up each item by its GUID. Its name is that of the error.
create unique index guid_is_unique on public.episodes (podcast_id, guid);

-- Slugs are never reused within a podcast, not even after a change or deletion, so that old links stay correct.
create table private.episode_slugs (
  podcast_id uuid not null references public.podcasts on delete cascade,
  slug       text not null,
  episode_id uuid not null,
  primary key (podcast_id, slug)
);
comment on table private.episode_slugs is 'All slugs that the episodes of a podcast have ever had.';
create index episode_slugs_prefix_idx on private.episode_slugs (podcast_id, slug collate "C");  -- for prefixes
alter table private.episode_slugs enable row level security;
-- No policy, no grant.

-- Who
alter table public.episodes enable row level security;
create policy members_read on public.episodes for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
create policy admins_insert on public.episodes for insert to authenticated
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_update on public.episodes for update to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_delete on public.episodes for delete to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select, delete on public.episodes to authenticated;
grant insert (podcast_id, slug, title, itunes_title, subtitle, summary, description, show_notes_html, link, status,
    season_number, episode_number, episode_type, explicit, is_blocked, scheduled_at, published_at, chapters_url,
    cover_image_url, season_name, episode_display, license, license_url, funding, texts, locations, images,
    social_interactions, value_blocks, keywords, tags, soundbites, content_links, alternate_enclosures)
  on public.episodes to authenticated;
grant update (slug, title, itunes_title, subtitle, summary, description, show_notes_html, link, status,
    season_number, episode_number, episode_type, explicit, is_blocked, scheduled_at, published_at, chapters_url,
    cover_image_url, season_name, episode_display, license, license_url, funding, texts, locations, images,
    social_interactions, value_blocks, keywords, tags, soundbites, content_links, alternate_enclosures)
  on public.episodes to authenticated;
grant select, insert, update, delete on public.episodes to service_role;
-- Not granted: the audio columns (the service measures them: 42501), the sanitized notes (the worker writes them),
-- guid, origin, created_by, first_published_at, extra_tags (verbatim XML, which only an import makes well-formed), and
-- id (a public id must never belong to another episode).

create function private.require_episode_role(_episode_id uuid, _role public.podcast_role) returns uuid
language plpgsql stable security definer  -- distinguishes a missing episode from a forbidden one
set search_path = ''
as $$
declare
  podcast_id uuid;
begin
  perform private.require_user();
  select e.podcast_id into podcast_id from public.episodes e where e.id = _episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  end if;
  perform private.require_role(podcast_id, _role);
  return podcast_id;
end $$;
comment on function private.require_episode_role is
  'Requires at least this role on the episode''s podcast, and returns the podcast. PT401, PT403, PT404.';
grant execute on function private.require_episode_role to authenticated, service_role;
