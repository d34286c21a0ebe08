-- update_deleted_podcast_redirect: the former owner corrects where the feed of a deleted podcast leads, for a year.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.podcast('other', 'ola'),
  tests.podcast('elsewhere', 'ola', 'external');
create function pg_temp.correct(who text, url text, podcast text default 'show', at timestamptz default now())
returns text language sql as $$
  select tests.value_as(who, format('select tests.outcome_of(%L)', format(
    'select private.update_deleted_podcast_redirect(tests.id(%L), %L, %L) ->> ''redirect_url''', podcast, url, at)))
$$;
select is(pg_temp.correct('ola', 'https://new.example/feed'), 'PT404',
  'update_deleted_podcast_redirect returns 404 for a podcast that is not deleted');
update public.podcasts set feed_redirect_url = private.feed_url('show') where id = tests.id('other');
select tests.act_as('ola');
select public.delete_podcast(tests.id('show'), 'show', 'https://new.example/feed', 1);
select public.delete_podcast(tests.id('elsewhere'), 'elsewhere');
select tests.act_as('postgres');
select is(private.delete_due_podcast(tests.id('show'), now() + interval '1 day'), true, 'the podcast is deleted');
select is((select url from private.feed_redirects where podcast_id = tests.id('show')), 'https://new.example/feed',
  'the redirect of a deletion outlives the podcast');

select tests.access('update_deleted_podcast_redirect',
  $$ select public.update_deleted_podcast_redirect(tests.id('show'), 'https://right.example/feed') $$,
  '42501: anon; PT404: stranger vic ana; ok 1: ola; 42501: service');
select tests.act_as('ola');
select matches(tests.error_of('select public.update_deleted_podcast_redirect(podcast_id => tests.id(''show''))'),
  '^42883', 'update_deleted_podcast_redirect requires redirect_url');
select is(private.update_deleted_podcast_redirect(tests.id('show'), 'https://right.example/feed')
    - '{deleted_at,redirect_starts_at}'::text[],
  jsonb_build_object('redirect_url', 'https://right.example/feed', 'redirect_check', null, 'correctable_until',
    private.format_timestamp((now() at time zone 'UTC' + interval '1 year') at time zone 'UTC')),
  'update_deleted_podcast_redirect returns the redirect, and until when it can be corrected');
select tests.act_as('postgres');
select is((select url from private.feed_redirects where podcast_id = tests.id('show')), 'https://right.example/feed',
  'update_deleted_podcast_redirect changes where the feed leads');
select results_eq($$ select n.user_id, n.title, n.link from public.notifications n
    where n.type = 'podcast.redirect_changed' and n.body ~ 'right.example' $$,
  $$ values (tests.id('ola'), 'The feed of show leads to another address', '/podcasts') $$,
  'update_deleted_podcast_redirect tells the former owner');
select is((select count(*) from public.notification_deliveries d join public.notifications n on n.id = d.notification_id
    where n.type = 'podcast.redirect_changed' and n.body ~ 'right.example'
      and private.delivery_problem(d, now()) is null), 1::bigint,
  'the former owner gets the email about the redirect of a deleted podcast');
select is((select count(*) from pgmq.q_redirect_checks where message ->> 'podcast_id' = tests.id('show')::text),
  1::bigint, 'update_deleted_podcast_redirect enqueues a check of the target');
select is(pg_temp.correct('ola', 'http://127.0.0.1/feed'), 'PT400 INVALID_REDIRECT_URL',
  'update_deleted_podcast_redirect returns 400 for a private address');
select is(pg_temp.correct('ola', private.feed_url('show')), 'PT400 INVALID_REDIRECT_URL',
  'update_deleted_podcast_redirect rejects the podcast''s own feed');
select is(pg_temp.correct('ola', private.feed_url('other')), 'PT400 INVALID_REDIRECT_URL',
  'update_deleted_podcast_redirect rejects the feed of a podcast that redirects to the deleted one');
update public.podcasts set feed_redirect_url = null where id = tests.id('other');
select is(pg_temp.correct('ola', private.feed_url('other')), private.feed_url('other'),
  'update_deleted_podcast_redirect accepts the feed of another podcast of the former owner');
select is(tests.value_as('ola', format('select tests.outcome_of(%L)', format(
    'select public.set_feed_redirect(tests.id(''other''), %L)', private.feed_url('show')))),
  'PT400 INVALID_REDIRECT_URL', 'set_feed_redirect rejects the feed of a deleted podcast');
select is(pg_temp.correct('ola', null), null, 'update_deleted_podcast_redirect ends the redirect by null');
select is_empty('select from private.feed_redirects', 'an ended redirect of a deleted podcast is deleted');
select is(pg_temp.correct('ola', 'https://late.example/', at => now() + interval '364 days'), 'https://late.example/',
  'update_deleted_podcast_redirect works for a year');
select is(pg_temp.correct('ola', 'https://later.example/', at => now() + interval '366 days'), 'PT404',
  'update_deleted_podcast_redirect returns 404 after a year');
select is(pg_temp.correct('ola', 'https://new.example/', 'elsewhere'), 'PT409 PODCAST_HOSTED_EXTERNALLY',
  'update_deleted_podcast_redirect returns 409 for a podcast that had no feed here');

select * from tests.finish();
rollback;
