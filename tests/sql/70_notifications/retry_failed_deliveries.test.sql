-- retry_failed_deliveries: the service sends deliveries again whose attempts all failed.
begin;
select tests.start();

select tests.podcast('show', 'ann'), tests.episode('pilot', 'show'), tests.member('bob', 'show');
update private.queues set max_attempts = 1 where name in ('email_deliveries', 'push_deliveries');

-- Fails the delivery as the worker does
create function pg_temp.fail(name text, at timestamptz, is_permanent boolean default false) returns void
language plpgsql as $$
declare
  queue text := (select d.channel || '_deliveries' from public.notification_deliveries d where d.id = tests.id(name));
begin
  perform pgmq.send(queue, jsonb_build_object('delivery_id', tests.id(name)));  -- perhaps a second one
  perform private.fail_job(queue, j.msg_id, 'No answer', fail.is_permanent)
  from private.claim_jobs(queue, 100, 60) j where j.message ->> 'delivery_id' = tests.id(name)::text;
  update public.notification_deliveries d set failed_at = fail.at where d.id = tests.id(name);
end $$;
create function pg_temp.email(name text, at timestamptz, is_permanent boolean default false,
  who text default 'bob') returns void language sql as $$
  select tests.sent_email(name, who, 'episode.team_added', 'queued');
  update private.delivery_sends set provider_message_id = null where delivery_id = tests.id(name);
  select pg_temp.fail(name, at, is_permanent) $$;
create function pg_temp.retry(since text, until text, channel text default null, max_deliveries int default 1000)
returns int language sql as $$
  select (tests.value_as('service', format('select public.retry_failed_deliveries(%L, %L, %L, %s)', since, until,
    channel, max_deliveries))::jsonb ->> 'retriedCount')::int $$;
create function pg_temp.pending() returns text language sql as $$
  select string_agg(i.name, ' ' order by i.name) from public.notification_deliveries d join tests.ids i on i.id = d.id
  where d.status = 'pending' $$;

-- Which
select pg_temp.email('e' || n, '2026-05-01T10:00Z'::timestamptz + n * interval '1 hour') from generate_series(1, 5) n;
select pg_temp.email('rejected', '2026-05-01T12:30Z', true), pg_temp.email('opened', '2026-05-01T12:30Z'),
  pg_temp.email('clicked', '2026-05-01T12:30Z');
select private.advance_delivery(tests.id('opened'), 'opened'), private.advance_delivery(tests.id('clicked'), 'clicked');
select pg_temp.email('complained', '2026-05-01T12:30Z');
update public.notification_deliveries set status = 'pending' where id = tests.id('complained');
update public.notification_deliveries set status = 'queued' where id = tests.id('complained');
select private.advance_delivery(tests.id('complained'), 'sent'),
  private.advance_delivery(tests.id('complained'), 'failed', '2026-05-01T12:30Z');
select tests.sent_email('bounced', 'bob', status => 'sent');
select private.advance_delivery(tests.id('bounced'), 'bounced', '2026-05-01T12:30Z');
select pg_temp.email('gone', '2026-05-01T12:30Z');
delete from public.notification_deliveries where id = tests.id('gone');
select pgmq.send('email_deliveries_dlq', message) from unnest(array['{}', '{"message": {"delivery_id": "x"}}',
  '{"message": null, "is_permanent": false}']::jsonb[]) message;
select tests.push_subscription('phone', 'bob'), tests.push_delivery('push', 'bob');
select private.begin_push_delivery(tests.id('push')) is not null;
select private.record_push_sends(tests.id('push'), jsonb_build_array(jsonb_build_object(
  'subscription_id', tests.id('phone'), 'outcome', 'pending', 'error', 'No answer')));
select pg_temp.fail('push', '2026-05-01T13:30Z');

select is(pg_temp.retry('2026-05-01T15:00:01Z', '2026-06-01'), 0,
  'retry_failed_deliveries returns 0 if no delivery failed in the time');
select is(pg_temp.retry('2026-05-01T11:00Z', '2026-05-01T15:00Z', 'email', 2), 2,
  'retry_failed_deliveries retries at most max_deliveries');
select is(pg_temp.pending(), 'e1 e2', 'retry_failed_deliveries retries the oldest failures first, from failed_from on');
select is(pg_temp.retry('2026-05-01T11:00Z', '2026-05-01T15:00Z', 'email'), 2,
  'retry_failed_deliveries continues with those that are left');
