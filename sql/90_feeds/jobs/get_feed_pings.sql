-- The facts of pings when they are sent: {url, feeds: [{podcast_id, feed_url, medium}]}. No feeds while the receiver
-- is turned off; deleted podcasts are left out, and for podping those with itunes:block.
create function private.get_feed_pings(_type text, _podcast_ids uuid[]) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  url text := private.get_setting(case _type when 'websub' then 'websub_hub_url' else 'podping_url' end);
begin
  return jsonb_build_object('url', url, 'feeds', coalesce((
    select jsonb_agg(jsonb_build_object('podcast_id', p.id, 'feed_url', private.feed_url(p.slug), 'medium', p.medium)
      order by p.id)
    from public.podcasts p
    where url <> '' and p.id = any (_podcast_ids) and p.hosting_type = 'native'
      and (_type = 'websub' or not p.is_blocked)), '[]'));
end $$;
grant execute on function private.get_feed_pings to service_role;
comment on function private.get_feed_pings is
  'Returns the URL of the receiver websub or podping, and what it is told of these podcasts'' feeds.';
