-- Last step of an artwork import without a podcast, as the service: adds the object to the ledger.
create function private.finish_artwork_import(
  actor_id uuid, _path text, _bytes bigint, _content_type text, image jsonb, at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- clients may not write the ledger
set search_path = ''
as $$
begin
  perform private.lock_object_for_finish(_path, at);
  perform private.require_path_in(format('imports/%s/', actor_id), _path);
  perform private.require_stored_size(_path, _bytes);
  perform from public.billing_accounts a where a.user_id = actor_id for no key update;  -- delays its deletion
  if not found then
    raise sqlstate 'PT404' using message = 'The account no longer exists';
  end if;
  insert into private.media_objects (path, account_id, usage, bytes, content_type, width, height, created_at)
  values (_path, actor_id, 'temporary', _bytes, _content_type, (image ->> 'width')::int, (image ->> 'height')::int, at)
  on conflict on constraint media_objects_pkey do nothing;
  return jsonb_build_object(
    'path', _path, 'publicUrl', private.image_url(_path, at));
end $$;
comment on function private.finish_artwork_import is
  'Finishes an import without a podcast: charges the user and keeps the object for temporary_object_ttl_hours. Safe to '
  'repeat. PT404, PT409 allowance, PT500 size mismatch, PT503.';
grant execute on function private.finish_artwork_import to service_role;
