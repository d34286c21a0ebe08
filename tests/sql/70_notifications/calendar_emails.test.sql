-- Emails to addresses with a token and a calendar file: what they need, and their order
begin;
select tests.start();
select tests.podcast('show', 'ann');

create function pg_temp.event(changes jsonb default '{}') returns jsonb language sql as $$
  select '{"uid": "booking-1@casts.test", "method": "REQUEST", "status": "CONFIRMED", "sequence": 1,
    "start": "2026-06-01T10:00:00+00:00", "end": "2026-06-01T11:00:00.5Z", "summary": "Recording for show",
    "description": "Zoe; notes", "organizer": {"name": "show", "email": "host@x.test"},
    "attendee": {"name": "Zoe", "email": "zoe@x.test"}, "url": "https://x.test/b"}'::jsonb || $1
$$;
create function pg_temp.access(changes jsonb default '{}') returns jsonb language sql as $$
  select '{"kind": "booking", "subject_id": "00000000-0000-4000-8000-000000000001",
    "expires_at": "2026-07-01T00:00:00+02:00"}'::jsonb || $1
$$;

-- Bounds
select is(private.is_calendar_event(pg_temp.event(changes)), expected, format('is_calendar_event returns %s for %s',
  expected, what)) from (values
  ('an event', '{}'::jsonb, true),
  ('a cancellation', '{"method": "CANCEL", "status": "CANCELLED"}', true),
  ('missing names and texts', '{"description": null, "url": null, "organizer": {"email": "a@x.test"}}', true),
  ('an unknown key', '{"geo": "x"}', false),
  ('another method', '{"method": "PUBLISH"}', false),
  ('another status', '{"status": "confirmed"}', false),
  ('a request of a canceled event', '{"status": "CANCELLED"}', false),
  ('a cancellation of a confirmed event', '{"method": "CANCEL"}', false),
  ('no uid', '{"uid": null}', false),
  ('a uid with a line break', '{"uid": "a\r\nb"}', false),
  ('a long uid', jsonb_build_object('uid', repeat('x', 256)), false),
  ('a negative sequence', '{"sequence": -1}', false),
  ('a fractional sequence', '{"sequence": 1.5}', false),
  ('a sequence as text', '{"sequence": "1"}', false),
  ('a huge sequence', '{"sequence": 1000000000}', false),
  ('a start without an offset', '{"start": "2026-06-01T10:00:00"}', false),
  ('a start on a day that does not exist', '{"start": "2026-06-41T10:00:00Z"}', false),
  ('a start that is a number', '{"start": 1}', false),
  ('an end that is not after the start', '{"end": "2026-06-01T10:00:00Z"}', false),
  ('no summary', '{"summary": ""}', false),
  ('a long summary', jsonb_build_object('summary', repeat('x', 1001)), false),
  ('a long description', jsonb_build_object('description', repeat('x', 65537)), false),
  ('a description that is an object', '{"description": {}}', false),
  ('no organizer', '{"organizer": null}', false),
  ('an organizer without an address', '{"organizer": {"name": "x"}}', true),
  ('an organizer with a hostile address', '{"organizer": {"email": "a@b.test\r\nX:y"}}', false),
  ('an attendee with a hostile address', '{"attendee": {"email": "a@b.test\r\nX:y"}}', false),
  ('an attendee with a long name', jsonb_build_object('attendee',
    jsonb_build_object('name', repeat('x', 1001), 'email', 'a@x.test')), false),
  ('a url that is a script', '{"url": "javascript:x"}', false)) v (what, changes, expected);
select is(private.is_calendar_event('[]'), false, 'is_calendar_event returns false for an array');
select is(private.is_access(pg_temp.access(changes)), expected, format('is_access returns %s for %s', expected, what))
from (values ('an access', '{}'::jsonb, true), ('an unknown key', '{"x": 1}', false),
  ('no kind', '{"kind": null}', false),
  ('a kind in capitals', '{"kind": "B"}', false), ('a subject that is not a uuid', '{"subject_id": "x"}', false),
  ('no expiry', '{"expires_at": null}', false), ('endless access', '{"expires_at": "infinity"}', false)
) v (what, changes, expected);
create function pg_temp.notify(name text, changes jsonb default '{}', type text default 'booking.confirmed',
  at timestamptz default now()) returns text language plpgsql as $$
