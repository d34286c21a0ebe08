-- Emails about chat: one per recipient and episode, and what cancels it.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('mia', 'show'), tests.member('max', 'show'),
  tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.guest_with_token('gus', 'pilot', 'active');
insert into public.push_subscriptions (user_id, endpoint) values (tests.id('mia'), 'https://push.test/mia');
-- The deliveries to a recipient: channel, status and messages that they list or are about.
create function pg_temp.deliveries(recipient text) returns text language sql as $$
  select string_agg(concat_ws(' ', d.channel, d.status, s.names), ', ' order by d.channel, d.status, s.names)
  from public.notification_deliveries d
  cross join lateral (
    select string_agg(i.name, '+' order by i.name) as names
    from public.notifications n join tests.ids i on n.metadata ->> 'message_id' = i.id::text
    where n.id in (select (l.notification).id from private.delivery_notifications(d.id) l)) s
  where coalesce(d.user_id, d.episode_guest_id) = tests.id(recipient) $$;
create function pg_temp.read(recipient text, variadic messages text[]) returns void language sql as $$
  update public.notifications n set read_at = now()
  where coalesce(n.user_id, n.episode_guest_id) = tests.id(recipient)
    and n.metadata ->> 'message_id' in (select tests.id(m)::text from unnest(messages) m) $$;
create function pg_temp.delete(message text) returns text language sql as $$
  select tests.value_as(i.name, format('select public.delete_episode_message(%L)', m.id))
  from public.episode_messages m join tests.ids i on i.id = m.sender_user_id where m.id = tests.id(message) $$;
create function pg_temp.send(message text, sender text default 'ola', body text default 'Hello',
  episode text default 'pilot') returns void language sql as $$
  select tests.message(message, episode, sender, body);
  select tests.notify_of(message) $$;
create function pg_temp.begin_email(recipient text) returns void language sql as $$
  with queued as (
    update public.notification_deliveries d set status = 'queued', queued_at = now()
    where coalesce(d.user_id, d.episode_guest_id) = tests.id(recipient) and d.channel = 'email' and d.status = 'pending'
    returning d.id)
  insert into private.delivery_sends (delivery_id, content) select q.id, '{}' from queued q $$;

-- The messages that the email to a recipient lists.
create function pg_temp.emailed(recipient text) returns text language sql as $$
  select substring(unnest from '^email \w+ (.*)')
  from unnest(string_to_array(pg_temp.deliveries(recipient), ', ')) where unnest ~ '^email' $$;

-- collapsing
select pg_temp.send('a1'), pg_temp.send('a2'), pg_temp.send('b1', episode => 'second');
select is(pg_temp.deliveries('max'), 'email pending a1+a2, email pending b1',
  'messages of an episode that follow each other collapse into one email per recipient');
select is(pg_temp.deliveries('pilot/gus'), 'email pending a1+a2',
  'messages of an episode collapse into one email to a guest');
select is((select array_agg(distinct d.due_at - d.created_at) from public.notification_deliveries d
  where d.channel = 'email'), array[interval '2 minutes'], 'the email about the chat waits two minutes');
select is(private.enqueue_due_deliveries(now() + interval '59 seconds') || ' '
    || private.enqueue_due_deliveries(now() + interval '1 minute'), '2 5',
  'enqueue_due_deliveries enqueues emails about the chat two minutes after the first message, and pushes at once');
select pg_temp.send('a3', body => '@Max');
select is(pg_temp.deliveries('max'), 'email pending a3, email queued a1+a2, email queued b1',
  'a message after the email was enqueued begins another email');
select pg_temp.send('a4');
select is((select d.priority::text from public.notification_deliveries d
  where d.user_id = tests.id('max') and d.status = 'pending'), 'immediate',
  'the email that lists a mention has its priority');

-- reading
select pg_temp.read('max', 'a1');
select is(pg_temp.deliveries('max'), 'email pending a3+a4, email queued a2, email queued b1',
  'reading a notification takes it from the email that would list it');
select pg_temp.read('max', 'a2', 'a3', 'b1');
select is(pg_temp.deliveries('max'), 'email pending a4, email canceled, email canceled',
  'reading all notifications of an email cancels it, pending or queued');
