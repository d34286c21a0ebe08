-- Returns the player of a page to anonymous callers: what oEmbed 1.0 needs of it (https://oembed.com).
create function private.page_segments(url text, base text) returns text[]
language plpgsql stable security invoker set search_path = ''
as $$
declare
  address  text := regexp_replace(rtrim(private.normalize_base_url(url), '/'), '^https?://', '');
  prefix   text := regexp_replace(rtrim(private.normalize_base_url(base), '/'), '^https?://', '') || '/';
  segments text[] := string_to_array(substr(address, length(prefix) + 1), '/');
begin
  if not starts_with(address, prefix) or cardinality(segments) > 2 then
    return null;
  end if;
  return array[private.decode_path_segment(segments[1]), private.decode_path_segment(segments[2])];
end $$;
comment on function private.page_segments is
  'Returns the decoded first and second path segment of a URL below a base URL; null for other URLs and longer paths. '
  'Scheme, case of the host, default ports, trailing slashes, query and fragment do not matter.';

create function private.find_player(url text) returns table (podcast_id uuid, episode_id uuid, has_list boolean)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  frame    text[];
  page     text[];
  found_id uuid;
begin
  if private.get_setting('pages_url') = '' or not private.is_http_url(url) then
    return;
  end if;
  frame := private.page_segments(url, private.get_setting('embed_url'));
  page := private.page_segments(url, private.get_setting('listen_url'));
  if frame[1] = 'ep' or page[2] is not null then
    found_id := case when frame[1] is distinct from 'ep' then private.find_published_episode(page[1], page[2])
      when pg_input_is_valid(frame[2], 'uuid') then frame[2]::uuid end;
    return query
    select e.podcast_id, e.id, false from private.published_episodes e where e.id = found_id;
  else
    return query
    select p.id, null::uuid, frame[1] is distinct from 'latest' from public.podcasts p
    where p.slug = case when frame[1] in ('latest', 'show') then frame[2] else page[1] end and not p.is_being_deleted
      and exists (select from public.episodes e where e.podcast_id = p.id and e.status = 'published');
  end if;
end $$;
comment on function private.find_player is
  'Returns the published episode of the URL of a listen page or of a page of the player, or its podcast alone for the '
  'players of the latest episode and, with has_list, of all. No row for other URLs, and without pages_url.';

create function private.get_oembed(_url text, maxwidth int, maxheight int) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  player    record;
  thumbnail jsonb;
begin
  if least(maxwidth, maxheight) < 1 then
    raise sqlstate 'PT400' using message = 'maxwidth and maxheight must be positive';
  end if;
  select p.id, p.slug, p.title as podcast_title, coalesce(nullif(p.author, ''), p.title) as author, f.has_list,
    e.id as episode_id, e.title as episode_title, p.cover_image_url, e.cover_image_url as episode_cover_url
  into player
  from private.find_player(_url) f
  join public.podcasts p on p.id = f.podcast_id
  left join public.episodes e on e.id = f.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'No player found for this URL; provide the URL of a listen page';
  end if;

  -- The episode's cover before the podcast's, the large JPEG copy before the others and the original
  select jsonb_build_object('thumbnail_url', i.image -> 'url', 'thumbnail_width', i.image -> 'width',
    'thumbnail_height', i.image -> 'height')
  into thumbnail
  from (values (1, player.episode_id, 'episode_cover', player.episode_cover_url),
    (2, player.id, 'cover', player.cover_image_url)) c (n, id, usage, url),
  lateral (
    select 1, t.image from jsonb_array_elements(private.image_copies(c.id, c.usage)) t (image)
    union all
    select 2, private.live_image_size(c.id, c.usage) || jsonb_build_object('url', c.url)
  ) i (n, image)
  where (i.image ->> 'width')::int <= coalesce(maxwidth, 2147483647)
    and (i.image ->> 'height')::int <= coalesce(maxheight, 2147483647)
  order by c.n, i.n, i.image ->> 'type' = 'image/jpeg' desc, (i.image ->> 'width')::int desc limit 1;

  return jsonb_build_object(
    'podcast_slug', player.slug, 'podcast_title', player.podcast_title, 'author_name', player.author,
    'author_url', private.listen_url(player.slug), 'provider_url', private.get_setting('pages_url'),
    'embed_url', private.get_setting('embed_url'), 'has_list', player.has_list,
    'episode_id', player.episode_id, 'episode_title', player.episode_title
  ) || coalesce(thumbnail, '{}');
end $$;
grant execute on function private.get_oembed to anon, authenticated, service_role;

create function public.get_oembed(url text, maxwidth int default null, maxheight int default null) returns jsonb
language sql stable security invoker set search_path = ''
return private.get_oembed(url, maxwidth, maxheight);
comment on function public.get_oembed is
  'GET /v1/oembed: facts of the player of a listen page with a published episode, or of a page of the player: '
  '{podcast_slug, podcast_title, author_name, author_url, provider_url, embed_url, has_list, episode_id, '
  'episode_title, thumbnail_url, thumbnail_width, thumbnail_height}. episode_id is null for a podcast; has_list: the '
  'player lists its episodes. The thumbnail has at most maxwidth by maxheight pixels. 400, 404.';
grant execute on function public.get_oembed to anon, authenticated, service_role;
