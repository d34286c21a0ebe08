-- Writes what an audio probe found, as the service, unless the audio was replaced or the podcaster was faster.
create function private.insert_chapters_of_file(_episode_id uuid, chapters jsonb, max_start_seconds numeric)
returns uuid[]
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  ids uuid[];
begin
  with found as (
    select distinct on (c.start_seconds) c.start_seconds, c.end_seconds, c.title, c.is_in_toc,
      case when private.is_http_url(c.url) then c.url end as url, c.image_url
    from (
      select trim_scale(round((f ->> 'start')::numeric, 3)) as start_seconds,
        trim_scale(round((f ->> 'end')::numeric, 3)) as end_seconds, f ->> 'url' as url,
        f ->> 'imageUrl' as image_url,
        private.normalize_line(left(private.normalize_line(f ->> 'title'), 128)) as title,
        coalesce((f ->> 'isInToc')::boolean, true) as is_in_toc
      from jsonb_array_elements(chapters) f
    ) c
    where c.start_seconds >= 0 and c.start_seconds < coalesce(max_start_seconds, 1000000)
    order by c.start_seconds, c.title nulls last
  ), usable as (
    select f.start_seconds, f.end_seconds, f.url, f.image_url, t.title,
      f.is_in_toc and t.title is not null as is_in_toc,
      lead(f.start_seconds) over (order by f.start_seconds) as next_start_seconds
    from found f cross join lateral (select case when not private.is_blank(f.title) then f.title end as title) t
    where coalesce(t.title, f.url, f.image_url) is not null
    order by f.start_seconds limit private.max_chapters()
  ), inserted as (
    insert into public.episode_chapters (episode_id, start_seconds, end_seconds, title, url, image_url, is_in_toc)
    select _episode_id, u.start_seconds,
      -- most files end a chapter where the next begins, which is the default
      case when u.end_seconds > u.start_seconds and u.end_seconds < coalesce(u.next_start_seconds, 1000000)
        then u.end_seconds end,
      u.title, u.url, u.image_url, u.is_in_toc
    from usable u order by u.start_seconds
    on conflict on constraint start_unique_per_episode do nothing  -- the podcaster's chapter is being inserted
    returning id
  )
  select array_agg(i.id) into ids from inserted i;
  return coalesce(ids, '{}');
end $$;
comment on function private.insert_chapters_of_file is
  'Inserts the first max_chapters of chapters {start, end?, title?, url?, imageUrl?, isInToc?} that were read from a '
  'file, without those that start at max_start_seconds or later, and returns their ids. Leaves out what the table '
  'rejects.';

-- Chapters are written before the episode is locked, as clients write them, so that neither waits for the other's lock.
create function private.finish_audio_probe(
  _episode_id uuid, _path text, duration_seconds numeric default null, chapters jsonb default '[]',
  _has_seek_table boolean default null
) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  episode public.episodes;
  ids     uuid[] := '{}';
  seconds int := case when duration_seconds > 0 and duration_seconds < 1000000
    then greatest(1, round(duration_seconds)) end;
begin
  perform pg_advisory_xact_lock(hashtextextended('episode-chapters/' || _episode_id, 0));
  if not private.is_audio_probe_due(_episode_id, _path) then
    return false;
  end if;
  select e.* into episode from public.episodes e join public.podcasts p on p.id = e.podcast_id
  where e.id = _episode_id and p.status <> 'pending_deletion';
  if not found then
    return false;
  end if;
  if private.takes_chapters_of_file(episode) then
    ids := private.insert_chapters_of_file(episode.id, chapters, duration_seconds);
  end if;

  select * into episode from public.episodes e where e.id = _episode_id for no key update;
  if private.own_object_path(episode.audio_url) is distinct from _path
     or episode.chapters_url is not null
     or exists (select from public.episode_chapters c where c.episode_id = episode.id and c.id <> all (ids)) then
    delete from public.episode_chapters c where c.id = any (ids);  -- written meanwhile: those stay alone
  end if;
  update public.episodes e set
    -- browsers guess the duration of a variable bitrate without a table, and front ends declare it; the probe counts
    -- the frames of such a file up to this size (functions/media/audio_probe/mp3.ts), and wins once
    audio_duration_seconds = case
      when not _has_seek_table and e.audio_has_seek_table is null and e.audio_file_size_bytes <= 67108864
        then coalesce(seconds, e.audio_duration_seconds)
      else coalesce(e.audio_duration_seconds, seconds) end,
    audio_has_seek_table = coalesce(_has_seek_table, e.audio_has_seek_table)
  where e.id = episode.id and private.own_object_path(e.audio_url) = _path
    and (e.audio_duration_seconds is null and seconds is not null
      or _has_seek_table is distinct from e.audio_has_seek_table and _has_seek_table is not null);
  return true;
end $$;
grant execute on function private.finish_audio_probe to service_role;
comment on function private.finish_audio_probe is
  'Sets whether the file of an episode has a seek table (null: unknown), the duration if there is none or a file of up '
  'to 64 MB proves to have no table, and adds the chapters of the file if the episode has neither chapters nor '
  'chapters_url. False, without a change, if nothing is due any longer: the audio was replaced, or the podcast is '
  'pending deletion. Safe to repeat.';
