-- Podlove Simple Chapters of a feed's item become chapters of ours.
create function private.imported_chapters(simple_chapters jsonb, out accepted jsonb, out losses jsonb)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  accepted := '[]';
  losses := '[]';
  if jsonb_typeof(simple_chapters) is distinct from 'array' or simple_chapters = '[]' then
    return;
  end if;
  with chapter as (
    select e.n, e.value, e.value ->> 'href' as url, e.value ->> 'image' as image_url,
      case jsonb_typeof(e.value -> 'startSeconds') when 'number'
        then trim_scale(round((e.value ->> 'startSeconds')::numeric, 3)) end as start_seconds,
      private.normalize_line(e.value ->> 'title') as title
    from jsonb_array_elements(simple_chapters) with ordinality e (value, n)
  ), checked as (
    select c.*, (c.start_seconds >= 0 and c.start_seconds < 1000000
      and char_length(c.title) <= 128 and not private.is_blank(c.title)
      and (c.url is null or private.is_http_url(c.url))
      and (c.image_url is null or private.is_http_url(c.image_url))) is true as is_valid
    from chapter c
  ), usable as (
    select c.*, c.is_valid
      and row_number() over (partition by c.is_valid, c.start_seconds order by c.n) = 1 as is_usable
    from checked c
  ), ranked as (
    select u.*, case when u.is_usable then row_number() over (partition by u.is_usable order by u.n) end as rank
    from usable u
  )
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('start_seconds', r.start_seconds, 'title', r.title,
      'url', r.url, 'image_url', r.image_url)) order by r.start_seconds)
      filter (where r.rank <= private.max_chapters()), '[]'),
    coalesce(jsonb_agg(jsonb_build_object('path', 'psc:chapters/psc:chapter',
      'reason', case when r.is_usable then 'LIMIT' else 'INVALID' end,
      'excerpt', left(btrim(concat_ws(' ', r.value ->> 'startSeconds', r.value ->> 'title')), 300)) order by r.n)
      filter (where (r.rank <= private.max_chapters()) is not true), '[]')
  into accepted, losses
  from ranked r;
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