select pg_temp.send('a5');
select is(pg_temp.deliveries('max'), 'email pending a4+a5, email canceled, email canceled',
  'a message after a canceled email is emailed');
update public.notifications set read_at = null where user_id = tests.id('max');
select is(pg_temp.deliveries('max'), 'email pending a4+a5, email canceled, email canceled',
  'marking notifications as unread sends no email about them');
select is(pg_temp.deliveries('mia'), 'email pending a3+a4+a5, email queued a1+a2, email queued b1, '
  'push pending a3+a4+a5, push queued a1+a2, push queued b1',
  'reading by one recipient cancels no delivery to another');
select pg_temp.read('mia', 'a3', 'a1');
select is(pg_temp.deliveries('mia'), 'email pending a4+a5, email queued a2, email queued b1, '
  'push pending a4+a5, push queued a2, push queued b1',
  'reading a notification takes it from the push that means it');
select pg_temp.begin_email('mia');
select pg_temp.read('mia', 'a4', 'a5');
select is((select array_agg(d.status order by d.created_at) from public.notification_deliveries d
    join private.delivery_sends s on s.delivery_id = d.id), array['queued']::public.delivery_status[],
  'reading leaves an email that the worker has begun');

-- reading by the verbs
create function pg_temp.verb(name text, statement text) returns text language plpgsql as $$
begin
  delete from public.notification_deliveries;
  perform pg_temp.send(name || 1), pg_temp.send(name || 2);
  perform tests.value_as('max', replace(statement, '$id', (
    select quote_literal(n.id) from public.notifications n
    where n.user_id = tests.id('max') and n.metadata ->> 'message_id' = tests.id(name || 1)::text)));
  return pg_temp.deliveries('max');
end $$;
select is(pg_temp.verb(name, statement), expected, format('%s %s', name, case expected when 'email canceled'
  then 'cancels the email' else 'takes its notification from the email' end))
from (values
  ('mark_notification_read', 'select public.mark_notification_read($id)', 'email pending mark_notification_read2'),
  ('archive_notification', 'select public.archive_notification($id)', 'email pending archive_notification2'),
  ('delete_notification', 'select public.delete_notification($id)', 'email pending delete_notification2'),
  ('mark_all_notifications_read', 'select public.mark_all_notifications_read()', 'email canceled'),
  ('mark_notification_group_read', format('select public.mark_notification_group_read(%L, %L)',
    private.chat_group_key(tests.id('pilot')), format('/podcasts/%s/episodes/%s', tests.id('show'), tests.id('pilot'))),
    'email canceled'),
  ('archive_notification_group', format('select public.archive_notification_group(%L, %L)',
    private.chat_group_key(tests.id('pilot')), format('/podcasts/%s/episodes/%s', tests.id('show'), tests.id('pilot'))),
    'email canceled')) v (name, statement, expected);
delete from public.notification_deliveries;
select pg_temp.send('g1'), pg_temp.send('g2');
select private.mark_guest_notifications_read(tests.id('pilot'), 'gus');
select is(pg_temp.deliveries('pilot/gus'), 'email canceled', 'mark_guest_notifications_read cancels the email');

-- preferences
delete from public.notification_deliveries;
update public.notification_preferences set in_app_chat_message = false, email_chat_mention = false
where user_id = tests.id('max');
select pg_temp.send('p1'), pg_temp.send('p2', body => '@Max');
select pg_temp.read('max', 'p1', 'p2');
select is(pg_temp.deliveries('max'), 'email pending p1',
  'a user who wants chat only by email gets the email although nothing is unread');

delete from public.notification_deliveries;
select private.suppress_email(private.email_digest('gus@test.example'), 'unsubscribed', 'chat.message');
select pg_temp.send('s1'), pg_temp.send('s2', body => '@Gus');
select is(pg_temp.deliveries('pilot/gus'), 'email pending s2',
  'a guest who unsubscribed from messages gets the email about a mention');
