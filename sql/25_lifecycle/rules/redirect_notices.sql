-- What people are told when the redirect of a feed changes, and what its resource shows.
create function private.correctable_until(deleted_at timestamptz) returns timestamptz
language sql immutable parallel safe security invoker set search_path = ''
return (deleted_at at time zone 'UTC' + interval '1 year') at time zone 'UTC';
comment on function private.correctable_until is
  'Until when the redirect of a podcast that was deleted at this time can be corrected, and is checked: a year.';

create function private.redirect_start(_podcast_id uuid, _url text, at timestamptz) returns timestamptz
language sql stable security invoker set search_path = ''
as $$
  select case when r.url = $2 then r.starts_at when private.redirect_in_effect(r, $3) = $2 then $3
    else $3 + make_interval(mins => private.get_setting('redirect_delay_minutes')::int) end
  from (select) one_row left join private.feed_redirects r on r.podcast_id = $1
$$;
comment on function private.redirect_start is
  'When a feed leads to a URL if it is set now: an unchanged one keeps its start, one in effect is not held back.';

create function private.redirect_params(url text, starts_at timestamptz, at timestamptz) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select case when $1 is null then '{"variant": "ended"}' else jsonb_build_object('redirect_url', $1)
    || case when $2 > $3 then jsonb_build_object('variant', 'held_back', 'starts_at', private.format_timestamp($2))
      else '{}' end end
$$;
comment on function private.redirect_params is
  'The params of a notice of a changed redirect: where the feed leads, and when that starts if it is held back.';

create function private.announce_redirect(
  _podcast_id uuid, recipients jsonb, url text, group_key text, deleted_title text default null,
  at timestamptz default now())
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  -- also the caller, whose session may be another person's
  perform private.notify_repeatedly('podcast_redirect:' || _podcast_id, 10, 'podcast.redirect_changed', recipients,
    jsonb_strip_nulls(jsonb_build_object('podcast_id', _podcast_id, 'podcast_title', deleted_title,
      'actor_id', auth.uid(),
      'params', private.redirect_params(url, private.redirect_start(_podcast_id, url, at), at))),
    group_key, case when deleted_title is not null then '/podcasts' end, at);
end $$;
comment on function private.announce_redirect is
  'Tells the recipients where a feed is going to lead, before the change; null: nowhere. deleted_title is the title of '
  'a podcast that was deleted.';

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
