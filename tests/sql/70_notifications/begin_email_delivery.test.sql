-- The steps of sending an email: begin_email_delivery, record_email_sent, and the triggers on the queue
begin;
select tests.start();

select tests.podcast('show', 'ann'), tests.member('bob', 'show'), tests.member('deb', 'show'),
  tests.episode('pilot', 'show'), tests.guest('gus', 'pilot', 'active');
update public.profiles set locale = 'de-AT' where id = tests.id('deb');
select private.set_setting('app_url', 'https://app.test/');

-- Notifies recipients and enqueues all deliveries; remembers the new delivery of the channel email as `name`
create function pg_temp.notify(name text, type text, recipients jsonb, payload jsonb default '{}',
  group_key text default null) returns void language plpgsql as $$
begin
  perform private.notify(notify.type, recipients, jsonb_build_object('podcast_id', tests.id('show'), 'episode_id',
    tests.id('pilot'), 'actor_id', tests.id('ann')) || payload, _group_key => notify.group_key);
  perform private.enqueue_due_deliveries(now() + interval '1 hour');
  perform tests.remember(notify.name, d.id) from public.notification_deliveries d
  where d.channel = 'email' and d.status = 'queued' and not exists (select from private.delivery_sends s
    where s.delivery_id = d.id);
end $$;
create function pg_temp.begin_send(name text) returns jsonb language sql as
  $$ select private.begin_email_delivery(tests.id(name)) $$;
create function pg_temp.state(name text) returns text language sql as $$
  select concat_ws(' ', d.status, s.last_error) from public.notification_deliveries d
  left join private.delivery_sends s on s.delivery_id = d.id where d.id = tests.id(name) $$;

-- A user
select pg_temp.notify('user', 'episode.team_added', private.user_recipients(tests.id('bob')));
select is(pg_temp.begin_send('user'), jsonb_build_object(
    'to', '{"name": "Bob", "address": "bob@test.example"}'::jsonb, 'language', 'en', 'subject', 'You''re on “pilot”',
    'items', jsonb_build_array(jsonb_build_object('title', 'You''re on “pilot”',
      'body', 'Ann added you to the team of this episode of show.', 'isQuoted', false)), 'action', 'View episode',
    'url', format('https://app.test/podcasts/%s/episodes/%s', tests.id('show'), tests.id('pilot')),
    'reason', 'You get this email because of your notification settings on Castbase.',
    'unsubscribe', 'Unsubscribe from these emails',
    'tokenUrl', 'https://casts.test/functions/v1/api/notifications/email', 'replyTo', null, 'attachments', '[]'::jsonb,
    'details', null, 'hasAccess', false, 'calendarEvent', null,
    'topic', jsonb_build_object('type', 'episode.team_added',
      'podcastId', tests.id('show'), 'podcast', 'show', 'thread', 'episode:' || tests.id('pilot'))),
  'begin_email_delivery returns the content of an email to a user');
create temp table first_content as select pg_temp.begin_send('user') as content;
update public.notifications set title = 'Changed';
update public.profiles set display_name = 'Changed', locale = 'de' where id = tests.id('bob');
select is(pg_temp.begin_send('user'), content, 'begin_email_delivery returns the same content to each attempt')
from first_content;
select is(private.begin_email_delivery(gen_random_uuid()), null,
  'begin_email_delivery returns null for an unknown delivery');
select private.record_email_sent(tests.id('user'), 'message-1');
select results_eq($$ select d.status::text, d.sent_at = now(), s.content, s.provider_message_id
    from public.notification_deliveries d join private.delivery_sends s on s.delivery_id = d.id
    where d.id = tests.id('user') $$, $$ values ('sent', false, null::jsonb, 'message-1') $$,
  'record_email_sent records status, time and provider''s id, and forgets the content');
