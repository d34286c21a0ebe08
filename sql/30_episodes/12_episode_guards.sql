-- What holds for every episode, whoever writes it.
-- Always
-- Row level security refuses a stranger's insert only after these triggers, whose refusals would tell of the podcast.
create function private.guard_episode_writer() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if current_user = 'authenticated' and new.podcast_id <> all (private.my_podcasts('admin')) then
    raise sqlstate '42501' using message = 'This needs an admin or the owner of the podcast';
  end if;
  return new;
end $$;
create trigger t050_guard_writer before insert on public.episodes
  for each row execute function private.guard_episode_writer();

create function private.normalize_episode() returns trigger
language plpgsql security definer  -- the slug ledger is not the caller's
set search_path = ''
as $$
declare
  wanted text;
  holder uuid;
begin
  new.updated_at := clock_timestamp();
  new.title := private.normalize_line(new.title);
  new.itunes_title := private.normalize_line(new.itunes_title);
  if tg_op = 'INSERT' then
    new.guid := coalesce(new.guid, new.id::text);
  end if;
  if tg_op = 'INSERT' or new.slug is distinct from old.slug then
    perform pg_advisory_xact_lock(hashtextextended('episode-slug/' || new.podcast_id, 0));
    wanted := private.slugify(coalesce(new.slug, new.title), case when new.slug is null then 'episode' end);
    if wanted is null or (new.slug is not null and wanted = 'latest') then
      raise sqlstate 'PT400' using message = 'A slug needs at least one letter or digit, and is not "latest"';
    end if;
    if new.slug is null then
      wanted := private.next_available_slug(wanted, 'latest'::text || array(  -- /episodes/latest is a route
        select s.slug from private.episode_slugs s
        where s.podcast_id = new.podcast_id and s.episode_id <> new.id
          and (s.slug = wanted  -- the point follows the hyphen
            or (s.slug collate "C" > wanted || '-' and s.slug collate "C" < wanted || '.'))));
    end if;
    new.slug := wanted;
    insert into private.episode_slugs as s (podcast_id, slug, episode_id) values (new.podcast_id, wanted, new.id)
    on conflict (podcast_id, slug) do update set episode_id = s.episode_id returning s.episode_id into holder;
    if holder <> new.id then
      raise sqlstate 'PT409' using message = format('The slug %L is taken', wanted), hint = 'SLUG_TAKEN';
    end if;
  end if;
  return new;
end $$;
create trigger t100_normalize before insert or update on public.episodes
  for each row execute function private.normalize_episode();

create trigger t300_guard_writable before insert or delete on public.episodes
  for each row when (pg_trigger_depth() = 0) execute function private.guard_writable_podcast();  -- cascades pass
-- Not when the worker stores sanitized notes: the feed of a podcast pending deletion is served, so a new allow-list applies to it.
create trigger t300_guard_writable_update before update on public.episodes
  for each row when (pg_trigger_depth() = 0 and new.show_notes_version is not distinct from old.show_notes_version)
  execute function private.guard_writable_podcast();

create function private.guard_episode() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  entry jsonb;
begin
  if tg_op = 'UPDATE' then
    if new.guid is distinct from old.guid then
      raise sqlstate 'PT409' using message = 'The GUID of an episode never changes', hint = 'GUID_IMMUTABLE';
    end if;
    if new.podcast_id is distinct from old.podcast_id then
      raise sqlstate 'PT409' using message = 'An episode stays on its podcast';
    end if;
    if new.slug is distinct from old.slug and old.first_published_at is not null then
      raise sqlstate 'PT409' using message = 'The slug is fixed once the episode has been published', hint = 'SLUG_IMMUTABLE';
    end if;
    if old.first_published_at is not null and new.first_published_at is distinct from old.first_published_at then
      raise sqlstate 'PT409' using message = 'The first publication is set once';
    end if;
  end if;
  if new.published_at > now() and current_user in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT400' using message = 'published_at must not be in the future; schedule the episode instead';
  end if;
  for entry in select value from jsonb_array_elements(case jsonb_typeof(new.transcripts) when 'array' then new.transcripts end) loop
    if not coalesce(private.is_http_url(entry ->> 'url'), false) or coalesce(entry ->> 'type', '') !~ '^[a-z]+/[a-z0-9.+-]+$' then
      raise sqlstate 'PT400' using message = 'A transcript needs a url (http or https) and a MIME type';
    end if;
    if entry ->> 'language' is not null and not private.is_language_tag(entry ->> 'language') then
      raise sqlstate 'PT400' using message = 'The language of a transcript must be a BCP 47 tag, for example en or de-AT';
    end if;
    if coalesce(entry ->> 'rel', 'captions') <> 'captions' then
      raise sqlstate 'PT400' using message = 'The rel of a transcript must be captions, or absent';
    end if;
  end loop;
  return new;
end $$;
create trigger t310_guard before insert or update on public.episodes
  for each row execute function private.guard_episode();

-- The column grants already answer 42501; this says it in words, and stands if a grant is ever too wide.
create function private.guard_audio_columns() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if current_user in ('anon', 'authenticated')
     and (new.audio_url, new.audio_file_size_bytes, new.audio_content_type, new.audio_duration_seconds)
       is distinct from (old.audio_url, old.audio_file_size_bytes, old.audio_content_type, old.audio_duration_seconds) then
    raise sqlstate '42501' using message = 'The audio columns are written by the upload, not by clients';
  end if;
  return new;
end $$;
create trigger t320_guard_audio_columns before insert or update on public.episodes
  for each row execute function private.guard_audio_columns();

create function private.derive_episode_status() returns trigger
language plpgsql security definer  -- asks the podcast's hosting type whatever the caller's policies
set search_path = ''
as $$
declare
  becomes boolean := tg_op = 'INSERT' or new.status is distinct from old.status;
begin
  if new.status in ('published', 'scheduled') and new.audio_url is null
     and (select p.hosting_type from public.podcasts p where p.id = new.podcast_id) = 'native' then
    raise sqlstate 'PT428' using
      message = 'Upload audio before this episode is published or scheduled', hint = 'AUDIO_REQUIRED';
  end if;
  if new.status = 'scheduled' then
    if new.scheduled_at is null or ((becomes or new.scheduled_at is distinct from old.scheduled_at) and new.scheduled_at <= now()) then
      raise sqlstate 'PT400' using message = 'scheduled_at must be a time in the future';
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
