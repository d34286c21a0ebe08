-- A podcast, for strangers.
create function public.get_public_podcast(slug text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('data', private.public_podcast(get_public_podcast.slug));
end $$;
comment on function public.get_public_podcast is 'GET /v1/podcasts/{slug}: {data}. 404 when there is none.';
grant execute on function public.get_public_podcast to anon, authenticated, service_role;
