-- record_resend_event: events of Resend move deliveries forward, once each, and stop emails to addresses.
begin;
select tests.start();
select tests.person('ola'), tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.guest('gus', 'pilot');

create sequence pg_temp.event_ids;
create function pg_temp.event(message text, type text, data jsonb default '{}',
  at text default '2026-01-01T10:00:00.000Z') returns jsonb language sql as $$
  select jsonb_build_object('type', type, 'created_at', at,
    'data', jsonb_build_object('email_id', message, 'to', jsonb_build_array('ola@test.example')) || data) $$;
create function pg_temp.record(message text, type text, data jsonb default '{}',
  at text default '2026-01-01T10:00:00.000Z', id text default null) returns boolean language sql as $$
  select private.record_resend_event(coalesce(id, 'msg_' || nextval('pg_temp.event_ids')),
    pg_temp.event(message, type, data, at)) $$;
create function pg_temp.suppressed() returns text language sql as $$
  select string_agg(concat_ws(' ', v.name, s.type, s.reason, s.detail), ', ' order by v.name, s.reason)
  from private.email_suppressions s left join (values ('ola'), ('gus'), ('old'), ('ann')) v (name)
    on s.digest = private.email_digest(v.name || '@test.example') $$;
create temp table kinds as
  select * from (values ('email.sent', 'sent', 'sent_at'), ('email.delivered', 'delivered', 'delivered_at'),
    ('email.opened', 'opened', 'opened_at'), ('email.clicked', 'clicked', 'clicked_at'),
    ('email.bounced', 'bounced', 'failed_at'), ('email.complained', 'failed', 'failed_at'),
    ('email.failed', 'failed', 'failed_at'), ('email.suppressed', 'failed', 'failed_at')) v (type, status, field);

-- The table of events
select tests.sent_email('one ' || type, 'ola', status => 'queued') from kinds;
select is(pg_temp.record('one ' || type, type), true, 'record_resend_event records ' || type) from kinds;
select is(tests.delivery_state('one ' || type), status || ' ' || field,
  format('%s sets the status %s and %s', type, status, field)) from kinds;
select is((select coalesce(d.sent_at, d.delivered_at, d.opened_at, d.clicked_at, d.failed_at)
    from notification_deliveries d where d.id = tests.id('one ' || k.type)), '2026-01-01T10:00Z',
  k.type || ' sets the time of the event') from kinds k;
delete from private.email_suppressions;

-- A canceled delivery
select tests.sent_email('off', 'ola', status => 'canceled');
update private.delivery_sends set last_error = 'The recipient turned these emails off'
where delivery_id = tests.id('off');
select is(pg_temp.record('off', type), false,
  format('record_resend_event returns false for %s of a canceled email', type))
from kinds;
select is(concat_ws(' ', d.status, d.sent_at, d.failed_at, s.last_error),
  'canceled The recipient turned these emails off', 'a canceled email stays canceled and keeps its reason')
from public.notification_deliveries d join private.delivery_sends s on s.delivery_id = d.id
where d.id = tests.id('off');
select is(pg_temp.suppressed(), 'ola complaint', 'a complaint about a canceled email suppresses its address');
delete from private.email_suppressions;

-- Every pair in each order
select tests.sent_email(format('pair %s %s', a.type, b.type), 'ola', status => 'queued') from kinds a, kinds b;
select is(pg_temp.record(format('pair %s %s', a.type, b.type), a.type, at => '2026-01-01T11:00Z')
    and pg_temp.record(format('pair %s %s', a.type, b.type), b.type, at => '2026-01-01T12:00Z'), true,
  format('record_resend_event records %s, then %s', a.type, b.type)) from kinds a, kinds b;
select is(tests.delivery_state(format('pair %s %s', a.type, b.type)), concat_ws(' ',
    greatest(a.status::delivery_status, b.status::delivery_status), f.fields),
  format('%s and then %s set the higher status and both times', a.type, b.type))
from kinds a, kinds b cross join lateral (
  select string_agg(n.field, ' ' order by n.ord) as fields
  from unnest(array['sent_at', 'delivered_at', 'opened_at', 'clicked_at', 'failed_at']) with ordinality n (field, ord)
  where n.field in (a.field, b.field)) f;
select is((select coalesce(d.sent_at, d.delivered_at, d.opened_at, d.clicked_at, d.failed_at)
    from notification_deliveries d where d.id = tests.id(format('pair %s %s', a.type, b.type))), '2026-01-01T11:00Z',
  format('%s after %s keeps the first time', b.type, a.type))
from kinds a join kinds b using (field);

