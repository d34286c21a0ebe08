-- begin_push_delivery and record_push_sends: the attempts to send a push delivery.
begin;
select tests.start();
select private.set_setting('app_url', 'https://app.test/');

select tests.person('ada'), tests.person('ben'), tests.push_subscription('phone', 'ada'),
  tests.push_subscription('laptop', 'ada'), tests.push_subscription('old', 'ada'),
  tests.push_subscription('bens', 'ben');
update public.push_subscriptions set is_active = false where id = tests.id('old');
create function pg_temp.targets(delivery text) returns text language sql as $$
  select string_agg(i.name, ' ' order by i.name)
  from jsonb_array_elements(private.begin_push_delivery(tests.id(delivery)) -> 'subscriptions') s
  join tests.ids i on i.id = (s ->> 'id')::uuid $$;
-- results as name=outcome
create function pg_temp.record(delivery text, results text) returns void language sql as $$
  select private.record_push_sends(tests.id(delivery), jsonb_agg(jsonb_build_object(
      'subscription_id', tests.id(split_part(r, '=', 1)), 'outcome', split_part(r, '=', 2),
      'error', case when split_part(r, '=', 2) <> 'accepted' then 'push.example responded to ' || split_part(r, '=', 1)
      end)), '2026-05-01Z')
  from regexp_split_to_table(results, ' ') r $$;
create function pg_temp.state(delivery text) returns text language sql as $$
  select concat_ws(' ', d.status, d.sent_at at time zone 'UTC', d.failed_at at time zone 'UTC',
    case when s.content is not null then 'content' end, s.last_error)
  from public.notification_deliveries d left join private.delivery_sends s on s.delivery_id = d.id
  where d.id = tests.id(delivery) $$;
create function pg_temp.subscription(name text) returns text language sql as $$
  select concat_ws(' ', case when is_active then 'active' else 'inactive' end,
    'used ' || (last_used_at at time zone 'UTC')::date, 'failed ' || (last_failure_at at time zone 'UTC')::date)
  from public.push_subscriptions where id = tests.id(name) $$;

-- the content
select tests.push_delivery('first', 'ada');
select is(private.begin_push_delivery(tests.id('first')) #> '{subscriptions,0}' ?& '{id,endpoint,p256dh,auth}', true,
  'begin_push_delivery returns endpoint and keys of a subscription');
select is(private.begin_push_delivery(tests.id('first'), now() + interval '1 minute') - 'subscriptions',
  jsonb_build_object('priority', 'immediate', 'ttlSeconds', 86340,
    'content', jsonb_build_object('deliveryId', tests.id('first'), 'notificationId', tests.id('first/notification'),
      'title', 'Title of first', 'body', 'Body of first', 'url', 'https://app.test/inbox', 'count', 1,
      'tag', tests.id('first/notification'))),
  'begin_push_delivery returns the content with an absolute URL, the priority and the time that is left');
update public.notifications set title = 'Changed' where id = tests.id('first/notification');
select is(private.begin_push_delivery(tests.id('first')) #>> '{content,title}', 'Title of first',
  'begin_push_delivery returns the content of the first attempt to each attempt');
select tests.push_delivery('linkless', 'ada', null);
select is(private.begin_push_delivery(tests.id('linkless')) #>> '{content,url}', 'https://app.test',
  'a push message without a link leads to app_url');

-- the subscriptions
select is(pg_temp.targets('first'), 'laptop phone', 'begin_push_delivery returns the user''s active subscriptions');
select tests.push_subscription('tablet', 'ada');
select is(pg_temp.targets('first'), 'laptop phone',
  'a subscription that was registered after the first attempt gets no message of it');
select pg_temp.record('first', 'phone=accepted laptop=pending');
select is(pg_temp.state('first'), 'sent 2026-05-01 00:00:00 content',
  'a delivery is sent when one push service has accepted it');
select is(pg_temp.subscription('phone'), 'active used 2026-05-01', 'an accepted message sets last_used_at');
select is(pg_temp.subscription('laptop'), 'active failed 2026-05-01', 'an error sets last_failure_at');
select is(pg_temp.targets('first'), 'laptop', 'a retry sends only to subscriptions that are pending');
select pg_temp.record('first', 'phone=pending');
select is(pg_temp.targets('first'), 'laptop', 'a late result of another attempt changes no result that is final');
select pg_temp.record('first', 'laptop=ended');
select is(pg_temp.state('first'), 'sent 2026-05-01 00:00:00',
  'a delivery that was accepted stays sent when another subscription has ended');
select is(pg_temp.subscription('laptop'), 'inactive failed 2026-05-01',
  'a subscription that has ended becomes inactive');
