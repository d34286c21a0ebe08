-- delete_podcast: schedules the deletion of a podcast, or deletes an external one at once.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select private.set_plan_limit('free', 'max_podcast_deletions_per_hour', 1000);
update public.podcasts set title = 'The Show' where id = tests.id('show');
-- Deletes with a title, and undoes it; the outcome is the status, or the error.
create function pg_temp.delete(args text, podcast text default 'show') returns text language plpgsql as $$
declare
  outcome text := tests.value_as('ola', format('select tests.outcome_of(%L)',
    format('select public.delete_podcast(tests.id(%L), %s) ->> ''status''', podcast, args)));
begin
  perform tests.set_status(podcast, 'active') where outcome = 'pending_deletion';
  return outcome;
end $$;

select tests.access('delete_podcast', $$ select public.delete_podcast(tests.id('show'), 'The Show') $$,
  '42501: anon; PT403: stranger vic ana; 42501: service');

-- A fresh sign-in
create function pg_temp.delete_later(podcast_title text) returns text language sql as $$
  select tests.value_as('ola', format('select tests.error_of(%L)', format(
    'select private.delete_podcast(tests.id(''show''), %L, null, 90, now() + interval ''10 minutes'')',
    podcast_title))) $$;
select is(pg_temp.delete_later('Wrong'), 'PT400 NAME_MISMATCH',
  'delete_podcast asks for no fresh sign-in unless the setting says so');
select private.set_setting('podcast_deletion_sign_in', 'fresh');
select is(pg_temp.delete_later('The Show'), 'PT403 REAUTHENTICATION_REQUIRED',
  'delete_podcast returns 403 ten minutes after the sign-in if podcast_deletion_sign_in is fresh');
select is(pg_temp.delete('''The Show'''), 'pending_deletion',
  'delete_podcast accepts a fresh sign-in if podcast_deletion_sign_in is fresh');
select private.set_setting('podcast_deletion_sign_in', null);

