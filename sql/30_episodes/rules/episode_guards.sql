-- Guards and derived values of episodes.
-- Always
create trigger t050_guard_writer before insert on public.episodes
  for each row execute function private.guard_admin_writer();

create function private.next_slug_number(_podcast_id uuid, base_slug text, _episode_id uuid) returns int
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return substr(private.next_available_slug(base_slug, base_slug || array(
      select s.slug from private.episode_slugs s
      where s.podcast_id = _podcast_id and s.episode_id <> _episode_id
        and s.slug collate "C" > base_slug || '-' and s.slug collate "C" < base_slug || '.')),  -- '.' sorts after '-'
    length(base_slug) + 2);
end $$;
comment on function private.next_slug_number is
  'Returns the first number from 2 such that no other episode of the podcast ever had the slug base_slug-number.';

create function private.normalize_episode() returns trigger
language plpgsql security definer  -- callers may not write private.episode_slugs
set search_path = ''
as $$
declare
  last_numbered constant text := current_setting('castbase.last_numbered_slug', true);
  base_slug     text;
  new_slug      text;
  numbered      text;
  number        int;
  is_further    boolean;
begin
  new.updated_at := clock_timestamp();
  new.title := private.normalize_line(new.title);
  new.itunes_title := private.normalize_line(new.itunes_title);
  new.subtitle := private.normalize_line(new.subtitle);
  new.season_name := private.normalize_line(new.season_name);
  new.episode_display := private.normalize_line(new.episode_display);
  new.license := private.normalize_line(new.license);
  if tg_op = 'INSERT' then
    new.guid := coalesce(new.guid, new.id::text);
  end if;
  if tg_op = 'INSERT' or new.slug is distinct from old.slug then
    base_slug := private.slugify(coalesce(new.slug, new.title), case when new.slug is null then 'episode' end);
    if base_slug is null or (new.slug is not null and base_slug = 'latest') then
      raise sqlstate 'PT400' using message = 'A slug must contain at least one letter or digit and cannot be "latest"';
    end if;
    -- Many episodes can have one title. Only the first of a transaction looks for taken numbers; the others continue
    -- after its number, because slugs are never free again.
    numbered := format('%s/%s/', new.podcast_id, base_slug);
    is_further := tg_op = 'INSERT' and new.slug is null and starts_with(last_numbered, numbered) is true;
    number := case when is_further then substr(last_numbered, length(numbered) + 1)::int + 1 else 1 end;
    loop
      new_slug := base_slug || case when number > 1 then '-' || number else '' end;
      -- The insert also tells whether the slug is free, even if another transaction reserves it meanwhile. A query can
      -- get a plan, while there are few slugs, that reads them all.
      insert into private.episode_slugs as s (podcast_id, slug, episode_id)
      select new.podcast_id, new_slug, new.id where new_slug <> 'latest'  -- /episodes/latest is a route
      on conflict (podcast_id, slug) do update set episode_id = s.episode_id where s.episode_id = excluded.episode_id;
      exit when found;
      if new.slug is not null then
        raise sqlstate 'PT409' using message = format('Slug %L is already in use (or was used before)', new_slug),
          hint = 'SLUG_TAKEN';
      end if;
      number := case when is_further then number + 1
        else private.next_slug_number(new.podcast_id, base_slug, new.id) end;
    end loop;
    if tg_op = 'INSERT' and number > 1 then
      perform set_config('castbase.last_numbered_slug', numbered || number, true);
    end if;
    new.slug := new_slug;
  end if;
  return new;
end $$;
create trigger t100_normalize before insert or update on public.episodes
  for each row execute function private.normalize_episode();

create trigger t300_guard_writable before insert or delete on public.episodes
  for each row when (pg_trigger_depth() = 0) execute function private.guard_writable_podcast();  -- not cascades
-- Allows the worker to store sanitized notes, because a new allow-list also applies to podcasts pending deletion.
create trigger t300_guard_writable_update before update on public.episodes
  for each row when (pg_trigger_depth() = 0 and new.show_notes_version is not distinct from old.show_notes_version)
  execute function private.guard_writable_podcast();

create function private.guard_episode() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    if new.guid is distinct from old.guid then
      raise sqlstate 'PT409' using message = 'An episode''s GUID cannot be changed', hint = 'GUID_IMMUTABLE';
    end if;
    if new.podcast_id is distinct from old.podcast_id then
      raise sqlstate 'PT409' using message = 'An episode cannot be moved to another podcast';
    end if;
    if new.slug is distinct from old.slug and old.first_published_at is not null then
      raise sqlstate 'PT409' using message = 'The slug cannot be changed after the episode has been published',
        hint = 'SLUG_IMMUTABLE';
    end if;
    if old.first_published_at is not null and new.first_published_at is distinct from old.first_published_at then
      raise sqlstate 'PT409' using message = 'first_published_at cannot be changed';
    end if;
  end if;
  if new.published_at > now() and current_user in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT400' using message = 'published_at cannot be in the future; schedule the episode instead';
  end if;
  return new;
end $$;
create trigger t310_guard before insert or update on public.episodes
  for each row execute function private.guard_episode();

create trigger t330_guard_feed_values before insert or update of funding, texts, locations, images, social_interactions,
    value_blocks, keywords, tags, soundbites, content_links, alternate_enclosures, extra_tags on public.episodes
  for each row when ('[]' <> any (array[new.funding, new.texts, new.locations, new.images, new.social_interactions,
    new.value_blocks, new.keywords, new.tags, new.soundbites, new.content_links, new.alternate_enclosures,
    new.extra_tags]))
  execute function private.guard_feed_values();

-- The column grants already reject the write (42501); the trigger adds a message, and holds if a grant is too wide.
create function private.guard_audio_columns() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if current_user in ('anon', 'authenticated')
     and (new.audio_url, new.audio_file_size_bytes, new.audio_content_type, new.audio_duration_seconds,
         new.audio_has_seek_table)
       is distinct from (old.audio_url, old.audio_file_size_bytes, old.audio_content_type, old.audio_duration_seconds,
         old.audio_has_seek_table)
  then
    raise sqlstate '42501' using message = 'Audio columns are read-only; upload audio to change them';
  end if;
  return new;
end $$;
create trigger t320_guard_audio_columns before insert or update on public.episodes
  for each row execute function private.guard_audio_columns();

create function private.derive_episode_status() returns trigger
language plpgsql security definer  -- reads the podcast independent of the caller's policies
set search_path = ''
as $$
declare
  status_changed boolean := tg_op = 'INSERT' or new.status is distinct from old.status;
begin
  if new.status in ('published', 'scheduled') and new.audio_url is null
     and (select p.hosting_type from public.podcasts p where p.id = new.podcast_id) = 'native' then
    raise sqlstate 'PT428' using
      message = 'Upload audio before publishing or scheduling this episode', hint = 'AUDIO_REQUIRED';
  end if;
  if new.status = 'scheduled' then
    if new.scheduled_at is null
       or ((status_changed or new.scheduled_at is distinct from old.scheduled_at) and new.scheduled_at <= now()) then
      raise sqlstate 'PT400' using message = 'scheduled_at must be in the future';
    end if;
  else
    new.scheduled_at := null;
  end if;
  if new.status = 'published' then
    new.published_at := coalesce(new.published_at, now());
    new.first_published_at := coalesce(new.first_published_at, now());
  end if;
  return new;
end $$;
create trigger t500_derive_status before insert or update on public.episodes
  for each row execute function private.derive_episode_status();
