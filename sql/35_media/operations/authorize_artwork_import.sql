-- First step of an artwork import, before the fetch: checks the caller and the rate limit, and returns what to accept.
create function public.authorize_artwork_import(image_type text default 'cover', podcast_id uuid default null)
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  spec private.image_types;
begin
  perform private.require_user();
  spec := private.importable_image_spec(authorize_artwork_import.image_type);
  if authorize_artwork_import.podcast_id is not null then
    perform private.require_image_target(authorize_artwork_import.podcast_id, spec.name, null);
  else
    perform private.require_account();
  end if;
  perform private.consume_rate_limit('artwork_imports:' || auth.uid(),
    private.get_setting('max_artwork_imports_per_hour')::int, interval '1 hour');
  return jsonb_build_object('maxBytes', spec.max_bytes, 'formats', to_jsonb(spec.formats));
end $$;
comment on function public.authorize_artwork_import is
  'POST /api/media/import-artwork, before the fetch: {maxBytes, formats}. 400 image type; with a podcast 403, 404, '
  '409, without one 403 ACCOUNT_REQUIRED; 429 over the rate limit.';
grant execute on function public.authorize_artwork_import to authenticated;