-- redirect_days
select is(pg_temp.delete(format('''The Show'', null, %s', days)), outcome,
  format('delete_podcast returns %s for redirect_days %s', outcome, days))
from (values
  ('0', 'pending_deletion'), ('1', 'pending_deletion'), ('90', 'pending_deletion'),
  ('-1', 'PT400 redirect_days: must be a whole number of days from 0 to 90'),
  ('91', 'PT400 redirect_days: must be a whole number of days from 0 to 90'),
  ('2147483647', 'PT400 redirect_days: must be a whole number of days from 0 to 90'),
  ('null', 'PT400 redirect_days: must be a whole number of days from 0 to 90'),
  ('''90''', 'pending_deletion'), ('0.5', 'PT400 redirect_days: must be a whole number of days from 0 to 90'),
  ('''0.5''', 'PT400 redirect_days: must be a whole number of days from 0 to 90'), ('90.0', 'pending_deletion'),
  ('''NaN''', 'PT400 redirect_days: must be a whole number of days from 0 to 90')) v (days, outcome);
select tests.act_as('ola');
set local timezone = 'America/New_York';  -- its clocks change on 2027-03-14
select is(
  private.delete_podcast(tests.id('show'), 'The Show', 'https://new.example/feed.xml', 90, '2027-01-10 12:00Z'),
  jsonb_build_object('status', 'pending_deletion', 'deletion_requested_at', '2027-01-10T12:00:00.000Z',
    'deletion_scheduled_at', '2027-04-10T12:00:00.000Z', 'deletion_redirect_url', 'https://new.example/feed.xml'),
  'delete_podcast returns status, request, schedule and redirect; a day has 24 hours in every time zone');
reset timezone;
select tests.act_as('postgres');
select is((select (status, deletion_requested_at at time zone 'UTC', deletion_scheduled_at at time zone 'UTC',
    deletion_redirect_url)::text from public.podcasts where id = tests.id('show')),
  '(pending_deletion,"2027-01-10 12:00:00","2027-04-10 12:00:00",https://new.example/feed.xml)',
  'delete_podcast stores request, schedule and redirect');
select is((select payload from private.events where type = 'podcast.deletion_scheduled' order by id desc limit 1),
  jsonb_build_object('podcast_id', tests.id('show'), 'actor_id', tests.id('ola'),
    'deletion_scheduled_at', '2027-04-10T12:00:00.000Z'),
  'delete_podcast records the event podcast.deletion_scheduled');
select tests.act_as('ola');
select is(tests.describe_error($$ select public.delete_podcast(tests.id('show'), 'Wrong') $$),
  'PT409 / The podcast is scheduled for deletion / PODCAST_PENDING_DELETION',
  'delete_podcast returns 409 for a podcast pending deletion, before it compares the title');
select tests.act_as('postgres');
select tests.set_status('show', 'active');
select tests.act_as('ola');
select is(
  private.delete_podcast(tests.id('show'), 'The Show', 'https://new.example/feed.xml', 0, '2027-01-10 12:00Z'),
  jsonb_build_object('status', 'pending_deletion', 'deletion_requested_at', '2027-01-10T12:00:00.000Z',
    'deletion_scheduled_at', '2027-01-10T12:00:00.000Z', 'deletion_redirect_url', null),
  'delete_podcast with redirect_days 0 schedules the deletion for now and stores no redirect');
select tests.act_as('postgres');
select tests.set_status('show', 'active'), tests.set_status('show', 'paused', '2027-01-10Z');
select tests.act_as('ola');
select is(public.delete_podcast(tests.id('show'), 'The Show') ->> 'status', 'pending_deletion',
  'delete_podcast accepts a paused podcast');
select tests.act_as('postgres');
select is((select paused_at from public.podcasts where id = tests.id('show')), '2027-01-10Z',
  'delete_podcast keeps the pause of a paused podcast, so that cancel_deletion restores it');
select is((select deletion_scheduled_at - deletion_requested_at from public.podcasts where id = tests.id('show')),
  '90 days', 'delete_podcast schedules the deletion 90 days later by default');
select tests.set_status('show', 'active');

-- confirm_name
select is(pg_temp.delete(quote_nullable(name)), outcome, format('delete_podcast returns %s for a title as %s', outcome,
  description))
from (values
  ('typed', 'The Show', 'pending_deletion'), ('lower case', 'the show', 'pending_deletion'),
  ('upper case', 'THE SHOW', 'pending_deletion'),
  ('spaces around it', E'  The Show\t\n', 'pending_deletion'),
  ('folded white space', E'The \t\n  Show', 'pending_deletion'),
  ('the space of Japanese keyboards', U&'The\3000Show', 'pending_deletion'),
  ('two words in one', 'TheShow', 'PT400 NAME_MISMATCH'), ('a part of it', 'The Sho', 'PT400 NAME_MISMATCH'),
  ('a pattern', '%', 'PT400 NAME_MISMATCH'), ('null', null, 'PT400 NAME_MISMATCH'),
  ('empty text', '', 'PT400 NAME_MISMATCH'), ('white space', '  ', 'PT400 NAME_MISMATCH'),
  ('10,000 characters', repeat('The Show ', 1111), 'PT400 NAME_MISMATCH'),
  ('10,000 spaces around it', repeat(' ', 10000) || 'The Show', 'PT400 NAME_MISMATCH'),
  ('the slug', 'the-show-', 'PT400 NAME_MISMATCH')) v (description, name, outcome);
select tests.act_as('ola');
select is(tests.describe_error($$ select public.delete_podcast(tests.id('show'), 'Show') $$),
  'PT400 / confirm_name does not match the title of the podcast; enter the title to confirm its deletion / '
    'NAME_MISMATCH', 'delete_podcast returns 400 NAME_MISMATCH for another title');
select tests.act_as('postgres');

-- An external podcast
select tests.podcast('elsewhere', 'ola', 'external'), tests.member('vic', 'elsewhere');
select is(pg_temp.delete($$ 'wrong' $$, 'elsewhere'), 'PT400 NAME_MISMATCH',
  'delete_podcast compares the title of an external podcast too');
select is(pg_temp.delete($$ 'elsewhere', redirect_days => 91 $$, 'elsewhere'),
  'PT400 redirect_days: must be a whole number of days from 0 to 90',
  'delete_podcast checks redirect_days of an external podcast too');
select tests.act_as('ola');
select is(
  private.delete_podcast(tests.id('elsewhere'), 'Elsewhere', 'https://new.example/feed', 90, '2027-01-10 12:00Z'),
  jsonb_build_object('status', 'deleted', 'deletion_requested_at', '2027-01-10T12:00:00.000Z',
    'deletion_scheduled_at', null, 'deletion_redirect_url', null, 'immediate', true),
  'delete_podcast deletes an external podcast at once, without schedule and redirect');
select is(tests.error_of(format('select public.%s', call)), 'PT404',
  format('%s returns 404 for a deleted podcast', split_part(call, '(', 1)))
from (values ('get_podcast_lifecycle(tests.id(''elsewhere''))'), ('pause_podcast(tests.id(''elsewhere''))'),
  ('unpause_podcast(tests.id(''elsewhere''))'), ('delete_podcast(tests.id(''elsewhere''), ''elsewhere'')'),
  ('update_deletion_redirect(tests.id(''elsewhere''), null)'), ('cancel_deletion(tests.id(''elsewhere''))')) v (call);
select tests.act_as('postgres');
select is(tests.result_of(who, $$ select from public.podcasts where id = tests.id('elsewhere') $$), 'ok 0',
  format('%s does not see an external podcast whose deletion was requested', who)) from unnest('{ola,vic}'::text[]) who;
select is((select (slug, hosting_type)::text from private.podcast_tombstones
    where podcast_id = tests.id('elsewhere')), '(elsewhere,external)',
  'delete_podcast leaves a tombstone of an external podcast');
select is((select count(*) from pgmq.q_podcast_deletions
    where message ->> 'podcast_id' = tests.id('elsewhere')::text), 1::bigint,
  'delete_podcast leaves the rows of an external podcast to the worker');
select tests.empty_queue('podcast_deletions');
select is(private.enqueue_due_deletions('2027-01-10 12:00Z'), 1,
  'enqueue_due_deletions finds an external podcast whose message was lost');
select is(private.delete_due_podcast(tests.id('elsewhere'), '2027-01-10 12:00Z'), true,
  'delete_due_podcast deletes an external podcast at once');
select is_empty($$ select from public.podcast_members where podcast_id = tests.id('elsewhere') $$,
  'delete_due_podcast deletes the rows of an external podcast');
select is((select payload from private.events where type = 'podcast.deleted'),
  jsonb_build_object('podcast_id', tests.id('elsewhere'), 'actor_id', tests.id('ola'), 'podcast_title', 'elsewhere'),
  'the deletion of an external podcast records the event podcast.deleted once, with who requested it');

-- redirect_url; update_deletion_redirect.test.sql tries its forms
select tests.podcast('abroad', 'ola', 'external');
select is(pg_temp.delete(format('%L, %L, %s', title, url, days), podcast), 'PT400 INVALID_REDIRECT_URL',
  format('delete_podcast returns 400 for the redirect %s of the podcast %s with redirect_days %s', url, podcast, days))
from (values ('show', 'The Show'), ('abroad', 'abroad')) p (podcast, title),
  (values ('ftp://new.example/feed'), (private.get_setting('public_api_url') || '/feeds/other.xml')) u (url),
  (values (0), (90)) d (days);
select is((select array_agg(p.title || ' ' || p.status order by p.id = tests.id('show')) from public.podcasts p
    where p.id in (tests.id('show'), tests.id('abroad'))), '{abroad active,The Show active}',
  'delete_podcast deletes nothing when it rejects the redirect');

-- Rate limit
select private.set_plan_limit('free', 'max_podcast_deletions_per_hour', 20);
select tests.podcast('busy', 'pat');
create function pg_temp.deletions(times int) returns jsonb language plpgsql as $$
declare
  counts  jsonb := '{}';
  outcome text;
begin
  for n in 1 .. times loop
    outcome := tests.result_of('pat', $s$ select public.delete_podcast(tests.id('busy'), 'busy') $s$);
    counts := counts || jsonb_build_object(outcome, coalesce((counts ->> outcome)::int, 0) + 1);
    perform tests.set_status('busy', 'active');
  end loop;
  return counts;
end $$;
select is(tests.result_of('pat', $$ select public.delete_podcast(tests.id('busy'), 'wrong') $$), 'PT400',
  'delete_podcast counts no call that fails');
select is(pg_temp.deletions(22), '{"ok 1": 20, "PT429": 2}', 'delete_podcast accepts 20 deletions per user and hour');

select * from tests.finish();
rollback;