delete from private.email_suppressions;
delete from public.notification_deliveries;
select private.suppress_email(private.email_digest('gus@test.example'), 'unsubscribed', 'chat.mention');
select pg_temp.send('s3', body => '@Gus'), pg_temp.send('s4');
select is(pg_temp.deliveries('pilot/gus'), 'email pending s4',
  'a guest who unsubscribed from mentions gets the email about other messages');
delete from private.email_suppressions;

-- the type of an email, to which its unsubscribe link applies
create function pg_temp.emailed_type(who text) returns text language plpgsql as $$
declare
  delivery_id uuid;
begin
  update public.notification_deliveries d set status = 'queued', queued_at = now()
  where d.channel = 'email' and d.status = 'pending' and coalesce(d.user_id, d.episode_guest_id) = tests.id(who)
  returning d.id into delivery_id;
  perform private.begin_email_delivery(delivery_id);
  return (select d.type from public.notification_deliveries d where d.id = delivery_id);
end $$;
delete from public.notification_deliveries;
select pg_temp.send('y1'), pg_temp.send('y2', body => '@Mia');
select is(pg_temp.emailed_type('mia'), 'chat.mention', 'an email that lists a mention has its type');
select pg_temp.send('y3'), pg_temp.send('y4', body => '@Mia');
update public.notifications n set read_at = now() where n.user_id = tests.id('mia') and n.type = 'chat.mention';
select is(pg_temp.emailed_type('mia'), 'chat.message',
  'an email whose mention was read has the type of the messages that it lists');
select pg_temp.send('y5'), pg_temp.send('y6', body => '@Mia');
update public.notification_preferences set email_chat_mention = false where user_id = tests.id('mia');
select is(pg_temp.emailed_type('mia'), 'chat.message',
  'an email that leaves out mentions has the type of the messages that it lists');
update public.notification_preferences set email_chat_mention = true where user_id = tests.id('mia');
select pg_temp.send('y7'), pg_temp.send('y8', body => '@Mia');
update public.notification_deliveries set priority = 'normal', type = 'chat.message' where status = 'pending';
select is(pg_temp.emailed_type('mia'), 'chat.mention', 'an email that lists a mention of normal priority has its type');
update public.notification_preferences set email_chat_mention = false where user_id = tests.id('mia');
select is(private.begin_email_delivery(d.id), null, 'an email whose type was turned off between attempts is not sent')
from public.notification_deliveries d where d.channel = 'email' and d.type = 'chat.mention' and d.status = 'queued'
  and d.user_id = tests.id('mia');
select is_empty($$ select from public.notification_deliveries d where d.channel = 'email' and d.type = 'chat.mention'
    and d.status <> 'canceled' and d.user_id = tests.id('mia') $$,
  'an email whose type was turned off between attempts is canceled');
update public.notification_preferences set email_chat_mention = true where user_id = tests.id('mia');

-- turned off between the message and its email
delete from public.notification_deliveries;
select pg_temp.send('t1'), pg_temp.send('t2', body => '@Mia @Gus');
update public.notification_preferences set email_chat_message = false where user_id = tests.id('mia');
select private.suppress_email(private.email_digest('gus@test.example'), 'unsubscribed', 'chat.message');
select is(pg_temp.emailed(who), 't2', format('the email to a %s leaves out messages that were turned off', kind))
from (values ('mia', 'user'), ('pilot/gus', 'guest')) w (who, kind);
update public.notification_preferences set email_chat_mention = false where user_id = tests.id('mia');
select private.suppress_email(private.email_digest('gus@test.example'), 'unsubscribed', 'chat.mention');
update public.notification_deliveries d set status = 'queued', queued_at = now()
where d.channel = 'email' and d.status = 'pending';
select is(private.begin_email_delivery(d.id), null, 'the worker sends no email whose types are all turned off')
from public.notification_deliveries d
where d.channel = 'email' and coalesce(d.user_id, d.episode_guest_id) in (tests.id('mia'), tests.id('pilot/gus'));
select is((select array_agg(d.status) from public.notification_deliveries d where d.channel = 'email'
    and coalesce(d.user_id, d.episode_guest_id) in (tests.id('mia'), tests.id('pilot/gus'))),
  array['canceled', 'canceled']::public.delivery_status[], 'an email whose types are all turned off is canceled');
