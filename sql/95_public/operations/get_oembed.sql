-- Returns the player of a page to anonymous callers, as oEmbed 1.0: https://oembed.com
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

create function private.find_player(url text) returns table (podcast_id uuid, episode_id uuid)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  frame        text[];
  page         text[];
  name         text;  -- of the episode: its slug or id
  requested_id uuid;
begin
  if private.get_setting('pages_url') = '' or not private.is_http_url(url) then
    return;
  end if;
  frame := private.page_segments(url, private.get_setting('embed_url'));
  page := private.page_segments(url, private.get_setting('listen_url'));
  name := case when frame[1] = 'ep' then frame[2] else page[2] end;
  requested_id := case when pg_input_is_valid(name, 'uuid') then name::uuid end;
  if frame[1] = 'ep' then
    return query
    select e.podcast_id, e.id from private.published_episodes e where e.id = requested_id;
  elsif page[2] is not null then
    return query
    select e.podcast_id, e.id from private.published_episodes e
    where e.podcast_slug = page[1] and (e.slug = name or e.id = requested_id)
    order by e.slug = name desc limit 1;
  else
    return query
    select p.id, null::uuid from public.podcasts p
    where p.slug = case when frame[1] = 'latest' then frame[2] else page[1] end and not p.is_being_deleted
      and exists (select from public.episodes e where e.podcast_id = p.id and e.status = 'published');
  end if;
end $$;
comment on function private.find_player is
  'Returns the published episode of the URL of a listen page or of a page of the player, or its podcast alone for the '
  'player of the latest episode. No row for other URLs, and without pages_url.';

create function private.get_oembed(_url text, maxwidth int, maxheight int) returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns published fields only
set search_path = ''
as $$
declare
  player    record;
  width     int := least(600, maxwidth);
  height    int;
  thumbnail jsonb;
begin
  if least(maxwidth, maxheight) < 1 then
    raise sqlstate 'PT400' using message = 'maxwidth and maxheight must be positive';
  end if;
  -- The player has two layouts, 180 and 80 pixels high; the first is at least 320 pixels wide
  height := case when width < 320 or maxheight < 180 then 80 else 180 end;
  if width < 80 or maxheight < 80 then
    raise sqlstate 'PT404' using message = 'The player needs at least 80 by 80 pixels';
  end if;

  select p.slug, p.title as podcast_title, coalesce(nullif(p.author, ''), p.title) as author, e.id as episode_id,
    e.title as episode_title,
    p.cover_image_url, private.live_image_size(p.id, 'cover') as cover_size,
    e.cover_image_url as episode_cover_url, private.live_image_size(e.id, 'episode_cover') as episode_cover_size
  into player
  from private.find_player(_url) f
  join public.podcasts p on p.id = f.podcast_id
  left join public.episodes e on e.id = f.episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'No player found for this URL; provide the URL of a listen page';
  end if;

  select jsonb_build_object('thumbnail_url', i.url, 'thumbnail_width', i.size -> 'width',
    'thumbnail_height', i.size -> 'height')
  into thumbnail
  from (values (1, player.episode_cover_url, player.episode_cover_size), (2, player.cover_image_url, player.cover_size))
    i (n, url, size)
  where (i.size ->> 'width')::int <= coalesce(maxwidth, 2147483647)
    and (i.size ->> 'height')::int <= coalesce(maxheight, 2147483647)
  order by i.n limit 1;

  return jsonb_build_object(
    'version', '1.0', 'type', 'rich', 'title', coalesce(player.episode_title, player.podcast_title),
    'author_name', player.author, 'author_url', private.listen_url(player.slug),
    'provider_name', 'Castbase', 'provider_url', private.get_setting('pages_url'), 'cache_age', 300,
    'width', width, 'height', height, 'podcast_slug', player.slug,
    'html', format('<iframe src="%s" width="%s" height="%s" title="%s" loading="lazy" frameborder="0" '
        'allow="autoplay; clipboard-write; web-share" '
        'sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe>',
      private.escape_html(private.get_setting('embed_url') || coalesce(
        '/ep/' || player.episode_id || coalesce(substring(_url from '#t=[0-9]{1,6}$'), ''),
        '/latest/' || private.encode_path_segment(player.slug))),
      width, height,
      private.escape_html(concat_ws(' · ', player.episode_title, player.podcast_title)))
  ) || coalesce(thumbnail, '{}');
end $$;
grant execute on function private.get_oembed to anon, authenticated, service_role;

create function public.get_oembed(url text, maxwidth int default null, maxheight int default null) returns jsonb
language sql stable security invoker set search_path = ''
return private.get_oembed(url, maxwidth, maxheight);
comment on function public.get_oembed is
  'GET /v1/oembed: the oEmbed response (version, type, title, author_name, author_url, provider_name, provider_url, '
  'cache_age, width, height, html, thumbnail_url, thumbnail_width, thumbnail_height) with podcast_slug, of the URL of '
  'a listen page with a published episode; sizes in pixels. 400, 404.';
grant execute on function public.get_oembed to anon, authenticated, service_role;
