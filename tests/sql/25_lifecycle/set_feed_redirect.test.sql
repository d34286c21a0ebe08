-- set_feed_redirect: where the feed of a podcast redirects while the podcast stays.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.podcast('second', 'ola'),
  tests.podcast('third', 'ola'), tests.podcast('elsewhere', 'ola', 'external'), tests.podcast('foreign', 'pat');
select private.set_plan_limit('free', 'max_redirect_changes_per_hour', 1000);
create function pg_temp.redirect(url text, podcast text default 'show') returns text language sql as $$
  select tests.value_as('ola', format('select tests.outcome_of(%L)', format(
    'select public.set_feed_redirect(tests.id(%L), %L) ->> ''feed_redirect_url''', podcast, url)))
$$;
-- What the public reads at that time
create function pg_temp.leads_to(podcast text, at timestamptz default now()) returns text language sql as $$
  select private.redirect_in_effect(r, at) from private.feed_redirects r where r.podcast_id = tests.id(podcast)
$$;

select tests.access('set_feed_redirect',
  $$ select public.set_feed_redirect(tests.id('show'), 'https://new.example/feed') $$,
  '42501: anon; PT403: stranger vic ana; ok 1: ola; 42501: service');

select tests.act_as('ola');
create temp table response as
  select private.set_feed_redirect(tests.id('show'), 'https://new.example/feed', '2027-03-02Z') as body;
select is((select body from response), private.get_podcast_lifecycle(tests.id('show'), '2027-03-02Z'),
  'set_feed_redirect returns the lifecycle resource');
select matches(tests.error_of('select public.set_feed_redirect(podcast_id => tests.id(''show''))'), '^42883',
  'set_feed_redirect requires redirect_url, so that a call without it ends no redirect');
select tests.act_as('postgres');
select is(pg_temp.leads_to('show'), 'https://new.example/feed', 'set_feed_redirect is in effect at once');
select is(pg_temp.redirect(null), null, 'set_feed_redirect ends the redirect by null');
select is(pg_temp.leads_to('show'), null, 'the feed leads nowhere when its redirect has ended');
select tests.set_status('show', 'paused');
select is(pg_temp.redirect('https://new.example/feed'), 'https://new.example/feed',
  'set_feed_redirect accepts a paused podcast');
select tests.set_status('show', 'active');
select is(pg_temp.redirect('https://new.example/feed', 'elsewhere'), 'PT409 PODCAST_HOSTED_EXTERNALLY',
  'set_feed_redirect returns 409 PODCAST_HOSTED_EXTERNALLY for a podcast without a feed here');
select tests.set_status('second', 'pending_deletion');
select is(pg_temp.redirect('https://new.example/feed', 'second'), 'PT409 PODCAST_PENDING_DELETION',
  'set_feed_redirect returns 409 during a redirect window');
select tests.set_status('second', 'active');
select is(pg_temp.redirect('http://10.0.0.1/feed'), 'PT400 INVALID_REDIRECT_URL',
  'set_feed_redirect returns 400 for a private address');

-- Who is told
select is((select count(*) from private.events where type = 'podcast.redirect_changed'
    and payload ->> 'podcast_id' = tests.id('show')::text), 3::bigint,
  'set_feed_redirect tells of each change: set, ended and set again');
select set_eq($$ select distinct n.user_id from public.notifications n where n.type = 'podcast.redirect_changed' $$,
  $$ select tests.id(name) from unnest('{ola,ana,vic}'::text[]) name $$,
  'set_feed_redirect tells the whole team, the caller included');
select pg_temp.redirect('https://new.example/feed');
select is((select count(*) from private.events where type = 'podcast.redirect_changed'
    and payload ->> 'podcast_id' = tests.id('show')::text), 3::bigint,
  'set_feed_redirect to the same URL tells no one');
select is((select count(*) from pgmq.q_redirect_checks where message ->> 'podcast_id' = tests.id('show')::text),
  1::bigint, 'of the checks of changed targets one waits per podcast');

-- Deletion
select tests.act_as('ola');
select is(public.delete_podcast(tests.id('show'), 'show') - '{deletion_requested_at,deletion_scheduled_at}'::text[],
  '{"status": "pending_deletion", "deletion_redirect_url": "https://new.example/feed",
    "is_redirect_carried_over": true}', 'delete_podcast carries the redirect of the feed over');
select tests.act_as('postgres');
select is((select count(*) from private.events where type = 'podcast.redirect_changed'
    and payload ->> 'podcast_id' = tests.id('show')::text), 3::bigint,
  'delete_podcast tells no redirect that it carries over, because the team knows it');
select is(tests.value_as('ola', $$ select public.update_deletion_redirect(tests.id('show'), 'https://other.example/')
  ->> 'feed_redirect_url' $$), 'https://new.example/feed',
  'update_deletion_redirect keeps the redirect that the feed had before');
