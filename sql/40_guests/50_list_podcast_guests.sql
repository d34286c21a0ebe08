-- A podcast's guests by name, or those whose name or address contains something.
create function private.list_podcast_guests(podcast_id uuid, q text, page_size int) returns jsonb
language plpgsql stable security definer  -- shows the avatars of people who share no podcast with the caller
set search_path = ''
set plan_cache_mode = 'force_custom_plan'  -- one plan for all words would not use the trigrams' index
as $$
declare
  wanted text := '%' || regexp_replace(btrim(q), '([\\%_])', '\\\1', 'g') || '%';  -- what was typed, and no pattern
begin
  perform private.require_role(list_podcast_guests.podcast_id, 'member');
  if char_length(btrim(q)) > 455 then  -- no name and address together are longer
    raise sqlstate 'PT400' using message = 'q is longer than any name and address';
  end if;
  return (
    select coalesce(jsonb_agg(found.described order by found.name, found.id), '[]')
    from (
      select lower(g.display_name) as name, g.id, private.guest_json(g) || jsonb_build_object(
        'episodeCount', (select count(*) from public.episode_guests e where e.podcast_guest_id = g.id),
        'createdAt', private.format_timestamp(g.created_at)) as described
      from public.podcast_guests g
      where g.podcast_id = list_podcast_guests.podcast_id
        and (wanted is null or (g.display_name || E'\n' || g.email) ilike wanted)
      order by lower(g.display_name), g.id
      limit page_size
    ) found);
end $$;
comment on function private.list_podcast_guests is 'list_podcast_guests'' half behind the grants.';
grant execute on function private.list_podcast_guests to authenticated;  -- checks the role itself

-- "limit" is a number of any kind, so that one is clamped and not refused
create function public.list_podcast_guests(podcast_id uuid, q text default null, "limit" numeric default 20) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.list_podcast_guests(list_podcast_guests.podcast_id, list_podcast_guests.q,
    least(greatest(trunc(coalesce(list_podcast_guests."limit", 20)), 1), 50)::int);
end $$;
comment on function public.list_podcast_guests is
  'GET /api/podcast-guests: by name, those whose display name or e-mail contains q; limit is clamped to 1-50. Needs a member. 400 q is over 455 characters long, 403, 404.';
grant execute on function public.list_podcast_guests to authenticated;
