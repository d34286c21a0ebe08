-- Pictures of a file's chapters, as the service: each is stored like an uploaded image of a chapter before the end of
-- the probe writes its URL into a chapter.
create function private.begin_chapter_picture(_episode_id uuid, _audio_path text, _bytes bigint, image jsonb)
returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  episode public.episodes;
  owner   uuid;
begin
  select e.* into episode from public.episodes e where e.id = _episode_id;
  if not private.is_audio_probe_due(episode.id, _audio_path)
     or not private.takes_chapters_of_file(episode) then
    return null;
  end if;
  perform private.validate_image(private.image_spec('chapter'), image ->> 'type', _bytes, image, 0);
  select p.owner_id into owner from public.podcasts p where p.id = episode.podcast_id;
  if private.account_used_bytes(owner) + _bytes > private.storage_allowance_bytes(owner) then
    return null;
  end if;
  return private.image_path(episode.podcast_id, 'chapter', episode.id, gen_random_uuid(), image ->> 'type');
exception when sqlstate 'PT400' then  -- of validate_image
  return null;
end $$;
grant execute on function private.begin_chapter_picture to service_role;
comment on function private.begin_chapter_picture is
  'The path at which to store a picture {type, width, height} of a chapter, or null to leave it out: it does not meet '
  'the limits of a chapter''s image, exceeds the allowance, or is of audio whose chapters the episode does not take.';

create function private.finish_chapter_picture(
  _episode_id uuid, _path text, _bytes bigint, image jsonb, at timestamptz default clock_timestamp()) returns text
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast_id constant uuid := (
    select e.podcast_id from public.episodes e where e.id = _episode_id);
begin
  perform private.lock_for_finish(podcast_id, _episode_id, _path, at);
  perform private.require_stored_size(_path, _bytes);
  perform private.require_path_in(private.image_folder(podcast_id, 'chapter', _episode_id), _path);
  return coalesce((
    select private.image_url(m.path, m.created_at) from private.media_objects m
    where m.path = _path), private.set_image(podcast_id, 'chapter', _episode_id, _path,
      _bytes, image ->> 'type', image, at));
end $$;
grant execute on function private.finish_chapter_picture to service_role;
comment on function private.finish_chapter_picture is
  'Charges a stored picture of a chapter and returns its URL. Safe to repeat. PT404, PT409 over the allowance or when '
  'the podcast is pending deletion, PT500, PT503.';

create function private.release_chapter_pictures(_paths text[], at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.release_media_objects(array_agg(m.path), false, at)
  from private.media_objects m
  where m.path = any (_paths) and m.usage = 'chapter' and m.released_at is null
    and not private.is_object_referenced(m.path)
  having count(*) > 0;
end $$;
grant execute on function private.release_chapter_pictures to service_role;
comment on function private.release_chapter_pictures is
  'Releases the pictures among these that no chapter has, so that they are deleted before the sweep finds them.';
