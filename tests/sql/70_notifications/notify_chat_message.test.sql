-- notify_chat_message: notifies the team and the guests of an episode of a chat message.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('mia', 'show'), tests.member('max', 'show', 'admin'),
  tests.person('stranger'), tests.episode('pilot', 'show'), tests.episode('second', 'show');
select tests.guest_with_token('gus', 'pilot', 'active'), tests.guest_with_token('gil', 'pilot', 'active'),
  tests.guest_with_token('ida', 'pilot'), tests.guest_with_token('dan', 'pilot', 'declined'),
  tests.guest_with_token('rem', 'pilot', 'removed'), tests.guest_with_token('far', 'second', 'active');
create function pg_temp.call(message text, token text default null, users uuid[] default '{}',
  guests uuid[] default '{}', episode text default 'pilot') returns text language sql as $$
  select format('select public.notify_chat_message(%L, %L, %L, %L, %L)', tests.id(episode),
    coalesce((select i.id::text from tests.ids i where i.name = message), message), token, users, guests) $$;

-- recipients
select tests.message('m1', 'pilot', 'mia');
select is(tests.value_as('mia', pg_temp.call('m1')), '{"dedupedCount": 0, "notifiedCount": 4}',
  'notify_chat_message returns how many people it notified');
select is(tests.notified_of('m1'), 'Gil message, Gus message, Max message, Ola message',
  'notify_chat_message notifies the team and the active guests, except the sender');
select is(tests.value_as('mia', pg_temp.call('m1')), '{"dedupedCount": 4, "notifiedCount": 0}',
  'notify_chat_message notifies no one of a message a second time');
select tests.message('m2', 'pilot', 'gus');
select is(tests.value_as('anon', pg_temp.call('m2', 'gus')), '{"dedupedCount": 0, "notifiedCount": 4}',
  'notify_chat_message accepts the access token of the guest who sent the message');
select is(tests.notified_of('m2'), 'Gil message, Max message, Mia message, Ola message',
  'notify_chat_message does not notify the guest who sent the message');
select tests.message('m3', 'pilot', 'ida');
select is(tests.result_of('stranger', pg_temp.call('m3', 'ida')), 'ok 1',
  'notify_chat_message accepts the token of an invited guest, also from a signed-in user');
select tests.message('m4', 'pilot', 'mia');
select is(tests.value_as('mia',
    pg_temp.call('m4', null, array[tests.id('max'), null], array[tests.id('pilot/gil'), null])),
  '{"dedupedCount": 0, "notifiedCount": 2}', 'notify_chat_message counts no users and guests who have the chat open');
select is(tests.notified_of('m4'), 'Gus message, Ola message',
  'notify_chat_message does not notify users and guests who have the chat open');
select is(tests.value_as('mia', pg_temp.call('m4')), '{"dedupedCount": 2, "notifiedCount": 2}',
  'notify_chat_message notifies the others when a message is posted again without them');
select tests.episode('empty', 'solo'), tests.message('alone', 'empty', 'solo/owner');
select is(tests.value_as('solo/owner', pg_temp.call('alone', episode => 'empty')),
  '{"dedupedCount": 0, "notifiedCount": 0}', 'notify_chat_message accepts a message that no one else can read');

-- a person who is on the team and a guest
select tests.guest_with_token('max', 'pilot', 'active'), tests.message('m5', 'pilot', 'mia');
select tests.value_as('mia', pg_temp.call('m5')) is not null;
select is((select count(*) from public.notifications where metadata ->> 'message_id' = tests.id('m5')::text
    and tests.id('pilot/max') = episode_guest_id), 0::bigint,
  'notify_chat_message notifies a guest who is on the team as a user only');
select tests.message('m6', 'pilot', 'mia');
select tests.value_as('mia', pg_temp.call('m6', null, '{}', array[tests.id('pilot/max')])) is not null;
select is(tests.notified_of('m6'), 'Gil message, Gus message, Ola message',
  'notify_chat_message does not notify a member who has the chat open as a guest');
select tests.notify_of('m7') from tests.message('m7', 'pilot', 'max');
select is(tests.notified_of('m7'), 'Gil message, Gus message, Mia message, Ola message',
  'notify_chat_message does not notify a member who sent the message as a guest');
delete from public.episode_guests where id = tests.id('pilot/max');

-- mentions
select tests.message('m8', 'pilot', 'gus', 'Hi @Mia and @Gil!');
select is(tests.value_as('anon', pg_temp.call('m8', 'gus')), '{"dedupedCount": 0, "notifiedCount": 4}',
  'notify_chat_message counts mentioned people and others together');
select is(tests.notified_of('m8'), 'Gil mention, Max message, Mia mention, Ola message',
  'notify_chat_message notifies mentioned people with chat.mention instead of chat.message');