select is(private.begin_push_delivery(tests.id('first')), null, 'a delivery without pending subscriptions is complete');

-- failures
select tests.push_delivery('rejected', 'ada');
select is(pg_temp.targets('rejected'), 'phone tablet', 'a delivery begins with all active subscriptions');
select pg_temp.record('rejected', 'phone=rejected tablet=pending');
select is(pg_temp.state('rejected'), 'queued content', 'a delivery between attempts stays queued');
select is(pg_temp.subscription('phone'), 'active used 2026-05-01 failed 2026-05-01',
  'a subscription that rejected a message stays active');
select pg_temp.record('rejected', 'tablet=ended');
select is(pg_temp.state('rejected'),
  'failed 2026-05-01 00:00:00 push.example responded to phone; push.example responded to tablet',
  'a delivery that no push service accepted is failed with the reasons');
select tests.push_delivery('removed', 'ada');
select pg_temp.targets('removed') is not null;
select pg_temp.record('removed', 'phone=pending');
update public.push_subscriptions set is_active = false where user_id = tests.id('ada');
select is(private.begin_push_delivery(tests.id('removed')), null,
  'a subscription that was removed between attempts gets no message');
select matches(pg_temp.state('removed'), '^failed \S+ \S+ push.example responded to phone$',
  'a delivery whose subscriptions were all removed after an attempt is failed with its error');

-- a chat message of a team that the user has left
select tests.podcast('show', 'olga'), tests.member('ben', 'show'), tests.push_delivery('chat', 'ben');
update public.notifications set type = 'chat.message', category = 'collaboration',
  metadata = jsonb_build_object('podcast_id', tests.id('show'))
where id = tests.id('chat/notification');
delete from public.podcast_members where user_id = tests.id('ben');
select is(private.begin_push_delivery(tests.id('chat')), null, 'a user who left the team gets no message of its chat');
select is(pg_temp.state('chat'), 'canceled The recipient no longer has access',
  'a push about a chat is canceled with the reason once the user has left the team');

-- a user who was banned or turned the push off while it waited, for example for the end of quiet hours
select tests.person('eve'), tests.push_subscription('eves', 'eve'), tests.push_subscription('eves-tablet', 'eve');
select tests.push_delivery(name, 'eve') from unnest('{started,half,off,banned,unconfirmed,wanted}'::text[]) name;
select is(pg_temp.targets('started'), 'eves eves-tablet', 'a push that its user wants begins');
select pg_temp.targets('half') is not null;
select pg_temp.record('half', 'eves=accepted');
update public.notification_deliveries set type = 'chat.message' where id in (tests.id('off'), tests.id('started'),
  tests.id('half'));
update public.notification_preferences set push_chat_message = false where user_id = tests.id('eve');
select is(private.begin_push_delivery(tests.id(name)), null,
  format('begin_push_delivery returns nothing of a push whose user turned pushes of its type off (%s)', name))
from unnest('{off,started,half}'::text[]) name;
select is(pg_temp.state(name), 'canceled The recipient turned these pushes off',
  format('a push is canceled with the reason, without content, once its user turned pushes of its type off (%s)', name))
from unnest('{off,started}'::text[]) name;
select pg_temp.record('started', 'eves=accepted eves-tablet=accepted');
select is(pg_temp.state('started'), 'canceled The recipient turned these pushes off',
  'a canceled push keeps its reason when an earlier attempt reports late');
select is(pg_temp.state('half'), 'sent 2026-05-01 00:00:00 The recipient turned these pushes off',
  'a push that one device has got stays sent when its user turns pushes of its type off, and is sent to no other');
update auth.users set banned_until = now() + interval '1 hour' where id = tests.id('eve');
select is(private.begin_push_delivery(tests.id('banned')), null, 'a banned user gets no push');
select is(pg_temp.state('banned'), 'canceled The recipient is unconfirmed or banned',
  'a push to a banned user is canceled with the reason');
select isnt(private.begin_push_delivery(tests.id('wanted'), now() + interval '2 hours'), null,
  'a user whose ban is over gets a push of another type than the one that was turned off');
update auth.users set banned_until = null, email_confirmed_at = null where id = tests.id('eve');
select is(private.begin_push_delivery(tests.id('unconfirmed')), null, 'an unconfirmed user gets no push');
select is(pg_temp.state('unconfirmed'), 'canceled The recipient is unconfirmed or banned',
  'a push to an unconfirmed user is canceled with the reason');

-- an error before the first attempt, such as a lost database connection
select tests.push_subscription('watch', 'ada'), tests.push_delivery('erred', 'ada');
insert into private.delivery_sends (delivery_id, last_error) values (tests.id('erred'), 'Lost');
select is(private.begin_push_delivery(tests.id('erred')) #>> '{content,title}', 'Title of erred',
  'begin_push_delivery writes the content after an error that came before the first attempt');
