-- What people are told when the redirect of a feed changes, and what its resource shows.
create function private.correctable_until(deleted_at timestamptz) returns timestamptz
language sql immutable parallel safe security invoker set search_path = ''
return (deleted_at at time zone 'UTC' + interval '1 year') at time zone 'UTC';
comment on function private.correctable_until is
  'Until when the redirect of a podcast that was deleted at this time can be corrected, and is checked: a year.';

create function private.announce_redirect(
  _podcast_id uuid, redirect private.feed_redirects, at timestamptz default now(), new_owner_id uuid default null)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  deleted    private.podcast_tombstones;
  recipients jsonb := private.user_recipients(new_owner_id);
begin
  select * into deleted from private.podcast_tombstones t where t.podcast_id = _podcast_id;
  -- also the caller, whose session may be another person's; each time, because a later change would hide this one
  if new_owner_id is null then
    recipients := private.team_recipients(_podcast_id) || private.user_recipients(deleted.owner_id);
  end if;
  perform private.notify('podcast.redirect_changed', recipients,
    jsonb_strip_nulls(jsonb_build_object('podcast_id', _podcast_id, 'podcast_title', deleted.title,
      'actor_id', auth.uid(), 'params', case when redirect.url is null then '{"variant": "ended"}'
        else jsonb_build_object('redirect_url', redirect.url)
          || case when new_owner_id is not null then '{"variant": "taken_over"}' when redirect.starts_at > at
          then jsonb_build_object('variant', 'held_back', 'starts_at', private.format_timestamp(redirect.starts_at))
          else '{}' end end)),
    _group_key => 'podcast_redirect:' || _podcast_id,
    _link => case when deleted.podcast_id is not null then '/podcasts' end, at => at);
end $$;
comment on function private.announce_redirect is
  'Tells the team, or the former owner of a deleted podcast, where its feed leads now, and from when if it is held '
  'back; or a new owner where it led before. A redirect without url has ended.';

create function private.tell_new_owner_redirect() returns trigger
language plpgsql security definer  -- clients have no grant on redirects
set search_path = ''
as $$
begin
  perform private.announce_redirect(new.id, r, new_owner_id => new.owner_id)
  from private.feed_redirects r where r.podcast_id = new.id;
  return null;
end $$;
create trigger t500_tell_new_owner_redirect after update of owner_id on public.podcasts
  for each row when (old.owner_id <> new.owner_id) execute function private.tell_new_owner_redirect();

create function private.redirect_json(_podcast_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'redirect_starts_at', private.format_timestamp(r.starts_at),
    'redirect_check', case when r.checked_at is not null then jsonb_build_object(
      'checked_at', private.format_timestamp(r.checked_at), 'code', r.check_code, 'message', r.check_message,
      'is_same_podcast', r.is_same_podcast, 'matching_episodes', r.matching_episodes, 'episodes', r.episodes) end)
  from (select) one_row left join private.feed_redirects r on r.podcast_id = $1
$$;
comment on function private.redirect_json is
  'The start of a feed''s redirect, and what the last check of its target found; nulls without one.';
