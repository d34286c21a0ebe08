-- The first step of a check of a redirect. The feed of another podcast here is compared at once; for others returns
-- where the worker reads, and what it compares with.
create function private.public_guids_of(_podcast_id uuid) returns table (guid text)
language sql stable security invoker set search_path = ''
as $$
  select e.guid from public.episodes e where e.podcast_id = $1 and e.status = 'published'
  union all
  select b.guid from private.episode_tombstones b
  join private.podcast_tombstones t on t.slug = b.slug
  where t.podcast_id = $1 and not exists (select from public.podcasts p where p.id = $1)
$$;
comment on function private.public_guids_of is
  'The GUIDs of the episodes that a feed has, or that were ever public if the podcast was deleted.';

create function private.begin_redirect_check(_podcast_id uuid, _attempt int, at timestamptz default now())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  redirect private.feed_redirects;
  target   public.podcasts;
begin
  select * into redirect from private.feed_redirects r where r.podcast_id = _podcast_id;
  if not found then
    return null;
  end if;
  select p.* into target from public.podcasts p where p.id = private.podcast_of_feed_url(redirect.url);
  if found then
    perform private.finish_redirect_check(_podcast_id, redirect.url,
      -- what the target leads to has a check of its own
      case when target.status = 'pending_deletion' and target.deletion_redirect_url is null then jsonb_build_object(
        'code', 'PODCAST_PENDING_DELETION', 'episodes', count(*),
        'message', 'The podcast there will be deleted, and its feed redirects nowhere')
      else jsonb_build_object('is_same_podcast', false, 'episodes', count(*), 'matching_episodes',
        count(*) filter (where g.guid in (select t.guid from private.public_guids_of(target.id) t))) end, at)
    from private.public_guids_of(_podcast_id) g;
    return null;
  end if;
  return jsonb_build_object('url', redirect.url, 'podcast_guid', coalesce(
      (select p.podcast_guid from public.podcasts p where p.id = _podcast_id),
      (select t.podcast_guid from private.podcast_tombstones t where t.podcast_id = _podcast_id)),
    'episodes', (select count(*) from private.public_guids_of(_podcast_id)),
    'is_last_attempt', (select _attempt >= q.max_attempts from private.queues q where q.name = 'redirect_checks'));
end $$;
grant execute on function private.begin_redirect_check to service_role;
comment on function private.begin_redirect_check is
  'Returns {url, podcast_guid, episodes, is_last_attempt}: what the worker reads, and the GUID and the number of '
  'public episodes to compare it with. Null if the redirect has ended, or leads to a podcast here, which is compared '
  'at once; the feed of a deleted one is read, as it leads elsewhere or answers 410.';

create function private.count_public_guids(_podcast_id uuid, guids text[]) returns int
language sql stable security invoker set search_path = ''
as $$
  select count(*)::int from private.public_guids_of($1) g where g.guid = any ($2)
$$;
grant execute on function private.count_public_guids to service_role;
comment on function private.count_public_guids is 'How many public episodes of a podcast have one of these GUIDs.';
