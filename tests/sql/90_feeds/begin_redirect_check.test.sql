-- begin_redirect_check: what a check of a redirect compares.
begin;
select tests.start();

select tests.person('ola'), tests.podcast('show', 'ola'), tests.podcast('merged', 'ola'),
  tests.published_episode('one', 'show'), tests.published_episode('two', 'show'), tests.episode('draft', 'show'),
  tests.episode('there', 'merged');
update public.podcasts set feed_redirect_url = 'https://new.example/feed' where id = tests.id('show');
create temp table guids as select id, guid from public.episodes;
create function pg_temp.begin_check(attempt int default 1) returns jsonb language sql as $$
  select private.begin_redirect_check(tests.id('show'), attempt)
$$;

select is(pg_temp.begin_check(), (select jsonb_build_object('url', 'https://new.example/feed', 'podcast_guid',
    p.podcast_guid, 'episodes', 2, 'is_last_attempt', false) from public.podcasts p where p.id = tests.id('show')),
  'begin_redirect_check returns the target, the GUID and the number of published episodes');
select is(pg_temp.begin_check(5) -> 'is_last_attempt', 'true', 'begin_redirect_check tells the last attempt');
select is(private.count_public_guids(tests.id('show'), array(select guid from guids) || '{unknown}'::text[]), 2,
  'count_public_guids counts published episodes');
select is(private.begin_redirect_check(tests.id('merged'), 1), null,
  'begin_redirect_check returns null without a redirect');

-- Another podcast here
update public.podcasts set feed_redirect_url = private.feed_url('merged') where id = tests.id('show');
insert into public.episodes (podcast_id, title, guid)
select tests.id('merged'), 'Same', guid from guids where id in (tests.id('one'), tests.id('two'));
alter table public.episodes disable trigger user;
update public.episodes set status = 'published', published_at = now(), first_published_at = now()
where podcast_id = tests.id('merged') and guid = (select guid from guids where id = tests.id('one'));
alter table public.episodes enable trigger user;
select is(pg_temp.begin_check(), null, 'the redirect to a podcast here is compared at once');
select is((select (check_code, is_same_podcast, matching_episodes, episodes)::text from private.feed_redirects),
  '(,f,1,2)', 'the check of a redirect to a podcast here counts the episodes that both have');

create function pg_temp.checks() returns bigint language sql as $$
  select count(*) from pgmq.q_redirect_checks where message ->> 'podcast_id' = tests.id('show')::text
$$;
create function pg_temp.found() returns text language sql as $$
  select pg_temp.begin_check();
  select (check_code, matching_episodes)::text from private.feed_redirects where podcast_id = tests.id('show')
$$;
select tests.empty_queue('redirect_checks'), tests.set_status('merged', 'pending_deletion');
select is(pg_temp.checks(), 1::bigint, 'the deletion of a podcast enqueues a check of the feeds that lead to it');
select is(pg_temp.found(), '(PODCAST_PENDING_DELETION,)',
  'the check of a redirect to a podcast that is scheduled for deletion, and leads nowhere, fails');
select is((select n.body from public.notifications n where n.type = 'podcast.redirect_failing'),
  'The feed of the podcast sends apps and listeners to ' || private.feed_url('merged') || ', the feed of a podcast '
    'that will be deleted. Change the redirect, or let that podcast redirect too.',
  'the owner is told that a redirect leads to a podcast that will be deleted');
update public.podcasts set deletion_redirect_url = 'https://new.example/feed' where id = tests.id('merged');
select is(pg_temp.found(), '(,1)', 'the check of a redirect to a podcast that redirects itself succeeds');
select tests.empty_queue('redirect_checks'), tests.set_status('merged', 'active');
select is(pg_temp.checks(), 1::bigint, 'a canceled deletion enqueues a check of the feeds that lead there');
select is(pg_temp.found(), '(,1)', 'the check of a redirect to a podcast whose deletion was canceled succeeds');
delete from public.podcasts where id = tests.id('merged');
select is(pg_temp.begin_check() ->> 'url', private.feed_url('merged'),
  'the feed of another podcast that was deleted is read, because it leads elsewhere or answers 410');

-- After the deletion
create temp table former as select podcast_guid from public.podcasts where id = tests.id('show');
update public.podcasts set feed_redirect_url = 'https://new.example/feed' where id = tests.id('show');
delete from public.podcasts where id = tests.id('show');
select is(pg_temp.begin_check() - 'is_last_attempt', (select jsonb_build_object('url', 'https://new.example/feed',
    'podcast_guid', podcast_guid, 'episodes', 2) from former),
  'begin_redirect_check compares with what a deleted podcast had');
select is(private.count_public_guids(tests.id('show'), array(select guid from guids)), 2,
  'count_public_guids counts the episodes of a deleted podcast that were ever public');

select * from tests.finish();
rollback;
