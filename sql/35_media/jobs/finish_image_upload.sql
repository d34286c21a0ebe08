-- Last step of an image upload, as the service: makes the stored object the image, or changes nothing. The last upload
-- wins.
create function private.finish_image_upload(
  actor_id uuid, _podcast_id uuid, image_type text, _path text, _bytes bigint, _content_type text,
  image jsonb default null, _episode_id uuid default null, at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- clients may not write the ledger or the queue
set search_path = ''
as $$
declare
  url       text;
  replaced  text[];
  is_repeat boolean;
begin
  perform private.lock_and_authorize_finish(actor_id, _podcast_id, _episode_id, _path, _bytes, at);
  perform private.require_path_in(private.image_folder(_podcast_id, image_type, _episode_id), _path);
  is_repeat := exists (select from private.media_objects m where m.path = _path);
  if is_repeat then
    select case image_type
      when 'episode_cover'
      then (select e.cover_image_url from public.episodes e where e.id = _episode_id)
      when 'chapter'
      then private.image_url(_path, (
        select m.created_at from private.media_objects m where m.path = _path))
      else private.podcast_image_url(p, image_type) end into url
    from public.podcasts p where p.id = _podcast_id;
  else
    select array_agg(m.path) into replaced from private.media_objects m
    where m.target_id = coalesce(_episode_id, _podcast_id)
      and m.usage = image_type and m.released_at is null;
    url := private.set_image(_podcast_id, image_type, _episode_id, _path, _bytes, _content_type, image, at);
  end if;
  return jsonb_build_object('path', _path, 'publicUrl', url, 'deletablePaths',
    case when image_type = 'episode_cover' then coalesce(to_jsonb(replaced), '[]') else '[]' end);
end $$;
comment on function private.finish_image_upload is
  'Finishes an image upload: sets the column of the podcast or episode and releases the previous object; the client '
  'writes the URL of an image of type chapter into a chapter. deletablePaths: objects to delete at once. Safe to '
  'repeat. PT403, PT404, PT409 allowance, PT500, PT503.';
grant execute on function private.finish_image_upload to service_role;