-- Random histories of up to 14 events, each with repetitions under the same and other ids, interleaved
select setseed(0.4);
create temp table history as
  select h, n as event, (array(select type from kinds order by type))[1 + floor(random() * 8)] as type,
    '2026-01-01Z'::timestamptz + floor(random() * 20) * interval '1 minute' as at
  from generate_series(1, 40) h, lateral generate_series(1, 1 + h % 14) n;
insert into history select h, event, type, at from history where random() < 0.4;         -- the same id
insert into history select h, event + 100, type, at from history where random() < 0.2;   -- another id
select tests.sent_email('history ' || h, 'ola', status => 'queued') from generate_series(1, 40) h;
create temp table steps (before delivery_status, after delivery_status);
do $$
declare
  step   record;
  before delivery_status;
begin
  for step in select * from history order by random() loop
    select d.status into before from notification_deliveries d where d.id = tests.id('history ' || step.h);
    perform pg_temp.record('history ' || step.h, step.type, at => step.at::text, id => step.h || '/' || step.event);
    insert into steps select before, d.status from notification_deliveries d
    where d.id = tests.id('history ' || step.h);
  end loop;
end $$;
select is_empty('select * from steps where after < before', 'no event of a random history moves a delivery back');
select results_eq(
  $$ select h, d.status::text, d.sent_at, d.delivered_at, d.opened_at, d.clicked_at, d.failed_at
     from generate_series(1, 40) h join notification_deliveries d on d.id = tests.id('history ' || h) order by h $$,
  $$ select h, max(status::delivery_status)::text, min(at) filter (where field = 'sent_at'),
       min(at) filter (where field = 'delivered_at'), min(at) filter (where field = 'opened_at'),
       min(at) filter (where field = 'clicked_at'), min(at) filter (where field = 'failed_at')
     from history join kinds using (type) group by h order by h $$,
  'a random history ends with its highest status and the earliest time of each field');
delete from private.email_suppressions;

-- Repetitions, unknown messages and events
select tests.sent_email('mail', 'ola');
select is(pg_temp.record('mail', 'email.opened', id => 'msg_a'), true, 'record_resend_event records a new id');
update notification_deliveries set opened_at = null where id = tests.id('mail');
select is(pg_temp.record('mail', 'email.opened', id => 'msg_a'), false, 'record_resend_event ignores a known id');
select is(tests.delivery_state('mail'), 'opened', 'a repeated event changes nothing');
create temp table before as select d.* from notification_deliveries d;
select is(pg_temp.record('none', type), false, 'record_resend_event ignores ' || type || ' of an unknown message')
from kinds;
select is(pg_temp.record('mail', type), false, format('record_resend_event ignores the type %L', type))
from unnest(array['email.delivery_delayed', 'email.scheduled', 'contact.created', 'sent', '', null])
  type;
select is(private.record_resend_event('msg_form', event), false, format('record_resend_event ignores %s', event))
from unnest(array['null', '{}', '[]', '"email.sent"', '{"type": "email.sent"}', '{"type": "email.sent", "data": []}',
    '{"type": "email.sent", "data": {"email_id": null}}']::jsonb[]) event;
select set_eq('select * from notification_deliveries', 'select * from before', 'ignored events change no delivery');
select is(pg_temp.suppressed(), 'ola complaint',
  'a complaint about an email without a delivery suppresses its address, an ignored event none');
delete from private.email_suppressions;
select pg_temp.record('none', 'email.bounced', '{"bounce": {"type": "Permanent"}}', id => 'msg_none');
select is(pg_temp.suppressed(), 'ola bounce',
  'a permanent bounce of an email without a delivery suppresses its address');
delete from private.email_suppressions;
select pg_temp.record('none', 'email.bounced', '{"bounce": {"type": "Permanent"}}', id => 'msg_none');
select is(pg_temp.suppressed(), null, 'a repeated event suppresses no address again');
select pg_temp.record('none', 'email.complained', jsonb_build_object('to', "to"))
from unnest(array['null', '[]', '["not an address"]']::jsonb[]) "to";
select is(pg_temp.suppressed(), null, 'a complaint without delivery and usable address suppresses no address');
select lives_ok($$ select private.record_resend_event('msg_time', pg_temp.event('mail', 'email.sent', at => 'soon')) $$,
  'record_resend_event accepts an event without a usable time');
select is((select d.sent_at from notification_deliveries d where d.id = tests.id('mail')),
  (select e.received_at from private.resend_events e where e.id = 'msg_time'),
  'record_resend_event takes the time of receipt for an event without a usable time');