select is((select string_agg(distinct n.type || ' ' || n.priority, ', ') from public.notifications n
  where n.metadata ->> 'message_id' = tests.id('m8')::text), 'chat.mention immediate, chat.message normal',
  'notify_chat_message gives mentions a higher priority');
update public.profiles set display_name = 'Renamed' where id = tests.id('mia');
select is(tests.value_as('anon', pg_temp.call('m8', 'gus')), '{"dedupedCount": 4, "notifiedCount": 0}',
  'notify_chat_message does not notify a person of another type when the message is posted again');
update public.profiles set display_name = 'Gil Bates' where id = tests.id('mia');
select tests.message('m9', 'pilot', 'gus', '@Gil Bates');
select tests.value_as('anon', pg_temp.call('m9', 'gus', array[tests.id('mia')])) is not null;
select is(tests.notified_of('m9'), 'Gil message, Max message, Ola message',
  'notify_chat_message takes the longest name, also of a person who has the chat open');
update public.profiles set display_name = 'Gil' where id = tests.id('mia');
select tests.message('m10', 'pilot', 'gus', '@Gil'), tests.value_as('anon', pg_temp.call('m10', 'gus')) is not null;
select is(tests.notified_of('m10'), 'Gil mention, Max message, Mia mention, Ola message',
  'notify_chat_message mentions all people with the same name');
update public.profiles set display_name = null where id = tests.id('mia');
select tests.message('m11', 'pilot', 'gus', '@Team member'),
  tests.value_as('anon', pg_temp.call('m11', 'gus')) is not null;
select is(tests.notified_of('m11'), 'Gil message, Max message, Mia message, Ola message',
  'notify_chat_message mentions no one by a default name');

-- content
select tests.message('long', 'pilot', 'ola', E'One\n\n  two ' || repeat('x', 3000)), tests.notify_of('long');
select is((select array[n.title, left(n.body, 12), right(n.body, 2), char_length(n.body)::text, n.link, n.group_key,
    n.category::text] from public.notifications n
    where n.metadata ->> 'message_id' = tests.id('long')::text and n.user_id = tests.id('max')),
  array['Ola wrote about “pilot”', 'One two xxxx', 'x…', '200',
    format('/podcasts/%s/episodes/%s', tests.id('show'), tests.id('pilot')),
    format('episode:%s:chat', tests.id('pilot')), 'collaboration'],
  'notify_chat_message writes the sender, an excerpt of one line, the episode''s path and the group of its chat');
select is((select n.metadata from public.notifications n
    where n.metadata ->> 'message_id' = tests.id('long')::text and n.user_id = tests.id('max')),
  jsonb_build_object('podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'), 'message_id', tests.id('long')),
  'notify_chat_message writes the ids of podcast, episode and message');
select is((select n.title from public.notifications n
  where n.metadata ->> 'message_id' = tests.id('m2')::text and n.user_id = tests.id('ola')), 'Gus wrote about “pilot”',
  'notify_chat_message names a guest who sent the message');
select is_empty($$ select from private.events e where e.payload::text ~ 'xxx|Gus|Hello' $$,
  'notify_chat_message keeps no text of a message and no guest''s name in the event');

-- mentions with the priority immediate
delete from private.rate_limits;
create temp table sent as
  select who || to_char(n, 'FM00') as name, who, case when n > usual then 'normal' else 'immediate' end as priority
  from (values ('gus', 3), ('mia', 20)) v (who, usual), generate_series(1, usual + 1) n order by who, n;
select tests.message(name, 'pilot', who, '@Max') from sent;
select count(tests.result_of(case who when 'gus' then 'anon' else who end,
  pg_temp.call(name, case who when 'gus' then 'gus' end)))
from (select s.* from sent s cross join generate_series(1, 2) order by s.name) repeated;
select results_eq($$ select s.name, n.type, n.priority::text from sent s
    join public.notifications n on n.metadata ->> 'message_id' = tests.id(s.name)::text and n.user_id = tests.id('max')
    order by s.name $$,
  $$ select s.name, 'chat.mention', s.priority from sent s order by s.name $$,
  'notify_chat_message gives mentions by a guest after the third in an hour, and by a member after the twentieth, the '
  'priority of a message, and counts each once');
select tests.message('other', 'pilot', 'mia', '@Ola'), tests.message('both', 'pilot', 'mia', '@Ola @Max');
select count(tests.result_of('mia', pg_temp.call(name))) from unnest('{other,both}'::text[]) name;
select results_eq($$ select f.display_name, n.priority::text from public.notifications n
    join public.profiles f on f.id = n.user_id
    where n.type = 'chat.mention' and n.metadata ->> 'message_id' in (tests.id('other')::text, tests.id('both')::text)
    order by n.metadata ->> 'message_id' = tests.id('both')::text, f.display_name $$,
  $$ values ('Ola', 'immediate'), ('Max', 'normal'), ('Ola', 'immediate') $$,
  'notify_chat_message counts the mentions of each recipient');

