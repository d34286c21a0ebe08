-- Chapters: the parts of an episode's audio, by their start. The feed links to a document of them.
create function private.max_chapters() returns int
language sql immutable parallel safe security invoker set search_path = ''
return 500;
comment on function private.max_chapters is 'Returns how many chapters an episode can have.';

create table public.episode_chapters (
  id            uuid primary key default gen_random_uuid(),
  episode_id    uuid not null references public.episodes on delete cascade,
  -- Set by a trigger; the policy reads it.
  podcast_id    uuid not null default nullif('', '')::uuid references public.podcasts on delete cascade,
  start_seconds numeric not null,               -- rounded to milliseconds, as end_seconds
  end_seconds   numeric,                        -- null: the next chapter's start
  title         text,                           -- null only outside the table of contents
  url           text,                           -- a page about the chapter
  image_url     text,
  is_in_toc     boolean not null default true,  -- false: a silent chapter, which changes image, link or place only
  location      jsonb,                          -- {name, rel?, geo?, osm?, country?}
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  constraint start_unique_per_episode unique (episode_id, start_seconds),
  constraint times_are_in_range check (start_seconds >= 0 and start_seconds < 1000000 and end_seconds < 1000000),
  constraint end_is_after_start check (end_seconds > start_seconds),
  constraint title_is_1_to_128_chars check (char_length(title) <= 128 and not private.is_blank(title)),
  constraint listed_chapter_has_title check (title is not null or not is_in_toc),
  constraint urls_are_http_urls check (
    (url is null or private.is_http_url(url)) and (image_url is null or private.is_http_url(image_url))),
  constraint location_has_its_shape check (location is null or private.location_error(location) is null)
);
comment on table public.episode_chapters is
  'Chapters of an episode. Members read them; admins write them, one by one or by set_episode_chapters.';
comment on constraint end_is_after_start on public.episode_chapters is 'The end must be after the start';
comment on constraint listed_chapter_has_title on public.episode_chapters is
  'A chapter of the table of contents must have a title';
comment on constraint location_has_its_shape on public.episode_chapters is
  'The location must have a name and known fields';
comment on constraint times_are_in_range on public.episode_chapters is
  'The times must be from 0 to below 1,000,000 seconds';
comment on constraint title_is_1_to_128_chars on public.episode_chapters is 'The title must have 1 to 128 characters';
comment on constraint urls_are_http_urls on public.episode_chapters is
  'The URL and the image URL must be http or https URLs';
comment on constraint start_unique_per_episode on public.episode_chapters is
  'Another chapter of the episode starts at this time';
create index episode_chapters_podcast_id_idx on public.episode_chapters (podcast_id);

-- Who
alter table public.episode_chapters enable row level security;
create policy members_read on public.episode_chapters for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
create policy admins_insert on public.episode_chapters for insert to authenticated
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_update on public.episode_chapters for update to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_delete on public.episode_chapters for delete to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select, delete on public.episode_chapters to authenticated;
grant insert (episode_id, start_seconds, end_seconds, title, url, image_url, is_in_toc, location)
  on public.episode_chapters to authenticated;
grant update (start_seconds, end_seconds, title, url, image_url, is_in_toc, location)
  on public.episode_chapters to authenticated;
grant select, insert, update, delete on public.episode_chapters to service_role;

-- Always
create trigger t010_derive_podcast before insert or update of episode_id, podcast_id on public.episode_chapters
  for each row execute function private.derive_podcast_of_episode();
create trigger t050_guard_writer before insert on public.episode_chapters
  for each row execute function private.guard_admin_writer();

create function private.normalize_episode_chapter() returns trigger
language plpgsql security definer  -- callers may not execute fold_texts
set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  new.title := private.normalize_line(new.title);
  new.start_seconds := trim_scale(round(new.start_seconds, 3));
  new.end_seconds := trim_scale(round(new.end_seconds, 3));
  new.location := nullif(new.location, 'null');
  if new.location is not null and private.location_error(new.location) is null then  -- else a constraint rejects it
    new.location := private.fold_texts(new.location) || jsonb_strip_nulls(jsonb_build_object(
      'osm', upper(new.location ->> 'osm'), 'country', upper(new.location ->> 'country')));
  end if;
  return new;
end $$;
create trigger t100_normalize before insert or update on public.episode_chapters
  for each row execute function private.normalize_episode_chapter();

create trigger t300_guard_writable before insert or update or delete on public.episode_chapters
  for each row when (pg_trigger_depth() = 0)  -- not cascades
  execute function private.guard_writable_podcast();
create trigger t320_guard_count after insert on public.episode_chapters
  referencing new table as new_rows
  for each statement execute function private.guard_row_count('episode_id', 'private.max_chapters()',
    'An episode can have at most %s chapters; delete one first', 'EPISODE_LIST_FULL');

-- Writers of all chapters lock them: rows before the episode, as in a client's own update; the first lock makes calls
-- wait for each other.
create function private.lock_episode_chapters(_episode_id uuid) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('episode-chapters/' || _episode_id, 0));
  perform from public.episode_chapters c
  where c.episode_id = _episode_id order by c.id for update;
end $$;
comment on function private.lock_episode_chapters is
  'Locks the chapters of an episode, and other writers of all its chapters, until the transaction ends.';
grant execute on function private.lock_episode_chapters to authenticated;

create function private.insert_episode_chapters(_episode_id uuid, chapters jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  insert into public.episode_chapters
    (episode_id, start_seconds, end_seconds, title, url, image_url, is_in_toc, location)
  select _episode_id, (c ->> 'start_seconds')::numeric, (c ->> 'end_seconds')::numeric,
    c ->> 'title', c ->> 'url', c ->> 'image_url', coalesce((c ->> 'is_in_toc')::boolean, true), c -> 'location'
  from jsonb_array_elements(chapters) c;
end $$;
comment on function private.insert_episode_chapters is 'Adds the chapters of set_episode_chapters to an episode.';
grant execute on function private.insert_episode_chapters to authenticated;

create function private.chapters_base_url() returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.get_setting('public_api_url') || '/chapters';
end $$;
comment on function private.chapters_base_url is
  'Returns the URL below which the chapters of an episode are at /{episodeId}.json.';
grant execute on function private.chapters_base_url to authenticated;