select ok(sum(least(q.backoff_max, q.backoff_base * power(2, n - 1))) > interval '10 hours'
    and (q.max_attempts - 1) * q.backoff_max < interval '23 hours',
  'emails are retried for ten hours, and never after the 24 hours of the provider''s idempotency keys')
from private.queues q, generate_series(1, q.max_attempts - 1) n where q.name = 'email_deliveries'
group by q.max_attempts, q.backoff_max;
select is(pg_temp.begin_send('user'), null, 'begin_email_delivery returns null for an email that was sent');
select private.record_email_sent(tests.id('user'), null);
select is(s.provider_message_id, 'message-1', 'record_email_sent without an id keeps the one of an earlier attempt')
from private.delivery_sends s where s.delivery_id = tests.id('user');
select pg_temp.notify('opened', 'episode.team_added', private.user_recipients(tests.id('bob')));
select pg_temp.begin_send('opened');
select private.advance_delivery(tests.id('opened'), 'opened');
select is(pg_temp.begin_send('opened'), null,
  'begin_email_delivery returns null for an email that was opened before the worker recorded it');
select is(s.content, null, 'begin_email_delivery forgets the content of an email that is no longer queued')
from private.delivery_sends s where s.delivery_id = tests.id('opened');

-- Language, and an email that is essential
select pg_temp.notify('german', 'podcast.deletion_scheduled', private.user_recipients(tests.id('deb')),
  '{"deletion_scheduled_at": "2026-12-24T10:00:00Z"}');
select private.suppress_email(private.email_digest('deb@test.example'), 'complaint');
select is(pg_temp.begin_send('german') -> key, value, format('a German email has %s %s', key, value))
from jsonb_each('{"language": "de", "subject": "show wird gelöscht", "action": "Castbase öffnen", "unsubscribe": null,
  "reason": "Du bekommst diese E-Mail, weil sie einen deiner Podcasts betrifft."}');

-- A guest
update public.podcasts set language = 'de' where id = tests.id('show');
select pg_temp.notify('guest', 'chat.message', jsonb_build_array(jsonb_build_object('episode_guest_id',
  tests.id('pilot/gus'))), '{"params": {"excerpt": "Hi"}}', 'chat');
select is(pg_temp.begin_send('guest') -> key, value, format('an email to a guest has %s', key)) from jsonb_each(
  jsonb_build_object('to', '{"name": "Gus", "address": "gus@test.example"}'::jsonb, 'language', 'de',
    'url', 'https://casts.test/functions/v1/public/guest',
    'subject', 'Ann hat zu „pilot“ geschrieben', 'hasAccess', true,
    'reason', 'Du bekommst diese E-Mail, weil du bei show zu Gast bist.'));

-- A collapsed email
select private.notify('chat.message', jsonb_build_array(jsonb_build_object('episode_guest_id', tests.id('pilot/gus'))),
  jsonb_build_object('podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'), 'params',
    jsonb_build_object('excerpt', n)), _group_key => 'other', at => now() + make_interval(secs => n))
from generate_series(1, 2) n;
select pg_temp.notify('collapsed', 'chat.message', jsonb_build_array(jsonb_build_object('episode_guest_id',
  tests.id('pilot/gus'))), '{"params": {"excerpt": "3"}}', 'other');
select is(pg_temp.begin_send('collapsed') ->> 'subject', '3 neue Nachrichten zu „pilot“',
  'the subject of an email about several messages has their number');
select is(jsonb_path_query_array(pg_temp.begin_send('collapsed'), '$.items[*].body'), '["3", "1", "2"]',
  'an email about several messages lists them, oldest first');
select private.notify(case n when 2 then 'chat.mention' else 'chat.message' end, jsonb_build_array(jsonb_build_object(
    'episode_guest_id', tests.id('pilot/gus'))), jsonb_build_object('podcast_id', tests.id('show'), 'episode_id',
    tests.id('pilot')), _group_key => 'many', at => now() + make_interval(secs => n))