-- callers
select tests.message('of gus', 'pilot', 'gus'), tests.message('of mia', 'pilot', 'mia'),
  tests.message('of far', 'second', 'far'), tests.message('of dan', 'pilot', 'dan'),
  tests.message('gone', 'pilot', 'mia');
select tests.value_as('mia', format('select public.delete_episode_message(%L)', tests.id('gone'))) is not null;
create function pg_temp.error(who text, message text, token text default null, episode text default 'pilot')
returns text language plpgsql as $$
declare
  statement text := pg_temp.call(message, token, episode => episode);
  error     text;
begin
  perform tests.act_as(who);
  error := tests.describe_error(statement);
  perform tests.act_as('postgres');
  return error;
end $$;
select is(pg_temp.error(who, message, token, episode), expected, format('notify_chat_message returns %s to %s',
  left(expected, 5), title))
from (values
  ('anon', 'of mia', null, 'pilot', 'PT401 / Authentication required', 'a caller without login and token'),
  ('anon', 'of gus', 'none', 'pilot', 'PT401 / Invalid access token / INVALID', 'an unknown token'),
  ('mia', 'of mia', 'none', 'pilot', 'PT401 / Invalid access token / INVALID', 'a member with an unknown token'),
  ('anon', 'of gus', 'rem', 'pilot', 'PT401 / Invalid access token / INVALID', 'a guest who was removed'),
  ('anon', 'of dan', 'dan', 'pilot', 'PT403 / You declined this invitation; accept it to join the chat / '
    'GUEST_INVITATION_DECLINED', 'a guest who declined'),
  ('anon', 'of gus', 'far', 'pilot', 'PT403 / The access token belongs to another episode',
    'a guest of another episode'),
  ('anon', 'of gus', 'gus', 'unknown', 'PT403 / The access token belongs to another episode',
    'a guest with an unknown episode'),
  ('stranger', 'of mia', null, 'pilot', 'PT403 / You are not a member of this podcast', 'a non-member'),
  ('max', 'of mia', null, 'pilot', 'PT403 / Only the sender can notify others of this message', 'another member'),
  ('mia', 'of gus', null, 'pilot', 'PT403 / Only the sender can notify others of this message',
    'a member with a guest''s message'),
  ('mia', 'of mia', 'gus', 'pilot', 'PT403 / Only the sender can notify others of this message',
    'a member with a guest''s token and an own message'),
  ('anon', 'of gus', 'gil', 'pilot', 'PT403 / Only the sender can notify others of this message', 'another guest'),
  ('mia', 'of mia', null, 'unknown', 'PT404 / Episode not found', 'a member with an unknown episode'),
  ('mia', 'of mia', null, 'second', 'PT404 / Message not found', 'a member with a message of another episode'),
  ('mia', gen_random_uuid()::text, null, 'pilot', 'PT404 / Message not found', 'a member with an unknown message'),
  ('mia', 'no uuid', null, 'pilot', 'PT404 / Message not found', 'a member with a malformed id of a message'),
  ('mia', '', null, 'pilot', 'PT404 / Message not found', 'a member with an empty id of a message'),
  ('mia', 'gone', null, 'pilot', 'PT404 / Message not found', 'the sender of a deleted message')
) t (who, message, token, episode, expected, title)
cross join lateral (select tests.remember('unknown', gen_random_uuid()) where not tests.exists('unknown')) u;
select is(tests.error_of($$ select private.notify_chat_message(tests.id('pilot'), '', 'gus', null, null,
  now() + interval '91 days') $$), 'PT401 EXPIRED', 'notify_chat_message returns 401 EXPIRED for an expired token');
select is(tests.result_of('mia', pg_temp.call('of mia', null,
    array(select gen_random_uuid() from generate_series(1, n)),
    array(select gen_random_uuid() from generate_series(1, n)))),
  expected, format('notify_chat_message returns %s for %s active users and guests', expected, n))
from (values (500, 'ok 1'), (501, 'PT400')) l (n, expected);

-- limit and pending deletion
delete from private.rate_limits;
select private.set_setting('max_chat_notifications_per_minute', '2');
select is(array_agg(tests.result_of('mia', pg_temp.call('of mia'))), array['ok 1', 'ok 1', 'PT429'],
  'notify_chat_message rejects calls of a member over max_chat_notifications_per_minute') from generate_series(1, 3);
select is(array_agg(tests.result_of('anon', pg_temp.call('of gus', 'gus'))), array['ok 1', 'ok 1', 'PT429'],
  'notify_chat_message rejects calls of a guest over max_chat_notifications_per_minute') from generate_series(1, 3);
delete from private.rate_limits;
select tests.set_status('show', 'pending_deletion');
select is(pg_temp.error('mia', 'of mia'), 'PT409 / The podcast is scheduled for deletion / PODCAST_PENDING_DELETION',
  'notify_chat_message returns 409 on a podcast pending deletion');

select * from tests.finish();
rollback;
