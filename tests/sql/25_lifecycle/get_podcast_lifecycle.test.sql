-- get_podcast_lifecycle: every field of the resource in every state.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.podcast('elsewhere', 'ola', 'external');
-- The resource, as the owner reads it at that time
create function pg_temp.resource(at timestamptz, podcast text default 'show') returns jsonb language sql as $$
  select tests.value_as('ola', format('select private.get_podcast_lifecycle(tests.id(%L), %L)', podcast, at))::jsonb
$$;
create function pg_temp.expected(fields jsonb) returns jsonb language sql as $$
  select jsonb_build_object('status', 'active', 'hosting_type', 'native', 'paused_at', null, 'pause_expires_at', null,
    'last_pause_ended_at', null, 'can_pause', false, 'is_paid_plan', false, 'next_pause_available_at', null,
    'deletion_requested_at', null, 'deletion_redirect_url', null, 'deletion_scheduled_at', null,
    'feed_redirect_url', null, 'redirect_starts_at', null, 'redirect_check', null) || fields
$$;

select tests.access('get_podcast_lifecycle', $$ select public.get_podcast_lifecycle(tests.id('show')) $$,
  '42501: anon; PT403: stranger vic ana; ok 1: ola; 42501: service');

select is(pg_temp.resource('2027-01-01Z'), pg_temp.expected('{}'),
  'get_podcast_lifecycle returns an active podcast of a free plan with every other field null or false');
select tests.set_plan('ola', 'pro');
select is(pg_temp.resource('2027-01-01Z'), pg_temp.expected('{"can_pause": true, "is_paid_plan": true}'),
  'get_podcast_lifecycle returns can_pause for an active podcast of a paid plan');
select is(pg_temp.resource('2027-01-01Z', 'elsewhere'),
  pg_temp.expected('{"hosting_type": "external", "can_pause": true, "is_paid_plan": true}'),
  'get_podcast_lifecycle returns can_pause for an external podcast too');

select tests.set_status('show', 'paused', '2027-01-10 12:00Z');
select is(pg_temp.resource('2027-02-01Z'), pg_temp.expected('{"status": "paused", "is_paid_plan": true,
    "paused_at": "2027-01-10T12:00:00.000Z", "pause_expires_at": "2027-04-10T12:00:00.000Z"}'),
  'get_podcast_lifecycle returns the pause of a paused podcast');
select tests.set_status('show', 'pending_deletion', '2027-03-01 06:30Z');
select is(pg_temp.resource('2027-03-02Z'), pg_temp.expected('{"status": "pending_deletion", "is_paid_plan": true,
    "paused_at": "2027-01-10T12:00:00.000Z", "pause_expires_at": "2027-04-10T12:00:00.000Z",
    "deletion_requested_at": "2027-03-01T06:30:00.000Z", "deletion_scheduled_at": "2027-05-30T06:30:00.000Z"}'),
  'get_podcast_lifecycle returns the pause of a paused podcast that is pending deletion');
update public.podcasts set deletion_redirect_url = 'https://new.example/feed.xml' where id = tests.id('show');
select is(pg_temp.resource('2027-03-02Z') ->> 'deletion_redirect_url', 'https://new.example/feed.xml',
  'get_podcast_lifecycle returns the redirect of a podcast pending deletion');
select tests.set_status('show', 'active'), tests.set_status('show', 'pending_deletion', '2027-03-01 06:30Z');
select is(pg_temp.resource('2027-03-02Z'), pg_temp.expected('{"status": "pending_deletion", "is_paid_plan": true,
    "deletion_requested_at": "2027-03-01T06:30:00.000Z", "deletion_scheduled_at": "2027-05-30T06:30:00.000Z"}'),
  'get_podcast_lifecycle returns no pause of an active podcast that is pending deletion');

select tests.set_status('show', 'active');
update public.podcasts set last_pause_ended_at = '2028-02-29 10:00Z' where id = tests.id('show');
select is(pg_temp.resource('2028-03-01Z'), pg_temp.expected('{"is_paid_plan": true,
    "last_pause_ended_at": "2028-02-29T10:00:00.000Z", "next_pause_available_at": "2029-02-28T10:00:00.000Z"}'),
  'get_podcast_lifecycle returns when the next pause is available, 12 months after the last one ended');
select is(pg_temp.resource('2029-02-28 10:00Z'), pg_temp.expected('{"is_paid_plan": true, "can_pause": true,
    "last_pause_ended_at": "2028-02-29T10:00:00.000Z"}'),
  'get_podcast_lifecycle returns can_pause, and no date, once 12 months are over');
select tests.set_plan('ola', 'free');
select is(pg_temp.resource('2028-03-01Z'), pg_temp.expected('{
    "last_pause_ended_at": "2028-02-29T10:00:00.000Z", "next_pause_available_at": "2029-02-28T10:00:00.000Z"}'),
  'get_podcast_lifecycle returns when the next pause is available on a free plan too');

set local transaction_read_only = on;
select is(pg_temp.resource('2028-03-01Z') ->> 'status', 'active',
  'get_podcast_lifecycle runs in a read-only transaction, as PostgREST runs GET requests');

select * from tests.finish();
rollback;