select is(pg_temp.pending(), 'e1 e2 e3 e4', 'retry_failed_deliveries retries no push if the channel is email, no '
  'failure of failed_until or later, and none that was rejected, bounced, complained about, opened or clicked');
select is(pg_temp.retry('2026-05-01T11:00Z', '2026-05-01T15:00Z'), 1, 'retry_failed_deliveries retries every channel');
select is(pg_temp.pending(), 'e1 e2 e3 e4 push', 'retry_failed_deliveries retries pushes');
select is(pg_temp.retry('-infinity', 'infinity'), 1, 'retry_failed_deliveries retries each failure once');

-- As if no attempt had begun
select is(d.failed_at, null, 'a retried delivery has no failed_at') from public.notification_deliveries d
where d.id = tests.id('e1');
select is_empty($$ select from private.delivery_sends s where s.delivery_id in (tests.id('e1'), tests.id('push')) $$,
  'a retried delivery has no content and no error');
select private.enqueue_due_deliveries();
select is(private.begin_email_delivery(tests.id('e1')) #>> '{to,address}', 'bob@test.example',
  'the email of a retried delivery begins again');
select isnt(private.begin_push_delivery(tests.id('push')), null, 'the push of a retried delivery begins again');
select pg_temp.fail('e1', '2026-05-02T11:00Z');
select is(pg_temp.retry('2026-05-02', '2026-05-03'), 1, 'a retried delivery that fails again can be retried again');

-- The recipient has an email whose acceptance no attempt learned
select private.record_email_click(name || ' click') from unnest('{e1,e2}'::text[]) name;
select is(d.status::text, 'clicked', format('a click on an earlier email ends a retried delivery (%s)', name))
from unnest('{e1,e2}'::text[]) name join public.notification_deliveries d on d.id = tests.id(name);

-- An email about a chat
create function pg_temp.message(excerpt text, at timestamptz) returns void language sql as $$
  select private.notify('chat.message', private.user_recipients(tests.id('bob')), jsonb_build_object(
    'podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'), 'params', jsonb_build_object('excerpt', excerpt)),
    _group_key => 'chat', at => at) $$;
create function pg_temp.items() returns text language sql as $$
  select string_agg(item ->> 'body', ' ')
  from jsonb_array_elements(private.begin_email_delivery(tests.id('chat')) -> 'items') item $$;
select pg_temp.message('one', now() - interval '9 minutes'), pg_temp.message('two', now() - interval '8 minutes');
select tests.remember('chat', d.id) from public.notification_deliveries d
where d.collapse_key is not null and d.status = 'pending' and d.channel = 'email';
select private.enqueue_due_deliveries();
select is(pg_temp.items(), 'one two', 'an email about a chat lists its messages');
select pg_temp.fail('chat', '2026-06-01Z');
update public.notifications set read_at = now() where body = 'one';
select pg_temp.message('three', now() - interval '7 minutes');
select is(pg_temp.retry('2026-06-01', '2026-06-02', 'email'), 1,
  'retry_failed_deliveries retries an email about a chat while a later one is pending');
select private.enqueue_due_deliveries();
select is(pg_temp.items(), 'two', 'a retried email about a chat leaves out messages that were read after its failure');
select pg_temp.fail('chat', '2026-06-01Z');
select pg_temp.retry('2026-06-01', '2026-06-02', 'email');
update public.notifications set read_at = now() where body = 'two';
select is(d.status::text, 'canceled', 'reading cancels a retried email about a chat')
from public.notification_deliveries d where d.id = tests.id('chat');

update public.notification_preferences set in_app_chat_message = false where user_id = tests.id('bob');
delete from public.notification_deliveries;
delete from tests.ids where name = 'chat';
select pg_temp.message('four', now() - interval '6 minutes');
select tests.remember('chat', d.id) from public.notification_deliveries d
where d.collapse_key is not null and d.channel = 'email';
select private.enqueue_due_deliveries();
select pg_temp.fail('chat', '2026-06-02Z');
select pg_temp.retry('2026-06-02', '2026-06-03', 'email');
select private.enqueue_due_deliveries();
select is(pg_temp.items(), 'four', 'a retried email about a chat lists the messages that its user wants by email only');

-- A recipient who left the team meanwhile
select tests.member('ex', 'show');
select private.notify('episode.team_added', private.user_recipients(tests.id('ex')),
  jsonb_build_object('podcast_id', tests.id('show'), 'episode_id', tests.id('pilot')));