from generate_series(1, 22) n;
select pg_temp.notify('many', 'chat.message', jsonb_build_array(jsonb_build_object('episode_guest_id',
  tests.id('pilot/gus'))), group_key => 'many');
-- The messages of an email: who wrote each, without the episode
update public.profiles set display_name = null where id = tests.id('deb');
update public.profiles set display_name = 'Bob', locale = 'en' where id = tests.id('bob');
insert into private.access_tokens values (sha256('gus'), 'guest_invitation', tests.id('pilot/gus'), 'infinity');
select tests.message('from ann', 'pilot', 'ann'), tests.message('from gus', 'pilot', 'gus'),
  tests.message('mention', 'pilot', 'ann', '@Bob'), tests.message('unnamed', 'pilot', 'deb');
create function pg_temp.titles(locale text) returns jsonb language plpgsql as $$
begin
  update public.profiles set locale = titles.locale where id = tests.id('bob');
  return jsonb_path_query_array(private.email_content(d), '$.items[*].title')
  from public.notification_deliveries d where d.user_id = tests.id('bob') and d.collapse_key is not null;
end $$;
select tests.notify_of('from ann', now());
select is(pg_temp.titles('en'), '["Ann wrote about “pilot”"]',
  'an email about one message has the title of its notification');
select tests.notify_of(message, now() + n * interval '1 second')
from unnest(array['from gus', 'mention', 'unnamed']) with ordinality m (message, n);
select is(pg_temp.titles('en'), '["Ann:", "Gus:", "Ann mentioned you:", "Someone on the team:"]',
  'an email about several messages introduces each with its sender, without the episode');
select is(pg_temp.titles('de'), '["Ann:", "Gus:", "Ann hat dich erwähnt:", "Jemand aus dem Team:"]',
  'a German email about several messages introduces each with its sender, without the episode');
delete from public.notification_deliveries where status = 'pending';
select is(pg_temp.begin_send('many') ->> 'subject', '23 neue Nachrichten zu „pilot“, du wirst erwähnt',
  'the subject of an email about several messages says that its recipient is mentioned');
select is(pg_temp.begin_send('many') -> 'items' -> 20, '{"title": "Und 3 weitere.", "body": null, "isQuoted": false}',
  'an email about more messages than it lists ends with the number of the others');

-- An address
select pg_temp.notify('address', 'booking.confirmed', jsonb_build_array(jsonb_build_object('email', 'Ida@x.test',
    'name', 'Ida', 'is_essential', true, 'locale', 'en', 'timezone', 'Europe/Berlin', 'reply_to', 'host@x.test',
    'url', 'https://x.test/b', 'attachments', jsonb_build_array(jsonb_build_object('filename', 'a.ics',
      'content_type', 'text/calendar', 'content', 'X')))), '{"start_at": "2026-06-01T10:00:00Z"}');
select is(pg_temp.begin_send('address') -> key, value, format('an email to an address has %s', key)) from jsonb_each(
  '{"to": {"name": "Ida", "address": "ida@x.test"}, "url": "https://x.test/b", "replyTo": "host@x.test",
    "items": [{"title": "Your recording for show is confirmed",
      "body": "It''s on June 1, 2026 at 12:00 PM (Europe/Berlin).", "html": null, "isQuoted": false}],
    "attachments": [{"filename": "a.ics", "content_type": "text/calendar", "content": "X"}],
    "reason": "You get this email because your address was entered for show, a podcast on Castbase."}');
create function pg_temp.reason(payload text) returns text language plpgsql as $$
begin
  delete from public.notification_deliveries d where d.type = 'automation.email';
  perform private.notify('automation.email', '[{"email": "ida@x.test", "locale": "de"}]',
    payload::jsonb || '{"params": {"subject": "Hi", "body": "Hi"}}');
  return private.email_content(d) ->> 'reason' from public.notification_deliveries d where d.type = 'automation.email';
