-- Takes an image of a podcast away: the column is cleared, and every object of that image goes at once.
create function private.drop_podcast_image(podcast_id uuid, image_type text) returns text[]
language plpgsql volatile security definer  -- the ledger and the queue are not the caller's
set search_path = ''
as $$
declare
  paths text[];
begin
  perform private.require_role(drop_podcast_image.podcast_id, 'admin');
  case image_type
    when 'cover' then update public.podcasts p set cover_image_url = null where p.id = drop_podcast_image.podcast_id;
    when 'header' then update public.podcasts p set header_image_url = null where p.id = drop_podcast_image.podcast_id;
    when 'banner' then update public.podcasts p set banner_image_url = null where p.id = drop_podcast_image.podcast_id;
    when 'profile' then update public.podcasts p set profile_image_url = null where p.id = drop_podcast_image.podcast_id;
    else raise sqlstate 'PT400' using message = 'Invalid image type', detail = 'One of: banner, cover, header, profile';
  end case;
  paths := array(
    select m.path from private.media_objects m
    where m.podcast_id = drop_podcast_image.podcast_id and m.episode_id is null and m.purpose = image_type order by m.path);
  perform private.collect_objects(paths);
  return paths;
end $$;
comment on function private.drop_podcast_image is 'delete_podcast_image''s half behind the grants; the paths that are to be deleted.';
revoke all on function private.drop_podcast_image from public, anon, authenticated, service_role;
grant execute on function private.drop_podcast_image to authenticated;  -- checks the role itself

create function public.delete_podcast_image(podcast_id uuid, image_type text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  paths text[];
begin
  perform private.require_open_podcast(delete_podcast_image.podcast_id);
  paths := private.drop_podcast_image(delete_podcast_image.podcast_id, delete_podcast_image.image_type);
  return jsonb_build_object('deletedCount', cardinality(paths), 'paths', to_jsonb(paths));
end $$;
comment on function public.delete_podcast_image is
  'DELETE /api/media/image/{podcastId}/{imageType}: clears the column and queues every object of the image, also replaced ones; none is 200 with 0. Needs admin+. 400 image type, 403, 404, 409.';
revoke all on function public.delete_podcast_image from public, anon, authenticated, service_role;
grant execute on function public.delete_podcast_image to authenticated;