-- Suppressions
select tests.sent_email('mail ' || n, 'ola') from generate_series(1, 9) n;
select tests.sent_email('to gus', 'pilot/gus'), tests.sent_email('to ann', 'ann@test.example');
select pg_temp.record('mail 1', 'email.bounced', jsonb_build_object('bounce', bounce::jsonb)) from (values
  ('{"type": "Transient", "subType": "MailboxFull", "message": "full"}'), ('{"type": "Undetermined"}'), ('{}'),
  ('null'))
  v (bounce);
select pg_temp.record('mail 1', 'email.bounced'), pg_temp.record('mail 1', 'email.failed');
select is(pg_temp.suppressed(), null, 'a bounce that is not permanent, or a failure, suppresses no address');
select is((select s.last_error from private.delivery_sends s where s.delivery_id = tests.id('mail 1')), 'email.failed',
  'a failure without a reason is stored as its type');
select pg_temp.record('mail 2', 'email.bounced', '{"bounce": {"type": "Permanent", "subType": "General",
  "message": "550 5.1.1 <ola@test.example>: user unknown"}}');
select is(pg_temp.suppressed(), 'ola bounce General: 550 5.1.1 … user unknown',
  'a permanent bounce suppresses the address with Resend''s explanation, without the address');
select is((select s.last_error from private.delivery_sends s where s.delivery_id = tests.id('mail 2')),
  'General: 550 5.1.1 … user unknown', 'a bounce stores Resend''s explanation in the delivery');
select pg_temp.record('mail 3', 'email.complained');
select is(pg_temp.suppressed(), 'ola bounce General: 550 5.1.1 … user unknown, ola complaint',
  'a complaint after a bounce is added, and the bounce is kept');
delete from private.email_suppressions;
select pg_temp.record('mail 4', 'email.complained');
select is(pg_temp.suppressed(), 'ola complaint', 'a complaint suppresses the address');
select is(private.is_email_suppressed('Ola@Test.example', 'chat.message'), true,
  'a complaint stops emails of every type that is not essential');
delete from private.email_suppressions;
select pg_temp.record('mail 5', 'email.complained', to_field) from unnest(array[
  '{"to": ["Old Ola <Old@test.example>"]}', '{"to": "old@test.example"}']::jsonb[]) to_field;
select is(pg_temp.suppressed(), 'old complaint', 'a complaint suppresses the address that received the email');
delete from private.email_suppressions;
select pg_temp.record('mail 6', 'email.complained', '{"to": null}'),
  pg_temp.record('to gus', 'email.complained', '{"to": []}'),
  pg_temp.record('to ann', 'email.complained', '{"to": ["not an address"]}');
select is(pg_temp.suppressed(), 'ann complaint, gus complaint, ola complaint',
  'a complaint without a usable address suppresses the address of the user, guest or recipient');
delete from private.email_suppressions;
select pg_temp.record('mail 7', 'email.bounced', jsonb_build_object('bounce',
  jsonb_build_object('type', 'permanent', 'message', repeat('x', 5000))));
select is((select char_length(s.detail) from private.email_suppressions s), 1000,
  'Resend''s explanation is stored with at most 1,000 characters');
delete from private.email_suppressions;
select pg_temp.record('mail 8', 'email.failed', '{"failed": {"reason": "reached_daily_quota"}}');
select is((select s.last_error from private.delivery_sends s where s.delivery_id = tests.id('mail 8')),
  'reached_daily_quota', 'a failure stores its reason in the delivery');

-- Events before the worker stores the id of the message
select pg_temp.record('early', 'email.delivered', at => '2026-01-01T10:05Z'),
  pg_temp.record('early', 'email.complained', '{"to": ["old@test.example"]}', '2026-01-01T10:06Z');
update private.delivery_sends s set provider_message_id = 'early' where s.delivery_id = tests.id('mail 9');
select is(tests.delivery_state('mail 9'), 'failed delivered_at failed_at',
  'events that arrived before the message''s id are recorded when the worker stores it');
select is(pg_temp.suppressed(), 'old complaint',
  'a complaint that arrived before the message''s id suppresses its address');

-- Retention
select private.purge_notifications(clock_timestamp() + interval '6 days 23 hours');
select isnt((select count(*) from private.resend_events), 0::bigint,
  'purge_notifications keeps events of Resend for 7 days');
select private.purge_notifications(clock_timestamp() + interval '7 days 1 hour');
select is_empty('select from private.resend_events', 'purge_notifications deletes older events of Resend');

select * from tests.finish();
rollback;
