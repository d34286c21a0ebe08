-- Published episodes e1, e2, … of a podcast, a day apart from 2026-01-02.
create function tests.publish_daily_episodes(podcast text, total int) returns void
language plpgsql security definer as $$
begin
  perform tests.published_episode('e' || n, podcast) from generate_series(1, total) n;
  update public.episodes set published_at = '2026-01-01'::timestamptz + n * interval '1 day'
  from generate_series(1, total) n where id = tests.id('e' || n);
end $$;

-- Replaces all credits by three of an episode, not in their display order.
create function tests.credit_three_people(episode text) returns void language plpgsql security definer as $$
begin
  update public.episode_people set credit_id = null;
  delete from public.episode_credits;
  insert into public.episode_credits (episode_id, name, role_label, avatar_url, external_url, display_order) values
    (tests.id(episode), 'Ben', 'Editor', null, null, 2),
    (tests.id(episode), 'Ana', 'Host', null, null, 0),
    (tests.id(episode), 'Zoe', 'Composer', 'https://media.test/zoe.jpg', 'https://zoe.test/', 1);
end $$;

-- The podcast show, hosted here: a draft, the published e1 to e4, of which e3 and e4 are of one moment, the archived
-- e5, and credits of e2 alone.
create function tests.public_show() returns void language plpgsql security definer as $$
begin
  perform tests.podcast('show', 'ola'), tests.episode('draft', 'show'), tests.publish_daily_episodes('show', 5);
  update public.episodes set published_at = '2026-01-04' where id = tests.id('e4');
  update public.episodes set status = 'archived' where id = tests.id('e5');
  perform tests.credit_three_people('e2');
end $$;

-- The slugs of the episodes whose feed item is to be rendered.
create function tests.stale_episodes(podcast text default 'show') returns text[] language sql security definer as $$
  select array(select episode ->> 'slug'
    from private.get_feed_for_rendering(tests.id(podcast), 1) feed, jsonb_array_elements(feed.stale) episode)
$$;

create function tests.feed_version(podcast text default 'show') returns bigint language sql security definer as $$
  select version from private.get_feed_for_rendering(tests.id(podcast), 1)
$$;

select unnest(array['1..1', 'ok 1 - the factories of feeds are created']);  -- a TAP report, for pg_prove