select is(pg_temp.leads_to('show'), 'https://other.example/', 'the redirect of a deletion replaces that of the feed');
select is(tests.value_as('ola', $$ select public.cancel_deletion(tests.id('show')) ->> 'feed_redirect_url' $$),
  'https://new.example/feed', 'cancel_deletion returns the redirect of the feed');
select is((select array_agg(substring(n.body from 'https://[a-z./]+[a-z/]') order by n.body)
    from public.notifications n where n.user_id = tests.id('vic') and n.type = 'podcast.redirect_changed'
    and n.body ~ 'https'),
  '{https://new.example/feed,https://new.example/feed,https://new.example/feed,https://other.example/}',
  'update_deletion_redirect and cancel_deletion tell the team where the feed leads');
select is(pg_temp.leads_to('show'), 'https://new.example/feed', 'a canceled deletion returns to the feed''s redirect');
select is(tests.value_as('ola', $$ select public.delete_podcast(tests.id('show'), 'show', redirect_days => 0)
  ->> 'deletion_redirect_url' $$), null, 'delete_podcast with redirect_days 0 carries no redirect over');
select is(pg_temp.leads_to('show'), null, 'the feed of a podcast deleted with redirect_days 0 leads nowhere');
select tests.value_as('ola', $$ select public.cancel_deletion(tests.id('show')) $$);

-- Merging podcasts
create function pg_temp.feed(podcast text) returns text language sql as $$
  select private.feed_url(p.slug) from public.podcasts p where p.id = tests.id(podcast)
$$;
select is(pg_temp.redirect(pg_temp.feed('second')), pg_temp.feed('second'),
  'set_feed_redirect accepts the feed of another podcast of the owner');
select is(pg_temp.redirect(replace(pg_temp.feed('third'), 'feeds/third', 'x/../feeds//%74hird')),
  replace(pg_temp.feed('third'), 'feeds/third', 'x/../feeds//%74hird'),
  'set_feed_redirect recognizes the feed of another podcast in every spelling');
select pg_temp.redirect(pg_temp.feed('second'));
select is(pg_temp.redirect(url), 'PT400 INVALID_REDIRECT_URL', format('set_feed_redirect rejects %s', what))
from (values
  (pg_temp.feed('show'), 'the podcast''s own feed'), (pg_temp.feed('foreign'), 'the feed of another owner'),
  (pg_temp.feed('elsewhere'), 'the address that a feed of an external podcast would have'),
  (pg_temp.feed('second') || '?page=2', 'a page of a feed'),
  (private.feed_url('none'), 'an unknown feed')) v (url, what);
select is(pg_temp.redirect(pg_temp.feed('show'), 'second'), 'PT400 INVALID_REDIRECT_URL',
  'set_feed_redirect rejects a circle of two');
select is(pg_temp.redirect(pg_temp.feed('third'), 'second'), pg_temp.feed('third'),
  'set_feed_redirect accepts a chain');
select is(pg_temp.redirect(pg_temp.feed('show'), 'third'), 'PT400 INVALID_REDIRECT_URL',
  'set_feed_redirect rejects a circle of three');
select is(tests.value_as('ola', format('select tests.outcome_of(%L)', format(
    'select public.delete_podcast(tests.id(''third''), ''third'', %L)', pg_temp.feed('show')))),
  'PT400 INVALID_REDIRECT_URL', 'delete_podcast rejects a circle');
select tests.set_status('third', 'pending_deletion');
select is(pg_temp.redirect(pg_temp.feed('third')), 'PT400 INVALID_REDIRECT_URL',
  'set_feed_redirect rejects the feed of a podcast that is scheduled for deletion');

-- A circle that the cancellation of a deletion would close
select pg_temp.redirect(null, p) from unnest('{show,second,third}'::text[]) p;
select tests.set_status('third', 'active');
select pg_temp.redirect(pg_temp.feed('second'), 'show'), pg_temp.redirect(pg_temp.feed('third'), 'second');
select tests.value_as('ola', $$ select public.delete_podcast(tests.id('second'), 'second', 'https://new.example/') $$);
select is(pg_temp.redirect(pg_temp.feed('show'), 'third'), 'PT400 INVALID_REDIRECT_URL',
  'set_feed_redirect rejects a circle that the cancellation of a deletion would close');
select tests.value_as('ola', $$ select public.cancel_deletion(tests.id('second')) $$);

-- A setting holds redirects back
select pg_temp.redirect(null);
select private.set_setting('redirect_delay_minutes', '60');
select pg_temp.redirect('https://first.example/');
select is(array[pg_temp.leads_to('show'), pg_temp.leads_to('show', now() + interval '60 minutes')],
  array[null, 'https://first.example/'], 'a redirect that is held back begins after redirect_delay_minutes');
