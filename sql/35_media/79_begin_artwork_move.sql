-- Imported artwork finds its podcast: copied under the podcast, then the source goes. The target's key is the source's
-- own name, so that a repetition finds what the first try left.
create function private.temporary_artwork(source_path text) returns private.media_objects
language plpgsql stable security definer  -- the ledger is not the caller's
set search_path = ''
as $$
declare
  source private.media_objects;
begin
  if source_path ~ '^imports/[0-9a-f-]{36}/[0-9a-f-]{36}\.(jpg|png|webp)$' is not true then
    raise sqlstate 'PT404' using message = 'Artwork not found';  -- not even one that was moved: there the name alone counts
  elsif not starts_with(source_path, format('imports/%s/', auth.uid())) then
    raise sqlstate 'PT403' using message = 'This artwork was imported by someone else';
  end if;
  select * into source from private.media_objects m
  where m.path = source_path and m.usage = 'temporary' and m.account_id = auth.uid() and m.released_at is null;
  return source;
end $$;
comment on function private.temporary_artwork is 'A live import of the caller''s, null when there is none (any more); PT404 for what is no import''s path, PT403 for someone else''s.';
grant execute on function private.temporary_artwork to authenticated;  -- shows the caller's own only

create function private.current_image_url(podcast_id uuid, image_type text, path text) returns text
language plpgsql stable security definer  -- the ledger is not the caller's
set search_path = ''
as $$
begin
  perform private.require_role(current_image_url.podcast_id, 'admin');
  return (
    select private.podcast_image_url(p, image_type) from public.podcasts p join private.media_objects m on m.target_id = p.id
    where p.id = current_image_url.podcast_id and m.path = current_image_url.path and m.released_at is null);
end $$;
comment on function private.current_image_url is 'The address of this object, when it is the podcast''s image now; null otherwise. Admin+ only.';
grant execute on function private.current_image_url to authenticated;  -- checks the role itself

create function public.begin_artwork_move(source_path text, podcast_id uuid, image_type text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  type   private.image_types := private.importable_image_spec(begin_artwork_move.image_type);
  source private.media_objects;
  path   text;
  url    text;
begin
  perform private.require_image_target(begin_artwork_move.podcast_id, type.name, null);
  source := private.temporary_artwork(begin_artwork_move.source_path);
  path := format('podcasts/%s/images/%s/%s', begin_artwork_move.podcast_id, type.name, substring(begin_artwork_move.source_path from '[^/]+$'));
  if source.path is null then
    url := private.current_image_url(begin_artwork_move.podcast_id, type.name, path);
    if url is not null then
      return jsonb_build_object('path', path, 'publicUrl', url, 'alreadyMoved', true);
    end if;
    raise sqlstate 'PT404' using message = 'Artwork not found';
  end if;
  perform private.validate_image(type, source.content_type, source.bytes,
    jsonb_build_object('type', source.content_type, 'width', source.width, 'height', source.height), 0.05);
  return jsonb_build_object('path', path, 'contentType', source.content_type, 'alreadyMoved', false);
end $$;
comment on function public.begin_artwork_move is
  'POST /api/media/move-artwork, before the copy: the permanent key. 400 image type, or an image that does not fit it, 403, 404 no such import, 409.';
grant execute on function public.begin_artwork_move to authenticated;

create function private.finish_artwork_move(actor uuid, source_path text, podcast_id uuid, image_type text, path text) returns jsonb
language plpgsql volatile security definer  -- writes the ledger and the queue
set search_path = ''
as $$
declare
  source private.media_objects;
begin
  perform private.lock_object_for_finish(finish_artwork_move.path);
  perform from public.podcasts p where p.id = finish_artwork_move.podcast_id for no key update;  -- before the ledger
  select * into source from private.media_objects m
  where m.path = finish_artwork_move.source_path and m.usage = 'temporary' and m.account_id = actor for update;
  if not found or source.released_at is not null and not exists (
    select from private.media_objects m where m.path = finish_artwork_move.path and m.released_at is null) then
    raise sqlstate 'PT404' using message = 'Artwork not found';
  end if;
  perform from public.billing_accounts a
  where a.user_id in (actor, (select p.owner_id from public.podcasts p where p.id = finish_artwork_move.podcast_id))
  order by a.user_id for no key update;  -- both sums change: in a transfer's order, whom the podcast's lock keeps away
  perform private.release_media_objects(array[source.path], false);  -- first, so that the bytes count once
  return private.finish_image_upload(actor, finish_artwork_move.podcast_id, image_type, null, finish_artwork_move.path, source.bytes,
    source.content_type, jsonb_build_object('width', source.width, 'height', source.height)) || jsonb_build_object('deletablePaths', array[source.path]);
end $$;
comment on function private.finish_artwork_move is
  'Ends a move: the copy becomes the podcast''s image, the source is released. Safe to repeat. PT404 the source is gone, else as finish_image_upload.';
grant execute on function private.finish_artwork_move to service_role;
