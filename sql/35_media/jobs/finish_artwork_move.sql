-- Last step of moving temporary artwork, as the service: makes the copy the podcast's image and releases the source.
create function private.finish_artwork_move(
  actor_id uuid, _source_path text, _podcast_id uuid, image_type text, _path text, at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- clients may not write the ledger or the queue
set search_path = ''
as $$
declare
  source private.media_objects;
begin
  perform private.lock_object_for_finish(_path, at);
  perform from public.podcasts p where p.id = _podcast_id for no key update;  -- before the ledger
  select * into source from private.media_objects m
  where m.path = _source_path and m.usage = 'temporary' and m.account_id = actor_id for update;
  if not found or source.released_at is not null and not exists (
    select from private.media_objects m where m.path = _path and m.released_at is null) then
    raise sqlstate 'PT404' using message = 'Artwork not found';
  end if;
  perform from public.billing_accounts a
  where a.user_id in (actor_id, (select p.owner_id from public.podcasts p where p.id = _podcast_id))
  order by a.user_id for no key update;  -- both sums change; the podcast's lock keeps transfers out
  perform private.release_media_objects(array[source.path], false, at);  -- first, so that the bytes count once
  return private.finish_image_upload(actor_id, _podcast_id, image_type, _path, source.bytes,
      source.content_type, jsonb_build_object('width', source.width, 'height', source.height), at => at)
    || jsonb_build_object('deletablePaths', array[source.path]);
end $$;
comment on function private.finish_artwork_move is
  'Finishes a move: sets the image of the podcast to the copy and releases the source. Safe to repeat. PT404 if the '
  'source no longer exists; else as finish_image_upload.';
grant execute on function private.finish_artwork_move to service_role;