select tests.remember('left', d.id) from public.notification_deliveries d
where d.user_id = tests.id('ex') and d.channel = 'email';
select private.enqueue_due_deliveries();
select isnt(private.begin_email_delivery(tests.id('left')), null, 'an email to a member begins');
select pg_temp.fail('left', '2026-06-20Z');
delete from public.podcast_members where user_id = tests.id('ex');
select is(pg_temp.retry('2026-06-20', '2026-06-21'), 1, 'retry_failed_deliveries retries an email to a former member');
select private.enqueue_due_deliveries();
select is(private.begin_email_delivery(tests.id('left')), null, 'a retried email to a former member does not begin');
select is((select d.status || ': ' || s.last_error from public.notification_deliveries d
    join private.delivery_sends s on s.delivery_id = d.id where d.id = tests.id('left')),
  'canceled: The recipient no longer has access', 'a retried email to a former member is canceled with the reason');

-- A request that ended meanwhile
select tests.act_as('ann'), public.offer_podcast_transfer(tests.id('show'), tests.id('bob'));
select tests.act_as('postgres');
select tests.remember('offer', d.id) from public.notification_deliveries d
where d.type = 'podcast.transfer_offered' and d.channel = 'email';
select private.enqueue_due_deliveries();
select isnt(private.begin_email_delivery(tests.id('offer')), null, 'an email about an offer begins');
select pg_temp.fail('offer', '2026-06-22Z');
update public.notifications set read_at = now() where type = 'podcast.transfer_offered';
select tests.act_as('ann'), public.withdraw_podcast_transfer(t.id) from public.podcast_transfers t;
select tests.act_as('postgres');
select is(pg_temp.retry('2026-06-22', '2026-06-23'), 1, 'retry_failed_deliveries retries an email about an offer');
select private.enqueue_due_deliveries();
select is(private.begin_email_delivery(tests.id('offer')), null,
  'a retried email about a withdrawn offer does not begin');
select is((select d.status || ': ' || s.last_error from public.notification_deliveries d
    join private.delivery_sends s on s.delivery_id = d.id where d.id = tests.id('offer')),
  'canceled: What it asks for is over', 'a retried email about a withdrawn offer is canceled with the reason');

-- A last attempt that ends after the retry
select pg_temp.email('late', '2026-07-01Z'), pg_temp.retry('2026-07-01', '2026-07-02');
select private.record_email_sent(tests.id('late'), 'late id');
select is(tests.delivery_state('late'), 'sent sent_at',
  'a retried email that an earlier attempt sends meanwhile becomes sent');
select private.enqueue_due_deliveries();
select is_empty($$ select from tests.queued('email_deliveries') q where q ->> 'delivery_id' = tests.id('late')::text $$,
  'a retried email that an earlier attempt sends meanwhile is not sent again');
select private.record_resend_event('late event', '{"type": "email.bounced", "data": {"email_id": "late id"}}');
select is(tests.delivery_state('late'), 'bounced sent_at failed_at',
  'an event about an email that an earlier attempt sent after the retry is recorded');

create function pg_temp.retried_push(name text) returns void language sql as $$
  select tests.push_delivery(name, 'bob');
  select private.begin_push_delivery(tests.id(name));
  select pg_temp.fail(name, '2026-07-03Z'), pg_temp.retry('2026-07-03', '2026-07-04') $$;
create function pg_temp.record(name text, outcome text) returns void language sql as $$
  select private.record_push_sends(tests.id(name), jsonb_build_array(jsonb_build_object(
    'subscription_id', tests.id('phone'), 'outcome', outcome, 'error', 'x'))) $$;
select pg_temp.retried_push('late push'), pg_temp.record('late push', 'accepted');
select is(tests.delivery_state('late push'), 'sent sent_at',
  'a retried push that a push service accepts from an earlier attempt becomes sent');
select pg_temp.retried_push(name || ' push') from unnest('{accepted,pending,rejected}'::text[]) name;
select private.enqueue_due_deliveries();
select pg_temp.record(name || ' push', name) from unnest('{accepted,pending,rejected}'::text[]) name;
select is(tests.delivery_state('accepted push'), 'sent sent_at',
  'an enqueued push that a push service accepts from an attempt before the retry becomes sent');
select is(private.begin_push_delivery(tests.id('accepted push')), null,
  'an enqueued push that a push service accepted from an attempt before the retry is not sent again');
select isnt(private.begin_push_delivery(tests.id(name || ' push')), null,
  format('a retried push is sent again when the attempt before it ends as %s', name))
from unnest('{pending,rejected}'::text[]) name;

select * from tests.finish();
rollback;
