-- Artwork from the web, in three steps: who may and how much (before anything is fetched), whether what came may stay
-- and where, and its entry in the ledger.
create function private.importable_image_spec(image_type text) returns private.image_types
language plpgsql stable security invoker set search_path = ''
as $$
declare
  type private.image_types := private.image_spec(importable_image_spec.image_type);
begin
  if not type.is_importable then
    raise sqlstate 'PT400' using message = 'Invalid image type', detail = format('%s images are uploaded, not imported', type.name);
  end if;
  return type;
end $$;
comment on function private.importable_image_spec is 'The specification of an image type that is imported; PT400 otherwise.';
grant execute on function private.importable_image_spec to authenticated;

create function public.authorize_artwork_import(image_type text default 'cover', podcast_id uuid default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  type private.image_types := private.importable_image_spec(authorize_artwork_import.image_type);
begin
  if authorize_artwork_import.podcast_id is not null then
    perform private.require_image_target(authorize_artwork_import.podcast_id, type.name, null);
  end if;
  perform private.consume_rate_limit('artwork_import:' || auth.uid(), private.setting('max_artwork_imports_per_hour')::int, interval '1 hour');
  return jsonb_build_object('maxBytes', type.max_bytes, 'formats', to_jsonb(type.formats));
end $$;
comment on function public.authorize_artwork_import is
  'POST /api/media/import-artwork, before the fetch: what may be fetched. 400 image type, with a podcast 403, 404, 409, 429 too often.';
grant execute on function public.authorize_artwork_import to authenticated;

create function public.begin_artwork_import(
  content_type text, bytes bigint, image jsonb default null, image_type text default 'cover', podcast_id uuid default null
) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  type private.image_types := private.importable_image_spec(begin_artwork_import.image_type);
begin
  if begin_artwork_import.podcast_id is not null then
    perform private.require_image_target(begin_artwork_import.podcast_id, type.name, null);
  end if;
  perform private.validate_image(type, begin_artwork_import.content_type, begin_artwork_import.bytes, image, 0.05);
  perform private.require_allowance(begin_artwork_import.podcast_id, null,
    case when begin_artwork_import.podcast_id is null then 'temporary' else type.name end, begin_artwork_import.bytes);
  return jsonb_build_object('path', case when begin_artwork_import.podcast_id is null
    then format('imports/%s/%s.%s', auth.uid(), gen_random_uuid(), private.image_extension(begin_artwork_import.content_type))
    else private.image_path(begin_artwork_import.podcast_id, type.name, null, gen_random_uuid(), begin_artwork_import.content_type) end);
end $$;
comment on function public.begin_artwork_import is
  'POST /api/media/import-artwork, after the fetch: checks what came (ratio within 5 %) and names its key. 400 type, size, dimensions or ratio, 403, 404, 409 allowance.';
grant execute on function public.begin_artwork_import to authenticated;

create function private.finish_artwork_import(actor uuid, path text, bytes bigint, content_type text, image jsonb) returns jsonb
language plpgsql volatile security definer  -- writes the ledger
set search_path = ''
as $$
begin
  perform private.lock_object_for_finish(finish_artwork_import.path);
  if not starts_with(finish_artwork_import.path, format('imports/%s/', actor)) then
    raise sqlstate 'PT500' using message = 'The object lies outside its place';
  end if;
  perform private.require_stored_size(finish_artwork_import.path, finish_artwork_import.bytes);
  perform from public.billing_accounts a where a.user_id = actor for no key update;  -- the user stays until this ends
  if not found then
    raise sqlstate 'PT404' using message = 'The account is gone';
  end if;
  insert into private.media_objects (path, account_id, usage, bytes, content_type, width, height)
  values (finish_artwork_import.path, actor, 'temporary', finish_artwork_import.bytes, finish_artwork_import.content_type,
    (image ->> 'width')::int, (image ->> 'height')::int)
  on conflict on constraint media_objects_pkey do nothing;
  return jsonb_build_object('path', finish_artwork_import.path, 'publicUrl', private.image_url(finish_artwork_import.path));
end $$;
comment on function private.finish_artwork_import is
  'Ends an import without a podcast: charged to the user, kept for temporary_object_ttl_hours. Safe to repeat. PT500 size mismatch, PT409 allowance.';
grant execute on function private.finish_artwork_import to service_role;
