-- Feed redirects: where the feed of a podcast leads, and what the last check of that address found. The only owner of
-- this fact: what shows a redirect asks private.redirect_in_effect.
create table private.feed_redirects (
  podcast_id        uuid primary key,      -- no foreign key: it outlives the podcast
  url               text not null,
  target_podcast_id uuid,                  -- whose feed the url is; null: none of this service
  starts_at         timestamptz not null,  -- later than the change, if redirect_delay_minutes holds it back
  former_url        text,                  -- in effect until starts_at; null: none
  check_due_at      timestamptz,           -- null: no longer, because no owner can correct it
  checked_at        timestamptz,           -- of this url; null: not yet
  check_code        text,                  -- why the check failed; null: it did not
  check_message     text,
  is_same_podcast   boolean,               -- by podcast:guid; null: the feed has none, or was not read
  matching_episodes int,                   -- with a GUID of the feed
  episodes          int,                   -- published here
  constraint url_is_parsable check (private.is_parsable_http_url(url)),
  constraint check_message_is_at_most_500_chars check (char_length(check_message) <= 500)
);
comment on table private.feed_redirects is
  'Where the feed of each podcast leads that has a redirect, also after its deletion. A trigger of podcasts writes '
  'them, and update_deleted_podcast_redirect.';
create index feed_redirects_check_due_at_idx on private.feed_redirects (check_due_at);
create index feed_redirects_target_podcast_id_idx on private.feed_redirects (target_podcast_id)
  where target_podcast_id is not null;
alter table private.feed_redirects enable row level security;
-- No policy, no grant.

create function private.redirect_in_effect(redirect private.feed_redirects, at timestamptz default now()) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case when redirect.starts_at <= at then redirect.url else redirect.former_url end;
comment on function private.redirect_in_effect is
  'Where a feed leads at this time: to the url once it has started, until then to the former one. Null: nowhere.';

create function private.enqueue_redirect_check(_podcast_id uuid, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  -- one that waits may be due much later; another try leaves a dead letter with its own error, or none
  perform private.delete_jobs(jsonb_build_object('podcast_id', _podcast_id), 'redirect_checks');
  perform private.enqueue('redirect_checks', jsonb_build_object('podcast_id', _podcast_id), at => at);
end $$;
comment on function private.enqueue_redirect_check is
  'Enqueues a check of a redirect now, in place of one that waits or failed.';

-- The only writer, so that the team is told each change of where a feed leads.
-- A target that is in effect already is not held back, so that the end of a change undoes it at once.
create function private.write_feed_redirect(
  _podcast_id uuid, _url text, keeps_former boolean default true, at timestamptz default now()) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  redirect  private.feed_redirects;
  in_effect text;
  starts    timestamptz;
begin
  if _url is null then
    delete from private.feed_redirects r where r.podcast_id = _podcast_id;
    if found then
      perform private.announce_redirect(_podcast_id, null, at);
    end if;
    return;
  end if;
  select * into redirect from private.feed_redirects r where r.podcast_id = _podcast_id for update;
  in_effect := case when keeps_former then private.redirect_in_effect(redirect, at) end;
  starts := case when redirect.url = _url then redirect.starts_at when in_effect = _url then at
    else at + make_interval(mins => private.get_setting('redirect_delay_minutes')::int) end;
  -- from its deletion on, the podcast has no feed to show instead
  starts := least(starts, (select p.deletion_scheduled_at from public.podcasts p where p.id = _podcast_id));
  if (redirect.url, redirect.starts_at) = (_url, starts) then
    return;
  end if;
  insert into private.feed_redirects as r (podcast_id, url, target_podcast_id, starts_at, former_url, check_due_at)
  values (_podcast_id, _url, private.podcast_of_feed_url(_url), starts, case when starts > at then in_effect end,
    at + interval '1 day')
  on conflict (podcast_id) do update set
    url = excluded.url, target_podcast_id = excluded.target_podcast_id, starts_at = excluded.starts_at,
    former_url = excluded.former_url, check_due_at = excluded.check_due_at, checked_at = null, check_code = null,
    check_message = null, is_same_podcast = null, matching_episodes = null, episodes = null
  returning * into redirect;
  perform private.announce_redirect(_podcast_id, redirect, at);
  perform private.enqueue_redirect_check(_podcast_id, at);
end $$;
comment on function private.write_feed_redirect is
  'Makes a feed lead to a URL, after redirect_delay_minutes, tells the team, and enqueues the check of the URL; null '
  'ends the redirect at once. An unchanged URL keeps its start; none starts after the podcast''s deletion. Without '
  'keeps_former, the feed leads nowhere until the start.';

-- After: the columns of a podcast decide where its feed leads. What it leads to when the podcast is deleted stays.
create function private.derive_feed_redirect() returns trigger
language plpgsql security definer  -- clients have no grant on redirects
set search_path = ''
as $$
begin
  perform private.write_feed_redirect(new.id,
    case new.status when 'pending_deletion' then new.deletion_redirect_url else new.feed_redirect_url end,
    -- the end of a deletion ends its redirect at once
    keeps_former => tg_op = 'INSERT' or not (old.status = 'pending_deletion' and new.status <> 'pending_deletion'));
  -- feeds that lead to this one may lead nowhere now, or no longer
  perform private.enqueue_redirect_check(r.podcast_id) from private.feed_redirects r where r.target_podcast_id = new.id;
  return null;
end $$;
create trigger t500_derive_feed_redirect_insert after insert on public.podcasts
  for each row when (num_nonnulls(new.deletion_redirect_url, new.feed_redirect_url) > 0)
  execute function private.derive_feed_redirect();
create trigger t500_derive_feed_redirect after update of status, deletion_redirect_url, feed_redirect_url
  on public.podcasts
  for each row when (old.status <> new.status or old.deletion_redirect_url is distinct from new.deletion_redirect_url
    or old.feed_redirect_url is distinct from new.feed_redirect_url)
  execute function private.derive_feed_redirect();