select pg_temp.record('erred', 'watch=accepted');
select is(pg_temp.state('erred'), 'sent 2026-05-01 00:00:00',
  'an accepted delivery has no error of an earlier attempt');
update public.push_subscriptions set is_active = false where id = tests.id('watch');

-- late
select tests.push_delivery(name, 'ada') from unnest('{late,tried,partly}'::text[]) name;
update public.push_subscriptions set is_active = true where id in (tests.id('watch'), tests.id('tablet'));
select pg_temp.targets('tried') is not null, pg_temp.targets('partly') is not null;
select private.record_delivery_error(jsonb_build_object('delivery_id', tests.id('tried')), 'No answer');
select pg_temp.record('partly', 'watch=accepted tablet=pending');
select is(private.begin_push_delivery(tests.id(name), now() + interval '1 day'), null,
  format('begin_push_delivery returns null for a push that was due push_ttl ago (%s)', name))
from unnest('{late,tried,partly}'::text[]) name;
select matches(pg_temp.state(name), format('^failed %s \S+ The push was not sent in time%s$',
    (now() + interval '1 day')::date, error), format('a late push fails with the reason, without content (%s)', name))
from (values ('late', ''), ('tried', '; No answer')) v (name, error);
select is(pg_temp.state('partly'), 'sent 2026-05-01 00:00:00 The push was not sent in time',
  'a push that one device has got stays sent when it is too late for another');
update public.push_subscriptions set is_active = false where id in (tests.id('watch'), tests.id('tablet'));

-- quiet hours
update public.profiles set timezone = 'Europe/Berlin' where id = tests.id('ada');
update public.notification_preferences set quiet_hours_start = '22:00', quiet_hours_end = '07:00'
where user_id = tests.id('ada');
update public.push_subscriptions set is_active = true where id in (tests.id('watch'), tests.id('tablet'));
select tests.push_delivery(name, 'ada')
from unnest('{urgent,usual,minor,attempted,divided,read,received}'::text[]) name;
update public.notification_deliveries d set due_at = '2026-01-01T19:00:00Z', queued_at = '2026-01-01T19:00:00Z',
  type = case i.name when 'urgent' then 'chat.mention' else d.type end,
  priority = case i.name when 'minor' then 'low' when 'urgent' then 'immediate' else 'normal'
    end::public.notification_priority
from tests.ids i
where i.id = d.id and i.name = any ('{urgent,usual,minor,attempted,divided,read,received}'::text[]);
select isnt(private.begin_push_delivery(tests.id(name), '2026-01-01T20:59:59Z'), null,
  format('a push begins before quiet hours (%s)', name))
from unnest('{attempted,divided,read,received}'::text[]) name;
select pg_temp.record('attempted', 'watch=pending tablet=pending');
select pg_temp.record('divided', 'watch=accepted tablet=pending');
select pg_temp.record('read', 'watch=pending tablet=pending');
select pg_temp.record('received', 'watch=accepted tablet=accepted');
select isnt(private.begin_push_delivery(tests.id('urgent'), '2026-01-01T21:00:00Z'), null,
  'an immediate push begins in quiet hours');
select is(private.begin_push_delivery(tests.id(name), '2026-01-01T21:00:00Z'), null,
  format('begin_push_delivery returns null in quiet hours (%s)', name))
from unnest('{usual,minor,attempted,divided,read,received}'::text[]) name;
select is((
    select row(d.status, d.due_at, d.queued_at) from public.notification_deliveries d where d.id = tests.id(name)),
  row('pending'::public.delivery_status, '2026-01-02T06:00:00Z'::timestamptz, null::timestamptz),
  format('a push in quiet hours is pending until they end in the time zone of its recipient (%s)', name))
from unnest('{usual,minor,attempted}'::text[]) name;
select is(pg_temp.state('divided'), 'sent 2026-05-01 00:00:00 Quiet hours began',
  'a push that one device has got stays sent when quiet hours begin, and is sent to no other');
select is(pg_temp.state('received'), 'sent 2026-05-01 00:00:00',
  'a push that each device has received has no error when its message is delivered again in quiet hours');
update public.notifications set read_at = now() where id = tests.id('read/notification');
select is(pg_temp.state('read'), 'canceled',
  'reading cancels a push that was attempted and waits for quiet hours to end');
update public.notifications set title = 'Changed' where id = tests.id('attempted/notification');
select is(private.enqueue_due_deliveries('2026-01-02T05:59:59Z'), 0,
  'enqueue_due_deliveries enqueues no postponed push before the end of quiet hours');