delete from private.email_suppressions;
update public.notification_preferences set email_chat_message = true, email_chat_mention = true
where user_id = tests.id('mia');

-- deleting
delete from public.notification_deliveries;
select pg_temp.send('d1', body => 'secret'), pg_temp.send('d2'), pg_temp.delete('d1') is not null;
select is(pg_temp.deliveries('mia'), 'email pending d2, push pending d2',
  'deleting a message takes it from emails and deletes its pushes');
select is(pg_temp.deliveries('pilot/gus'), 'email pending d2', 'deleting a message takes it from the email to a guest');
select is_empty($$ select from public.notifications n where n::text ~ 'secret' $$,
  'deleting a message deletes its notifications');
select pg_temp.delete('d2') is not null;
select is(pg_temp.deliveries('mia'), 'email canceled, push canceled',
  'deleting all messages of an email and a push cancels them');
select pg_temp.send('d3'), pg_temp.begin_email('mia');
update public.notification_deliveries set status = 'sent', sent_at = now() where status = 'queued';
select pg_temp.delete('d3') is not null;
select is((select count(*) from public.notification_deliveries where status = 'sent'), 1::bigint,
  'deleting a message keeps the record of an email that was sent');
select pg_temp.send('d4');
delete from public.episodes where id = tests.id('pilot');
select is_empty($$ select from public.notifications n
  where n.type ~ '^chat' and n.metadata ->> 'episode_id' = tests.id('pilot')::text $$,
  'deleting an episode deletes the notifications about its chat');
select is((select count(*) from public.notification_deliveries where status = 'pending'), 0::bigint,
  'deleting an episode cancels the deliveries about its chat');

-- leaving
create function pg_temp.begun(recipient text) returns text language sql as $$
  update public.notification_deliveries d set status = 'queued', queued_at = now()
  where coalesce(d.user_id, d.episode_guest_id) = tests.id(recipient) and d.status = 'pending' and d.channel = 'email';
  select string_agg(private.begin_email_delivery(d.id) ->> 'items', ', ') from public.notification_deliveries d
  where coalesce(d.user_id, d.episode_guest_id) = tests.id(recipient) and d.status = 'queued' $$;
delete from public.notification_deliveries;
select tests.guest_with_token('gil', 'second', 'active'), tests.guest_with_token('dan', 'second', 'active');
select pg_temp.send('l1', episode => 'second');
select matches(pg_temp.begun('second/gil'), 'Hello', 'an active guest gets the email about the chat');
update public.profiles set locale = 'de' where id = tests.id('mia');
select matches(pg_temp.begun('mia'), 'Hello', 'a member of the team gets the email about the chat');
select is(s.content ->> 'reason', reason, format('the email about the chat names the podcast to a %s', kind))
from private.delivery_sends s join public.notification_deliveries d on d.id = s.delivery_id
join (values ('mia', 'member', 'Du bekommst diese E-Mail, weil du zum Team von show gehörst.'),
  ('second/gil', 'guest', 'You get this email because you''re a guest of show.')) r (who, kind, reason)
  on tests.id(r.who) = coalesce(d.user_id, d.episode_guest_id);
update public.notification_preferences set in_app_team_changes = false, email_team_changes = false;
update public.episode_guests set status = 'declined' where id = tests.id('second/dan');
delete from public.podcast_members where user_id = tests.id('max');
select is(pg_temp.begun(who), null, format('%s gets no email about the chat', title))
from (values ('second/dan', 'a guest who declined after the message'),
  ('max', 'a user who left the team after the message')) w (who, title);
select is(pg_temp.deliveries('max') || ', ' || pg_temp.deliveries('second/dan'), 'email canceled, email canceled',
  'emails about a chat that their recipients have left are canceled when the worker begins them');
delete from auth.users where id = tests.id('mia');
select is_empty($$ select from public.notification_deliveries d where d.user_id = tests.id('mia') $$,
  'deleting an account deletes its deliveries');

select * from tests.finish();
rollback;
