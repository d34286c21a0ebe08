-- archive_episode: removes an episode from the feed
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.published_episode('pilot', 'show'), tests.empty_queue('feed_invalidation');
select tests.access('archive_episode', $$ select public.archive_episode(tests.id('pilot')) $$,
  '42501: anon; PT403: stranger vic');

select tests.act_as('ana');
select is((public.archive_episode(tests.id('pilot'))).status::text, 'archived', 'archive_episode sets the status');
select is((public.archive_episode(tests.id('pilot'))).status::text, 'archived', 'archive_episode can be repeated');
select isnt((select first_published_at from public.episodes), null, 'archive_episode keeps first_published_at');
select tests.act_as('postgres');
select results_eq($$ select message ->> 'type' from tests.queued('feed_invalidation') message $$,
  array['episode.unpublished'], 'archive_episode invalidates the feed once');

select * from tests.finish();
rollback;
