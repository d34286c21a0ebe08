-- Reports which rules the served feed does not follow: the findings of its channel and of the items that it lists,
-- errors first, then in feed order. A cursor counts from the feed's end, so that a new episode does not move the rest.
create function private.get_feed_report(_podcast_id uuid, page_size int, cursor text) returns jsonb
language plpgsql stable security definer  -- clients have no grants on rendered feeds
set search_path = ''
as $$
#variable_conflict use_column
declare
  podcast public.podcasts;
  checked private.feed_documents;
  after   text[] := regexp_match(cursor, '^(error|warning|advice)-(\d{1,9})-(\d{1,9})$');
  report  record;
begin
  perform private.require_role(_podcast_id, 'member');
  perform private.require_page_size(page_size, 500);
  if cursor is not null and after is null then
    perform private.raise_invalid_cursor();
  end if;
  select * into podcast from public.podcasts p where p.id = _podcast_id;
  if podcast.hosting_type = 'external' then
    raise sqlstate 'PT409' using message = 'The podcast is hosted elsewhere, so its feed is not checked here',
      hint = 'PODCAST_HOSTED_EXTERNALLY';
  end if;
  select * into checked from private.feed_documents d where d.podcast_id = _podcast_id;
  if not found then
    raise sqlstate 'PT409' using message = 'The feed is not rendered yet; request its report again in a few seconds',
      hint = 'FEED_NOT_RENDERED';
  end if;

  with part as (
    select cardinality(checked.items) + 1 as place, null::uuid as episode_id, checked.findings
    union all
    select cardinality(checked.items) + 1 - listed.position::int, i.episode_id, i.findings
    from unnest(checked.items) with ordinality listed (id, position)
    join private.feed_items i on i.id = listed.id
    where i.findings <> '[]'
  ), finding as (
    select r.severity, p.place, -f.n::int as n, p.episode_id, r.id as rule, f.body
    from part p cross join lateral jsonb_array_elements(p.findings) with ordinality f (body, n)
    join private.feed_rules() r on r.id = f.body ->> 'rule'
  ), page as (
    select f.* from finding f
    where after is null
      or (f.severity, f.place, f.n) < (after[1]::private.feed_rule_severity, after[2]::int, -after[3]::int)
    order by f.severity desc, f.place desc, f.n desc
    limit page_size + 1
  ), numbered as (
    select p.*, row_number() over (order by p.severity desc, p.place desc, p.n desc) as number from page p
  )
  select
    (select jsonb_build_object('error', count(*) filter (where f.severity = 'error'),
       'warning', count(*) filter (where f.severity = 'warning'),
       'advice', count(*) filter (where f.severity = 'advice')) from finding f) as counts,
    coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'rule', p.rule, 'severity', p.severity,
      'place', case when p.episode_id is null then '{"kind": "channel"}'
        else jsonb_build_object('kind', 'episode', 'episodeId', p.episode_id, 'episodeTitle', e.title) end,
      'tag', p.body -> 'tag', 'excerpt', p.body -> 'excerpt',
      'message', r.message, 'action', r.action, 'specUrl', r.spec_url)) order by p.number)
      filter (where p.number <= page_size), '[]') as findings,
    max(case when p.number = page_size then format('%s-%s-%s', p.severity, p.place, -p.n) end) as last,
    count(*) > page_size as has_more
  into report
  from numbered p join private.feed_rules() r on r.id = p.rule
  left join public.episodes e on e.id = p.episode_id;  -- a deleted episode may still be in the feed
  return jsonb_build_object(
    'data', jsonb_build_object(
      'checkedAt', private.format_timestamp(checked.checked_at), 'feedUrl', private.feed_url(podcast.slug),
      'counts', report.counts, 'findings', report.findings),
    'pagination', private.pagination_json(report.last, report.has_more));
end $$;
grant execute on function private.get_feed_report to authenticated;

create function public.get_feed_report(podcast_id uuid, "limit" int default 100, cursor text default null)
returns jsonb
language sql stable security invoker set search_path = ''
return private.get_feed_report(podcast_id, "limit", cursor);
comment on function public.get_feed_report is
  'GET /api/podcasts/{id}/feed-report: {data: {checkedAt, feedUrl, counts: {error, warning, advice}, findings: [{rule, '
  'severity, place: {kind, episodeId?, episodeTitle?}, tag, excerpt?, message, action, specUrl}]}, pagination: '
  '{nextCursor, hasMore}}; limit 1 to 500. Requires member. 400 limit or cursor, 403, 404, 409 '
  'PODCAST_HOSTED_EXTERNALLY or FEED_NOT_RENDERED.';
grant execute on function public.get_feed_report to authenticated;