declare
  event_id bigint;
begin
  event_id := private.notify(notify.type, jsonb_build_array('{"email": "zoe@x.test", "url": "https://x.test/b"}'::jsonb
    || jsonb_build_object('access', pg_temp.access(), 'calendar_event', pg_temp.event()) || changes),
    jsonb_build_object('podcast_id', tests.id('show'), 'start_at', '2026-06-01T10:00:00Z'), at => notify.at);
  perform private.enqueue_due_deliveries(now() + interval '1 day');
  perform tests.remember(notify.name, d.id) from public.notification_deliveries d
    join private.delivery_addresses a on a.delivery_id = d.id
    where not exists (select from tests.ids i where i.id = d.id);
  return (select concat_ws(' ', e.notified_count, e.invalid_count) from private.events e where e.id = event_id);
end $$;
create function pg_temp.begin_send(name text, at timestamptz default now()) returns jsonb language sql as
  $$ select private.begin_email_delivery(tests.id(name), 120, at) $$;
create function pg_temp.state(name text) returns text language sql as $$
  select concat_ws(' ', d.status, s.last_error) from public.notification_deliveries d
  left join private.delivery_sends s on s.delivery_id = d.id where d.id = tests.id(name) $$;
select is(pg_temp.notify('invalid', changes), '0 1', 'notify leaves out and counts an address with ' || what)
from (values
  ('an invalid event', '{"calendar_event": {"uid": "x"}}'::jsonb), ('an invalid access', '{"access": {"kind": "x"}}'),
  ('an access without a url', '{"url": null}')) v (what, changes);
select is(pg_temp.notify('plain', '{"access": null, "calendar_event": null}'), '1 0',
  'notify accepts an address whose access and event are null');
select ok((pg_temp.begin_send('plain') ->> 'hasAccess')::boolean is false
    and pg_temp.begin_send('plain') -> 'calendarEvent' = 'null',
  'an email to an address without access and event has neither');

-- Content and tokens
select pg_temp.notify('one');
select is(pg_temp.begin_send('one')
    - '{to,items,language,subject,reason,tokenUrl,replyTo,guest,topic}'::text[],
  jsonb_build_object('action', 'Manage booking', 'url', 'https://x.test/b', 'unsubscribe', null,
    'attachments', '[]'::jsonb, 'hasAccess', true, 'details', null,
    'calendarEvent', pg_temp.event() || jsonb_build_object('createdAt', d.created_at)),
  'begin_email_delivery returns the event with the time of the delivery, and that the link has a token')
from public.notification_deliveries d where d.id = tests.id('one');
select private.store_email_tokens(tests.id('one'), format('[{"kind": "access", "digest": "%s"}]',
  encode(sha256('secret'), 'hex'))::jsonb) from generate_series(1, 2);
select is((private.find_access_token('secret', 'booking', '2026-06-30T21:59:59Z')).subject_id,
  '00000000-0000-4000-8000-000000000001'::uuid,
  'store_email_tokens stores a token that opens the record of the access');
select is((private.find_access_token('secret', kind, at)).subject_id, null, 'a token of access opens nothing ' || what)
from (values ('of another kind', 'guest', now()), ('from its expiry on', 'booking', '2026-06-30T22:00:00Z')
) v (what, kind, at);
select is((select count(*)::int from private.email_tokens t where t.delivery_id = tests.id('one')), 0,
  'store_email_tokens stores a token of access in private.access_tokens alone');
select is(tests.error_of(format('select private.store_email_tokens(%L, %L)', tests.id('plain'),
    format('[{"kind": "access", "digest": "%s"}]', repeat('ab', 32)))), '23502',
  'store_email_tokens returns 23502 for a token of access to a recipient without access');
select private.purge_notifications('2026-07-30T21:59:59Z');
select is((select count(*)::int from private.access_tokens), 1,
  'purge_notifications keeps tokens of access for 30 days after their expiry');
