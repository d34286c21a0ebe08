-- Lists a podcast's guests by name, or those whose name or email contains a text.
create function private.list_podcast_guests(_podcast_id uuid, q text, page_size int) returns jsonb
language plpgsql stable security definer  -- shows avatars of people who share no podcast with the caller
set search_path = ''
set plan_cache_mode = 'force_custom_plan'  -- a generic plan would not use the trigram index
as $$
declare
  pattern text := '%' || regexp_replace(btrim(q), '([\\%_])', '\\\1', 'g') || '%';
begin
  perform private.require_role(_podcast_id, 'member');
  if char_length(btrim(q)) > 455 then  -- a name of 200 characters, a line break and an address of 254
    raise sqlstate 'PT400' using message = 'q must be at most 455 characters';
  end if;
  return (
    select coalesce(jsonb_agg(found.guest order by found.name, found.id), '[]')
    from (
      select lower(g.display_name) as name, g.id, private.guest_json(g) || jsonb_build_object(
        'episodeCount', (select count(*) from public.episode_guests e where e.podcast_guest_id = g.id),
        'createdAt', private.format_timestamp(g.created_at)) as guest
      from public.podcast_guests g
      where g.podcast_id = _podcast_id
        and (pattern is null or (g.display_name || E'\n' || g.email) ilike pattern)
      order by lower(g.display_name), g.id
      limit page_size
    ) found);
end $$;
grant execute on function private.list_podcast_guests to authenticated;

-- limit is numeric, so that any number is clamped instead of rejected.
create function public.list_podcast_guests(podcast_id uuid, q text default null, "limit" numeric default 20)
returns jsonb
language sql stable security invoker set search_path = ''
return private.list_podcast_guests(podcast_id, q, least(greatest(trunc(coalesce("limit", 20)), 1), 50)::int);
comment on function public.list_podcast_guests is
  'GET /api/podcast-guests: guests by name whose display name or email contains q; limit is clamped to 1-50. '
  'Requires membership. 400 if q exceeds 455 characters, 403, 404.';
grant execute on function public.list_podcast_guests to authenticated;
