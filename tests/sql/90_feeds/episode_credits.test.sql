-- episode_credits in the feed: rendered in display order; any change makes their item stale.
begin;
select tests.start();

select tests.published_episode('pilot', 'show'), tests.published_episode('quiet', 'show');
update public.episodes set published_at = case slug when 'pilot' then '2026-01-02Z' else '2026-01-01Z' end::timestamptz;
select tests.credit_three_people('pilot');

create function pg_temp.credits_to_render(episode text) returns jsonb language sql as $$
  select e -> 'credits' from private.get_feed_for_rendering(tests.id('show'), 1) o, jsonb_array_elements(o.stale) e
    where e ->> 'slug' = episode
$$;
select is(pg_temp.credits_to_render('pilot'), '[
  {"name": "Ana", "role_label": "Host", "avatar_url": null, "external_url": null},
  {"name": "Zoe", "role_label": "Composer", "avatar_url": "https://media.test/zoe.jpg",
    "external_url": "https://zoe.test/"},
  {"name": "Ben", "role_label": "Editor", "avatar_url": null, "external_url": null}]',
    'get_feed_for_rendering returns the credits of an episode in display order');
select is(pg_temp.credits_to_render('quiet'), '[]',
  'get_feed_for_rendering returns an empty list for an episode without credits');

-- Any change of its credits makes a feed item stale
create function pg_temp.render_items() returns void language sql as $$
  insert into private.feed_items (podcast_id, episode_id, episode_updated_at, context_hash, deflated, crc32,
    uncompressed_bytes, digest, findings)
  select e.podcast_id, e.id, e.updated_at, o.context_hash, '', 0, 0, '', '[]'
    from public.episodes e, private.get_feed_for_rendering(tests.id('show'), 1) o
$$;
select pg_temp.render_items();
select is(tests.stale_episodes(), '{}',
  'get_feed_for_rendering returns no stale episode after all items were rendered');
insert into public.episode_credits (episode_id, name, role_label, display_order)
  values (tests.id('pilot'), 'Cy', 'Guest', 3);
select is(tests.stale_episodes(), '{pilot}', 'a new credit makes its own episode''s item stale only');
select pg_temp.render_items();
update public.episode_credits set role_label = 'Co-host' where name = 'Cy';
select is(tests.stale_episodes(), '{pilot}', 'a changed credit makes its episode''s item stale');
select pg_temp.render_items();
update public.episode_credits set display_order = 3 - display_order where episode_id = tests.id('pilot');
select is(tests.stale_episodes(), '{pilot}', 'a new order of the credits makes their episode''s item stale');
select pg_temp.render_items();
delete from public.episode_credits where name = 'Cy';
select is(tests.stale_episodes(), '{pilot}', 'a deleted credit makes its episode''s item stale');

select * from tests.finish();
rollback;