select private.purge_notifications('2026-07-30T22:00:00Z');
select is((select count(*)::int from private.access_tokens), 0,
  'purge_notifications deletes tokens of access after 30 days');

-- Essential emails
select pg_temp.notify('asked', '{"calendar_event": null}', 'booking.requested'),
  pg_temp.notify('named', '{"name": "Zoe", "calendar_event": null}', 'booking.declined');
select is(pg_temp.begin_send('named') #>> '{to,name}', 'Zoe', 'an email to an address greets by the name');
select ok(pg_temp.begin_send('asked') ->> 'unsubscribe' is not null,
  'the email of a request has a link to unsubscribe');
select private.suppress_email(private.email_digest('zoe@x.test'), 'unsubscribed', type)
from unnest(array['booking.requested', 'booking.cancelled']) type;
select pg_temp.notify('requested', '{"calendar_event": null}', 'booking.requested'),
  pg_temp.notify('canceled', '{"calendar_event": null}', 'booking.cancelled');
select is(pg_temp.begin_send('requested'), null, 'a person who unsubscribed from requests gets no request');
select is(pg_temp.begin_send('canceled') ->> 'unsubscribe', null,
  'a person who unsubscribed gets a cancellation, which has no link to unsubscribe');

-- Order
delete from public.notification_deliveries;
select pg_temp.notify('v1'), pg_temp.notify('v3', '{"email": "ZOE@x.test"}' || jsonb_build_object('calendar_event',
    pg_temp.event('{"sequence": 3}'))),
  pg_temp.notify('v2', jsonb_build_object('calendar_event', pg_temp.event('{"sequence": 2}'))),
  pg_temp.notify('other uid', jsonb_build_object('calendar_event', pg_temp.event('{"uid": "2", "sequence": 9}'))),
  pg_temp.notify('other address', jsonb_build_object('email', 'yan@x.test',
    'calendar_event', pg_temp.event('{"sequence": 9}')));
select is(pg_temp.begin_send(name), null, format('%s is not sent while v3 waits', name))
from unnest(array['v1', 'v2']) name;
select is(pg_temp.state(name), 'canceled A newer email about this event replaced it',
  format('%s ends canceled, with the reason', name)) from unnest(array['v1', 'v2']) name;
select is(pg_temp.begin_send(name) #>> '{calendarEvent,sequence}', sequence, format('%s is sent', name))
from (values ('v3', '3'), ('other uid', '9'), ('other address', '9')) v (name, sequence);

select pg_temp.notify('v4', jsonb_build_object('calendar_event', pg_temp.event('{"sequence": 4}')));
select is(pg_temp.begin_send('v4', now() + interval '119 seconds'), '{"postponed": true}',
  'an email is postponed while an attempt of an older one is running');
select is(pg_temp.state('v4'), 'queued', 'a postponed email stays queued, without a failure');
select is(pg_temp.begin_send('v3'), null, 'an email whose attempt failed is not sent again once a newer one exists');
select is(pg_temp.begin_send('v4', now() + interval '119 seconds'), '{"postponed": true}',
  'an email waits for an attempt of a canceled one, which the mail server may still accept');
select is(pg_temp.begin_send('v4', now() + interval '121 seconds') #>> '{calendarEvent,sequence}', '4',
  'an email is sent once the attempt of an older one has expired');
select private.record_email_sent(tests.id('v4'), 'm4');
select pg_temp.notify('v5', jsonb_build_object('calendar_event', pg_temp.event('{"sequence": 5}')));
select is(pg_temp.begin_send('v5', now() + interval '122 seconds') #>> '{calendarEvent,sequence}', '5',
  'an email does not wait for an older one that was sent');
select is(pg_temp.begin_send('v5', now() + interval '122 seconds') #>> '{calendarEvent,sequence}', '5',
  'an email does not wait for itself');
update public.notification_deliveries d set status = 'failed' where d.id = tests.id('v5');
update public.notification_deliveries d set status = 'pending' where d.id = tests.id('v5');
select pg_temp.notify('v6', jsonb_build_object('calendar_event', pg_temp.event('{"sequence": 6}')));
update private.delivery_sends s set attempt_expires_at = null where s.delivery_id = tests.id('v5');
select pg_temp.begin_send('v6', now() + interval '122 seconds'), private.record_email_sent(tests.id('v6'), 'm6');
select is(pg_temp.begin_send('v5'), null, 'a failed email that is sent again is replaced by a newer one that was sent');
select pg_temp.notify('v6 again', jsonb_build_object('calendar_event', pg_temp.event('{"sequence": 6}')),
  at => now() + interval '1 second');
select is(pg_temp.begin_send('v6 again', now() + interval '122 seconds') -> 'calendarEvent', 'null',
  'of two emails with one sequence the later one is newer, and has no entry if the other one was sent');
select set_eq($$ select other.* from private.other_calendar_emails(gen_random_uuid(), now()) other $$,
  'values (null::uuid, false)', 'other_calendar_emails finds nothing for an unknown delivery');

-- Invitations: cancellations need one, and the organizer stays
create function pg_temp.attached(name text, changes jsonb, sender text default 'sender@casts.test') returns text
language sql as $$
  select pg_temp.notify(name, jsonb_build_object('calendar_event', pg_temp.event('{"uid": "i"}' || changes)));
  select concat_ws(' ', e #>> '{calendarEvent,method}', e #>> '{calendarEvent,organizer,email}')
  from private.begin_email_delivery(tests.id(name), 120, now() + interval '1 day', sender) e
$$;
create function pg_temp.end_attempt(name text) returns void language sql as
  $$ select private.record_email_sent(tests.id(name)) $$;
select is(pg_temp.attached('c0', '{"method": "CANCEL", "status": "CANCELLED"}'), '',
  'an email cancels no event to which its address was not invited');
select is(pg_temp.begin_send('c0') -> 'calendarEvent', 'null', 'the next attempt has the same content');
select pg_temp.end_attempt('c0');
select is(pg_temp.attached('c1', '{"sequence": 2, "organizer": {"name": "show"}}'), 'REQUEST sender@casts.test',
  'the organizer of an event without one is the sender of emails');
select pg_temp.end_attempt('c1');
select is(pg_temp.attached('c2', '{"sequence": 3, "organizer": {"name": "show"}}', 'new@casts.test'),
  'REQUEST sender@casts.test', 'the organizer of an event stays when the sender changes');
select pg_temp.end_attempt('c2');
select is(pg_temp.attached('c3', '{"sequence": 4, "organizer": {"email": "set@casts.test"}, "method": "CANCEL",
  "status": "CANCELLED"}'), 'CANCEL sender@casts.test', 'a cancellation has the organizer of the invitation');
select is((select count(*) from private.calendar_invitations i where i.uid = 'i' and i.email_digest =
  private.email_digest('zoe@x.test')), 1::bigint, 'an address that was invited is stored as a digest');
select private.purge_notifications('2026-07-01T11:00:00Z');
select is((select count(*) from private.calendar_invitations i where i.uid = 'i'), 1::bigint,
  'purge_notifications keeps invitations for 30 days after the event');
select private.purge_notifications('2026-07-01T11:00:01Z');
select is((select count(*) from private.calendar_invitations i where i.uid = 'i'), 0::bigint,
  'purge_notifications deletes invitations 30 days after the event');

-- A newer email that the daily limit postponed
select pg_temp.notify('v7', jsonb_build_object('calendar_event', pg_temp.event('{"sequence": 7}'))),
  pg_temp.notify('v8', jsonb_build_object('calendar_event', pg_temp.event('{"sequence": 8}')));
update public.notification_deliveries d set status = 'pending', due_at = now() + v.wait
from (values ('v8', interval '1 day'), ('other uid', '1 day')) v (name, wait) where d.id = tests.id(v.name);
select is(pg_temp.begin_send('v7'), null, 'an email is not sent while a newer one is postponed');
select is((select d.due_at from public.notification_deliveries d where d.id = tests.id('v8')), now(),
  'a postponed email is sent at once when it replaces another one');
select is((select d.due_at from public.notification_deliveries d where d.id = tests.id('other uid')),
  now() + interval '1 day', 'a postponed email about another event stays postponed');
select pg_temp.begin_send('v6'), pg_temp.begin_send('v7');

select * from tests.finish();
rollback;