end $$;
select is(pg_temp.reason('{"podcast_title": "Gone"}'),
  'Du bekommst diese E-Mail, weil deine Adresse für Gone, einen Podcast bei Castbase, angegeben wurde.',
  'an email to an address names a podcast that the payload has the title of');
select is(pg_temp.reason('{}'), 'Du bekommst diese E-Mail, weil deine Adresse bei Castbase angegeben wurde.',
  'an email to an address names no podcast if the payload has none');
delete from public.notification_deliveries where type = 'automation.email';

-- An address that changed between attempts
select pg_temp.notify('moved', 'episode.team_added', private.user_recipients(tests.id('bob')));
select pg_temp.begin_send('moved');
update auth.users set email = 'bob-new@test.example' where id = tests.id('bob');
select is(pg_temp.begin_send('moved') #>> '{to,address}', 'bob@test.example',
  'begin_email_delivery returns the address of the first attempt to each attempt');
select private.suppress_email(private.email_digest('bob@test.example'), 'bounce');
select is(pg_temp.begin_send('moved'), null, 'begin_email_delivery reads suppressions of the address that it returns');
delete from private.email_suppressions where digest = private.email_digest('bob@test.example');
update auth.users set email = 'bob@test.example' where id = tests.id('bob');

-- Recipients that get nothing
create function pg_temp.outcome(type text, recipients jsonb, change text) returns text language plpgsql as $$
declare
  name constant text := gen_random_uuid();
begin
  perform pg_temp.notify(name, outcome.type, recipients, group_key => name);
  execute change;
  return coalesce(pg_temp.begin_send(name)::text, pg_temp.state(name));
end $$;
select is(pg_temp.outcome('guest.accepted', jsonb_build_array(jsonb_build_object('email', 'eve@x.test')),
    $$ select private.suppress_email(private.email_digest('eve@x.test'), 'unsubscribed', 'guest.accepted') $$),
  'canceled The recipient turned these emails off',
  'begin_email_delivery cancels an email to an address that unsubscribed from its type');
select is(pg_temp.outcome('episode.team_added', private.user_recipients(tests.id('bob')),
    $$ update auth.users set banned_until = now() + interval '1 day' where id = tests.id('bob') $$),
  'canceled The recipient is unconfirmed or banned', 'begin_email_delivery cancels an email to a banned user');
select is(pg_temp.outcome('episode.team_added', private.user_recipients(tests.id('bob')),
    $$ update auth.users set banned_until = now() - interval '1 day', email_confirmed_at = null
      where id = tests.id('bob') $$),
  'canceled The recipient is unconfirmed or banned', 'begin_email_delivery cancels an email to an unconfirmed user');
update auth.users set email_confirmed_at = now() where id = tests.id('bob');
select is(pg_temp.outcome('episode.team_added', private.user_recipients(tests.id('bob')),
    $$ update notification_preferences set email_team_added = false where user_id = tests.id('bob') $$),
  'canceled The recipient turned these emails off',
  'begin_email_delivery cancels an email that its user turned off meanwhile');
update notification_preferences set email_team_added = true;
select unalike(pg_temp.outcome('episode.team_added', private.user_recipients(tests.id('bob')),
    $$ update notification_preferences set email_chat_message = false where user_id = tests.id('bob') $$),
  'canceled%', 'begin_email_delivery sends an email when its user turned another type off');
update notification_preferences set email_chat_message = true;
select unalike(pg_temp.outcome('episode.team_added', private.user_recipients(tests.id('bob')),
    $$ select private.suppress_email(private.email_digest('bob@test.example'), 'unsubscribed',
      'episode.team_added') $$),
  'canceled%', 'begin_email_delivery sends an email to a user who unsubscribed as a guest with the same address');