select is((tests.value_as('ola', $$ select public.get_podcast_lifecycle(tests.id('show')) ->> 'redirect_starts_at' $$)),
  private.format_timestamp(now() + interval '60 minutes'), 'get_podcast_lifecycle shows when a redirect begins');
select isnt_empty($$ select from public.notifications where user_id = tests.id('vic')
  and body ~ 'from .+ at .+ on, to https://first.example/' $$, 'the team is told when a redirect begins');
update private.feed_redirects set starts_at = now() - interval '1 minute' where podcast_id = tests.id('show');
select pg_temp.redirect('https://next.example/');
select is(array[pg_temp.leads_to('show'), pg_temp.leads_to('show', now() + interval '60 minutes')],
  array['https://first.example/', 'https://next.example/'],
  'the redirect in effect stays until one that is held back begins');
select pg_temp.redirect('https://first.example/');
select is(array[pg_temp.leads_to('show'), pg_temp.leads_to('show', now() + interval '60 minutes')],
  array['https://first.example/', 'https://first.example/'], 'a return to the redirect in effect is not held back');
select is(tests.value_as('ola', $$ select public.delete_podcast(tests.id('show'), 'show')
  ->> 'deletion_redirect_url' $$), 'https://first.example/', 'delete_podcast carries over a redirect in effect');
select is(pg_temp.leads_to('show'), 'https://first.example/', 'a redirect that is carried over is not held back');
select tests.value_as('ola', $$ select public.update_deletion_redirect(tests.id('show'), 'https://next.example/') $$);
update private.feed_redirects set starts_at = now() - interval '1 minute' where podcast_id = tests.id('show');
select tests.value_as('ola', $$ select public.cancel_deletion(tests.id('show')) $$);
select is(array[pg_temp.leads_to('show'), pg_temp.leads_to('show', now() + interval '60 minutes')],
  array[null, 'https://first.example/'],
  'a canceled deletion ends its redirect at once, and holds back the one before, which a change could have prepared');
select pg_temp.redirect(null);
select is(pg_temp.leads_to('show', now() + interval '60 minutes'), null, 'the end of a redirect is not held back');

-- Held back for longer than the redirect window of a deletion
select private.set_setting('redirect_delay_minutes', '10080');
select is(pg_temp.redirect('https://first.example/'), 'https://first.example/', 'a redirect is held back for a week');
delete from public.notifications;
select tests.value_as('ola', $$ select public.delete_podcast(tests.id('show'), 'show', redirect_days => 2) $$);
select is((select starts_at from private.feed_redirects where podcast_id = tests.id('show')), now() + interval '2 days',
  'a redirect that a deletion takes over begins when the podcast is deleted, at the latest');
select is((select count(*) from public.notifications n where n.user_id = tests.id('vic')
    and n.type = 'podcast.redirect_changed' and n.body ~ 'https://first.example/'), 1::bigint,
  'a redirect that begins earlier because of a deletion is told again');
select tests.value_as('ola', $$ select public.update_deletion_redirect(tests.id('show'), 'https://next.example/') $$);
select is((select starts_at from private.feed_redirects where podcast_id = tests.id('show')), now() + interval '2 days',
  'the redirect of a deletion begins when the podcast is deleted, at the latest');
select tests.value_as('ola', $$ select public.cancel_deletion(tests.id('show')) $$);

-- A transfer
select private.set_setting('redirect_delay_minutes', null);
select pg_temp.redirect('https://new.example/feed'), pg_temp.redirect(null, 'third');
delete from public.notifications;
update public.podcasts set owner_id = tests.id('ana') where id in (tests.id('show'), tests.id('third'));
select results_eq($$ select user_id, title, body from public.notifications where type = 'podcast.redirect_changed' $$,
  $$ values (tests.id('ana'), 'The feed of show leads to another address', 'The podcast is yours now, and its feed '
    'leads apps and listeners to https://new.example/feed. If you don''t know this address, change the redirect.') $$,
  'a transfer tells the new owner where the feed leads');
update public.podcasts set owner_id = tests.id('ola') where id in (tests.id('show'), tests.id('third'));

-- Rate limit
select private.set_plan_limit('free', 'max_redirect_changes_per_hour', 20);
select is((select jsonb_object_agg(o.outcome, o.count) from (
    select case when o.outcome ~ '^PT429' then 'PT429' else 'ok' end as outcome, count(*) from (
      select tests.value_as('pat', format('select tests.outcome_of(%L)', format(
        'select public.set_feed_redirect(tests.id(''foreign''), %L)', 'https://new.example/' || n))) as outcome
      from generate_series(1, 22) n) o group by 1) o), '{"ok": 20, "PT429": 2}',
  'set_feed_redirect accepts 20 changes per user and hour');

select * from tests.finish();
rollback;
