-- Stores what a check of a redirect found, unless the redirect leads elsewhere meanwhile. The owner is told of the
-- first failure after a success, and of that of a new target.
create function private.finish_redirect_check(
  _podcast_id uuid, _url text, result jsonb, at timestamptz default now()) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  before    private.feed_redirects;
  after     private.feed_redirects;
  owner_id  uuid;
  title     text;
  is_buried boolean;
begin
  select * into before from private.feed_redirects r where r.podcast_id = _podcast_id and r.url = _url for update;
  if not found then
    return false;
  end if;
  update private.feed_redirects r set
    check_due_at = least(at + interval '1 day', case when r.starts_at > at then r.starts_at end),
    checked_at = at, check_code = result ->> 'code',
    check_message = left(result ->> 'message', 500), is_same_podcast = (result ->> 'is_same_podcast')::boolean,
    matching_episodes = (result ->> 'matching_episodes')::int, episodes = (result ->> 'episodes')::int
  where r.podcast_id = _podcast_id
  returning * into after;
  if after.check_code is not null and before.check_code is null then
    select p.owner_id, p.title, false into owner_id, title, is_buried from public.podcasts p where p.id = _podcast_id;
    if not found then
      select t.owner_id, t.title, true into owner_id, title, is_buried
      from private.podcast_tombstones t where t.podcast_id = _podcast_id;
    end if;
    perform private.notify('podcast.redirect_failing', private.user_recipients(owner_id), jsonb_build_object(
        'podcast_id', _podcast_id, 'podcast_title', title, 'params',
        jsonb_build_object('redirect_url', _url)
          || case when after.check_code = 'PODCAST_PENDING_DELETION'
              then jsonb_build_object('variant', 'target_ends')
            -- a feed that was read
            when after.matching_episodes is not null then jsonb_build_object('variant', 'other_podcast')
            else '{}' end),
      _group_key => 'redirect_failure:' || _podcast_id, _link => case when is_buried then '/podcasts' end, at => at);
  end if;
  return true;
end $$;
grant execute on function private.finish_redirect_check to service_role;
comment on function private.finish_redirect_check is
  'Stores {code, message, is_same_podcast, matching_episodes, episodes} of a check of a redirect, and tells the owner, '
  'or the former one, when it begins to fail: a code. False if the redirect leads elsewhere meanwhile.';
