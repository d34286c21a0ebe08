-- delete_episode_message: senders delete their own messages; the row stays without its body.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.podcast('other', 'otto'), tests.episode('pilot', 'show');
insert into public.episode_messages (episode_id, body, sender_user_id)
values (tests.id('pilot'), 'Hello', tests.id('vic'));
select tests.remember('message', id) from public.episode_messages;
create function pg_temp.delete_as(who text) returns text language sql as $$
  select tests.result_of(who, $sql$ select public.delete_episode_message(tests.id('message')) $sql$) $$;

select is(pg_temp.delete_as(who), expected, format('delete_episode_message as %s returns %s', who, expected))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT404'), ('otto', 'PT404'), ('ana', 'PT403'),
  ('ola', 'PT403')) w (who, expected);

select is(pg_temp.delete_as('vic'), 'ok 1', 'delete_episode_message succeeds for the sender');
select is((select (body, deleted_at, sender_user_id, created_at is not null)::text from public.episode_messages),
  format('(,"%s",%s,t)', now(), tests.id('vic')),
  'delete_episode_message keeps the row, clears the body and sets deleted_at');
select tests.act_as('vic');
select is((public.delete_episode_message(tests.id('message'))).body, null,
  'delete_episode_message returns the message without its body when it is repeated');
select private.delete_episode_message(tests.id('message'), now() + interval '1 day');
select tests.act_as('postgres');
select is((select deleted_at from public.episode_messages), now(),
  'delete_episode_message keeps the first deleted_at when it is repeated');
select throws_ok($$ update public.episode_messages set body = 'back' $$, '23514', null,
  'a deleted message cannot have a body');

select * from tests.finish();
rollback;
