-- Deletes an image of a podcast: clears the column and deletes every object of that image at once.
create function private.delete_podcast_image(_podcast_id uuid, image_type text) returns text[]
language plpgsql volatile security definer  -- clients may not read the ledger or write the queue
set search_path = ''
as $$
declare
  paths text[];
begin
  perform private.require_role(_podcast_id, 'admin');
  perform private.set_podcast_image_url(_podcast_id, image_type, null);
  paths := array(
    select m.path from private.media_objects m
    where m.target_id = _podcast_id and m.usage = image_type order by m.path);
  perform private.enqueue_object_deletion(paths);
  return paths;
end $$;
grant execute on function private.delete_podcast_image to authenticated;

create function public.delete_podcast_image(podcast_id uuid, image_type text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  paths text[];
begin
  perform private.require_user();
  perform private.importable_image_spec(delete_podcast_image.image_type);  -- the podcast types; not episode covers
  perform private.require_image_target(delete_podcast_image.podcast_id, delete_podcast_image.image_type, null);
  paths := private.delete_podcast_image(delete_podcast_image.podcast_id, delete_podcast_image.image_type);
  return jsonb_build_object('deletedCount', cardinality(paths), 'paths', to_jsonb(paths));
end $$;
comment on function public.delete_podcast_image is
  'DELETE /api/media/image/{podcastId}/{imageType}: clears the column and enqueues the deletion of every object of the '
  'image, replaced ones included; deletedCount 0 if there is none. Requires admin. 400 image type, 403, 404, 409.';
grant execute on function public.delete_podcast_image to authenticated;
