-- The table episode_messages: members read and insert messages; no client edits or deletes rows.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.podcast('other', 'otto');
select tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.episode('foreign', 'other');
select tests.guest_with_token('gus', 'pilot', 'active'), tests.guest_with_token('sue', 'second', 'active');
create function pg_temp.insert_as(who text, body text default 'Hello') returns text language sql as $$
  select tests.result_of(who,
    format('insert into public.episode_messages (episode_id, body) values (%L, %L)', tests.id('pilot'), body)) $$;

-- insert
select is(pg_temp.insert_as(who), expected, format('inserting a message as %s returns %s', who, expected))
from (values ('ola', 'ok 1'), ('ana', 'ok 1'), ('vic', 'ok 1'), ('stranger', '42501'), ('otto', '42501'),
  ('anon', '42501'), ('service', '42501')) w (who, expected);
select set_eq('select sender_user_id from public.episode_messages',
  array[tests.id('ola'), tests.id('ana'), tests.id('vic')], 'inserted messages have their caller as sender');
select is((select count(*) from public.episode_messages
    where podcast_id = tests.id('show') and sender_guest_id is null),
  3::bigint, 'inserted messages carry the podcast of their episode');
select is(tests.result_of('ana', format(
    'insert into public.episode_messages (episode_id, body%s) values (%s, %s)', columns, episode, args)), expected,
  format('inserting a message (%s) with (%s, %s) as a member returns %s', columns, episode, left(args, 40), expected))
from (values
  (', sender_user_id', $$tests.id('pilot')$$, $$'x', tests.id('vic')$$, '42501'),
  (', sender_guest_id', $$tests.id('pilot')$$, $$'x', tests.id('pilot/gus')$$, '42501'),
  (', created_at', $$tests.id('pilot')$$, $$'x', '2020-01-01'$$, '42501'),
  (', deleted_at', $$tests.id('pilot')$$, $$null, now()$$, '42501'),
  (', podcast_id', $$tests.id('pilot')$$, $$'x', tests.id('show')$$, '42501'),
  (', id', $$tests.id('pilot')$$, $$'x', gen_random_uuid()$$, '42501'),
  ('', 'gen_random_uuid()', $$'x'$$, 'PT404'),
  ('', $$tests.id('foreign')$$, $$'x'$$, '42501'),
  ('', $$tests.id('pilot')$$, $$''$$, '23514'),
  ('', $$tests.id('pilot')$$, $$E' \n\t '$$, '23514'),
  ('', $$tests.id('pilot')$$, 'null', '23514'),
  ('', $$tests.id('pilot')$$, $$repeat('x', 4001)$$, '23514'),
  ('', $$tests.id('second')$$, $$repeat('ü', 4000)$$, 'ok 1')) s (columns, episode, args, expected);
select is(tests.result_of('postgres', format(
    'insert into public.episode_messages (episode_id, body, sender_user_id, sender_guest_id) values (%L, %L, %s, %s)',
    tests.id('pilot'), 'x', sender, guest)), expected, format('a message with %s returns %s', title, expected))
from (values
  ($$tests.id('vic')$$, $$tests.id('pilot/gus')$$, '23514', 'two senders'),
  ('null', 'null', '23514', 'no sender'),
  ('null', $$tests.id('second/sue')$$, 'PT404', 'a guest of another episode')) s (sender, guest, expected, title);
select throws_ok($$ update public.episode_messages set body = null $$, '23514', null,
  'a message without deleted_at requires a body');
select throws_ok($$ update public.episode_messages set deleted_at = now() $$, '23514', null,
  'a message with a body cannot have deleted_at');

-- read and delete
select tests.access('selecting messages', $$select from public.episode_messages where episode_id = tests.id('pilot')$$,
  'ok 3: ola ana vic; ok 0: stranger otto; 42501: anon; ok 3: service');
select is(tests.result_of(who, 'delete from public.episode_messages'), '42501',
  format('episode_messages rejects a row delete from %s', who))
from unnest(array['anon', 'stranger', 'vic', 'ana', 'ola', 'service']) who;

-- pending deletion, deleted accounts and episodes
select tests.set_status('show', 'pending_deletion');
select is(pg_temp.insert_as('stranger'), '42501',
  'inserting a message does not reveal to a non-member that the podcast is pending deletion');
select tests.set_status('show', 'active');
select pg_temp.insert_as('vic', 'Goodbye') is not null;
delete from auth.users where id = tests.id('vic');
select is((select (sender_user_id, sender_name)::text from public.episode_messages where body = 'Goodbye'), '(,Vic)',
  'deleting an account keeps its messages under its name');
delete from public.episodes where id = tests.id('pilot');
select is_empty($$ select from public.episode_messages where episode_id = tests.id('pilot') $$,
  'deleting an episode deletes its messages');

select * from tests.finish();
rollback;