select is(pg_temp.outcome('episode.team_added', private.user_recipients(tests.id('bob')),
    $$ select private.suppress_email(private.email_digest('bob@test.example'), 'bounce') $$),
  'canceled The address is suppressed', 'begin_email_delivery cancels an email to a user whose address bounced');
delete from private.email_suppressions;
select private.suppress_email(private.email_digest('bob@test.example'), 'complaint');
select is(pg_temp.outcome('podcast.deletion_scheduled', private.user_recipients(tests.id('bob')),
    $$ select private.suppress_email(private.email_digest('bob@test.example'), 'bounce') $$),
  'canceled The address bounced',
  'begin_email_delivery cancels an essential email to an address that bounced, also after a complaint');
delete from private.email_suppressions;
select is(pg_temp.outcome('chat.message', jsonb_build_array(jsonb_build_object('episode_guest_id',
    tests.id('pilot/gus'))), $$ update public.episode_guests set status = 'removed' $$),
  'canceled The recipient no longer has access',
  'begin_email_delivery cancels an email about chat to a removed guest');

-- A guest who has an account
select tests.guest('eve', 'pilot', 'active'), tests.person('eve');
update public.podcast_guests g set user_id = tests.id('eve') where g.email = 'eve@test.example';
select is(pg_temp.outcome('chat.message', jsonb_build_array(jsonb_build_object('episode_guest_id',
    tests.id('pilot/eve'))),
    $$ update notification_preferences set email_chat_message = false where user_id = tests.id('eve') $$),
  'canceled There is nothing left to list',
  'begin_email_delivery cancels an email to a guest whose account turned it off meanwhile');
create function pg_temp.count_for_eve() returns text language plpgsql as $$
begin
  delete from public.notification_deliveries;
  perform private.notify('chat.message', jsonb_build_array(jsonb_build_object('episode_guest_id',
    tests.id('pilot/eve'))), jsonb_build_object('podcast_id', tests.id('show'), 'episode_id', tests.id('pilot')));
  return (select count(*) from public.notification_deliveries);
end $$;
select is(pg_temp.count_for_eve(), '0', 'a guest whose account turned the emails off gets no delivery');
update notification_preferences set email_chat_message = true, email_chat_mention = false;
select is(pg_temp.count_for_eve(), '1', 'a guest whose account turned off emails of another type gets a delivery');
delete from public.notification_deliveries;

-- Failures
select pg_temp.notify('failing', 'episode.team_added', private.user_recipients(tests.id('bob')));
select pg_temp.begin_send('failing');
select private.fail_job('email_deliveries', q.msg_id, 'No answer') from pgmq.q_email_deliveries q
where q.message ->> 'delivery_id' = tests.id('failing')::text;
select is(pg_temp.state('failing'), 'queued No answer', 'a delivery between attempts is queued and has the last error');
select isnt(pg_temp.begin_send('failing'), null, 'begin_email_delivery begins another attempt after an error');
select private.fail_job('email_deliveries', q.msg_id, 'Rejected', true) from pgmq.q_email_deliveries q
where q.message ->> 'delivery_id' = tests.id('failing')::text;
select is(pg_temp.state('failing'), 'failed Rejected', 'a dead letter fails its delivery with its reason');
select isnt(d.failed_at, null, 'a dead letter sets failed_at') from public.notification_deliveries d
where d.id = tests.id('failing');
select is(s.content, null, 'a failed delivery keeps no content') from private.delivery_sends s
where s.delivery_id = tests.id('failing');
select is(pg_temp.begin_send('failing'), null, 'begin_email_delivery returns null for a failed delivery');
select pgmq.send('email_deliveries_dlq', jsonb_build_object('message', jsonb_build_object('delivery_id', id),
  'error', 'Late'))
from unnest(array[tests.id('user')::text, 'x', null]) id;
select is(d.status::text, 'sent', 'a dead letter does not change a delivery that was sent')
from public.notification_deliveries d where d.id = tests.id('user');

select * from tests.finish();
rollback;