select is(private.enqueue_due_deliveries('2026-01-02T06:00:00Z'), 3,
  'enqueue_due_deliveries enqueues postponed pushes at the end of quiet hours');
select is(private.begin_push_delivery(tests.id(name), '2026-01-02T06:00:00Z') #>> '{content,title}',
  case name when 'attempted' then 'Changed' else 'Title of ' || name end,
  format('a postponed push begins after quiet hours (%s)', name)) from unnest('{usual,minor,attempted}'::text[]) name;
update public.profiles set timezone = 'Asia/Tokyo' where id = tests.id('ada');
select is(private.begin_push_delivery(tests.id('usual'), '2026-01-02T13:00:00Z'), null,
  'begin_push_delivery reads quiet hours and time zone at each attempt');
alter table public.profiles disable trigger t100_normalize;
update public.profiles set timezone = 'Europe/Atlantis' where id = tests.id('ada');  -- dropped by an update of Postgres
alter table public.profiles enable trigger t100_normalize;
select private.begin_push_delivery(tests.id('minor'), '2026-01-02T23:00:00Z');
select is((select d.due_at from public.notification_deliveries d where d.id = tests.id('minor')),
  '2026-01-03T07:00:00Z', 'begin_push_delivery uses UTC for a time zone that the database does not know');
update public.notification_preferences set quiet_hours_start = null, quiet_hours_end = null;
update public.push_subscriptions set is_active = false where id in (tests.id('watch'), tests.id('tablet'));

-- nothing to send
select tests.push_delivery('none', 'ada');
select is(private.begin_push_delivery(tests.id('none')), null, 'a user without an active subscription gets no message');
select is(pg_temp.state('none'), 'canceled The user has no active subscription',
  'a delivery without an active subscription is canceled with the reason');
select tests.push_subscription('watch-2', 'ada'), tests.push_delivery('unrecorded', 'ada');
select pg_temp.targets('unrecorded') is not null;
update public.push_subscriptions set is_active = false where id = tests.id('watch-2');
select is(private.begin_push_delivery(tests.id('unrecorded')), null,
  'a subscription that ended after an attempt that a killed worker did not record gets no message');
select matches(pg_temp.state('unrecorded'), '^failed \S+ \S+ The subscription ended during an attempt$',
  'a delivery whose only attempt is not recorded is failed, because the message may have arrived');
update public.push_subscriptions set is_active = true, expiration_time = now() where id = tests.id('phone');
select tests.push_delivery('expired', 'ada');
select is(private.begin_push_delivery(tests.id('expired')), null, 'an expired subscription gets no message');

select is(private.begin_push_delivery(gen_random_uuid()), null,
  'begin_push_delivery returns null for an unknown delivery');
select tests.push_delivery(status::text, 'ben') from unnest('{a,b,c}'::text[]) status;
update public.notification_deliveries set status = 'clicked' where id = tests.id('a');
update public.notification_deliveries set channel = 'email' where id = tests.id('b');
select is(private.begin_push_delivery(tests.id(name)), null, format('begin_push_delivery returns null for %s', title))
from (values ('a', 'a delivery that was clicked'), ('b', 'an email')) w (name, title);

-- overtaken
select is(pg_temp.targets('c'), 'bens', 'a delivery begins');
select private.record_push_click(tests.id('c'), tests.id('c/notification'));
select pg_temp.record('c', 'bens=accepted');
select is(pg_temp.state('c'), 'clicked 2026-05-01 00:00:00', 'a click that arrives before the result is kept');
select tests.push_delivery('e', 'ben');
select pg_temp.targets('e') is not null;
select private.record_push_click(tests.id('e'), tests.id('e/notification'));
select pg_temp.record('e', 'bens=rejected');
select is(pg_temp.state('e'), 'clicked push.example responded to bens',
  'a delivery that was clicked never becomes failed');
select tests.push_delivery('moved', 'ben');
select pg_temp.targets('moved') is not null;
update public.push_subscriptions set user_id = tests.id('ada'), last_used_at = null, last_failure_at = null
where id = tests.id('bens');
select is(private.begin_push_delivery(tests.id('moved')), null,
  'a subscription that moved to another user between attempts gets no message of its former user');
select pg_temp.record('moved', 'bens=accepted');
select is(pg_temp.subscription('bens'), 'active',
  'a result changes no subscription that moved to another user meanwhile');
select private.record_push_sends(gen_random_uuid(), '[]');
delete from public.notifications where id = tests.id('moved/notification');
select is((select count(*) from private.push_sends where delivery_id = tests.id('moved')), 0::bigint,
  'the sends of a notification are deleted with it');

select * from tests.finish();
rollback;
