-- Podlove Simple Chapters of a feed's item become chapters of ours.
create function private.imported_chapters(simple_chapters jsonb, out accepted jsonb, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  path constant text := 'psc:chapters/psc:chapter';
begin
  accepted := '[]';
  losses := '[]';
  if jsonb_typeof(simple_chapters) is distinct from 'array' or simple_chapters = '[]' then
    return;
  end if;
  select a.accepted, a.losses into accepted, losses
  from (
    select jsonb_agg(jsonb_build_object('path', path, 'excerpt', btrim(concat_ws(' ', w.start, w.title)),
      'key', c.start_seconds, 'source', e.value,
      'entry', case when c.start_seconds >= 0 and c.start_seconds < 1000000 and c.title is not null
        then jsonb_strip_nulls(jsonb_build_object('start_seconds', c.start_seconds, 'title', c.title, 'url', c.url,
          'image_url', c.image_url)) end,
      'losses', array_remove(array[
        case when char_length(w.title) > 128 then private.loss(path || '/@title', 'TRUNCATED', w.title) end,
        case when w.url is not null and c.url is null then private.loss(path || '/@href', 'INVALID', w.url) end,
        case when w.image_url is not null and c.image_url is null
          then private.loss(path || '/@image', 'INVALID', w.image_url) end], null)) order by e.n) as list
    from jsonb_array_elements(simple_chapters) with ordinality e (value, n)
    cross join lateral (
      select e.value ->> 'startSeconds' as start, private.normalize_line(e.value ->> 'title') as title,
        e.value ->> 'href' as url, e.value ->> 'image' as image_url offset 0) w
    cross join lateral (
      select case jsonb_typeof(e.value -> 'startSeconds') when 'number'
          then trim_scale(round(w.start::numeric, 3)) end as start_seconds,
        private.shorten(w.title, 128) as title,
        case when private.is_http_url(w.url) then w.url end as url,
        case when private.is_http_url(w.image_url) then w.image_url end as image_url offset 0) c
  ) c
  cross join lateral private.accept_entries(c.list, private.max_chapters()) a;
  accepted := (select coalesce(jsonb_agg(e.value order by (e.value ->> 'start_seconds')::numeric), '[]')
    from jsonb_array_elements(accepted) e);
end $$;
comment on function private.imported_chapters is
  'The valid chapters [{start_seconds, title, url?, image_url?}] by start, each start once and at most max_chapters, '
  'and the losses [{path, reason, excerpt}].';

-- Whether the copy of a chapters document may replace the chapters: not if the podcaster has changed or deleted one.
create function private.has_chapters_as_imported(_episode_id uuid, simple_chapters jsonb) returns boolean
language plpgsql volatile security invoker set search_path = ''  -- sees the rows that its caller has locked
as $$
begin
  return (private.imported_chapters(simple_chapters)).accepted = coalesce((
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('start_seconds', c.start_seconds, 'title', c.title,
      'url', c.url, 'image_url', c.image_url, 'end_seconds', c.end_seconds, 'is_in_toc', nullif(c.is_in_toc, true),
      'location', c.location)) order by c.start_seconds)
    from public.episode_chapters c where c.episode_id = _episode_id), '[]');
end $$;
comment on function private.has_chapters_as_imported is
  'Whether the chapters of an episode are exactly those that its import made of Podlove Simple Chapters, or none.';
