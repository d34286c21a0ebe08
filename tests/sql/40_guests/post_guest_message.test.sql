-- The chat of an episode: the team under row level security, guests by token.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

-- A guest of an episode whose access token is their name
create function pg_temp.guest(name text, episode text, status public.episode_guest_status default 'active') returns uuid language plpgsql as $$
declare
  record uuid;
  made   uuid;
begin
  insert into public.podcast_guests (podcast_id, display_name, email)
  select e.podcast_id, initcap(name), name || '@guest.example' from public.episodes e where e.id = tests.id(episode) returning id into record;
  insert into public.episode_guests (episode_id, podcast_guest_id, status) values (tests.id(episode), record, status) returning id into made;
  insert into private.guest_invitations (episode_guest_id, token_hash, expires_at)
  values (made, sha256(convert_to(name, 'UTF8')), now() + interval '1 day');
  return tests.remember(name, made);
end $$;
select pg_temp.guest('gus', 'pilot'), pg_temp.guest('ida', 'pilot', 'invited'), pg_temp.guest('dan', 'pilot', 'declined'),
  pg_temp.guest('far', 'foreign'), pg_temp.guest('sue', 'second');
create function pg_temp.says(who text, what text default 'Hello', episode text default 'pilot') returns text language sql as $$
  select tests.result_of(who, format('insert into public.episode_messages (episode_id, body) values (%L, %L)', tests.id(episode), what)) $$;
create function pg_temp.posts(token text, what text default 'Hello', who text default 'anon') returns text language sql as $$
  select tests.result_of(who, format('select public.post_guest_message(%L, %L)', token, what)) $$;
create function pg_temp.heard(token text, cursor text default null, most int default 50) returns jsonb language plpgsql as $$
declare
  answer jsonb;
begin
  perform tests.act_as('anon');
  answer := public.list_guest_messages(token, cursor, most);
  perform tests.act_as('postgres');
  return answer;
exception when others then
  return to_jsonb(sqlstate);
end $$;

-- Members write
select is(pg_temp.says(who), wanted, format('%s writing is %s', who, wanted))
from (values ('ola', 'ok 1'), ('ana', 'ok 1'), ('vic', 'ok 1'), ('stranger', '42501'), ('otto', '42501'), ('anon', '42501'), ('service', '42501')) w (who, wanted);
select set_eq('select sender_user_id from public.episode_messages', array[tests.id('ola'), tests.id('ana'), tests.id('vic')], 'each as themself');
select is((select count(*) from public.episode_messages where podcast_id = tests.id('show') and sender_guest_id is null), 3::bigint, 'the podcast is the episode''s');
select is(tests.result_of('ana', statement), wanted, statement)
from (values
  ($$insert into public.episode_messages (episode_id, body, sender_user_id) values (tests.id('pilot'), 'x', tests.id('vic'))$$, '42501'),
  ($$insert into public.episode_messages (episode_id, body, sender_guest_id) values (tests.id('pilot'), 'x', tests.id('gus'))$$, '42501'),
  ($$insert into public.episode_messages (episode_id, body, created_at) values (tests.id('pilot'), 'x', '2020-01-01')$$, '42501'),
  ($$insert into public.episode_messages (episode_id, body, podcast_id) values (tests.id('pilot'), 'x', tests.id('show'))$$, '42501'),
  ($$insert into public.episode_messages (episode_id, body, id) values (tests.id('pilot'), 'x', gen_random_uuid())$$, '42501'),
  ($$insert into public.episode_messages (episode_id, body) values (gen_random_uuid(), 'x')$$, 'PT404'),
  ($$insert into public.episode_messages (episode_id, body) values (tests.id('foreign'), 'x')$$, '42501'),
  ($$insert into public.episode_messages (episode_id, body) values (tests.id('pilot'), '')$$, '23514'),
  ($$insert into public.episode_messages (episode_id, body) values (tests.id('pilot'), E' \n\t ')$$, '23514'),
  ($$insert into public.episode_messages (episode_id, body) values (tests.id('pilot'), null)$$, '23514'),
  ($$insert into public.episode_messages (episode_id, body) values (tests.id('pilot'), repeat('x', 4001))$$, '23514'),
  ($$insert into public.episode_messages (episode_id, body) values (tests.id('second'), repeat('ü', 4000))$$, 'ok 1'),
  ($$update public.episode_messages set body = 'else'$$, '42501')) s (statement, wanted);
select is(tests.result_of('postgres', statement), wanted, 'the server neither: ' || statement)
from (values
  ($$insert into public.episode_messages (episode_id, body, sender_user_id, sender_guest_id) values (tests.id('pilot'), 'x', tests.id('vic'), tests.id('gus'))$$, '23514'),
  ($$insert into public.episode_messages (episode_id, body, sender_user_id) values (tests.id('pilot'), 'x', null)$$, '23514'),
  ($$insert into public.episode_messages (episode_id, body, sender_user_id, sender_guest_id) values (tests.id('pilot'), 'x', null, tests.id('sue'))$$, 'PT404')) s (statement, wanted);

-- Members read
select is(tests.result_of(who, $$ select from public.episode_messages where episode_id = tests.id('pilot') $$), wanted, format('%s reading is %s', who, wanted))
from (values ('ola', 'ok 3'), ('ana', 'ok 3'), ('vic', 'ok 3'), ('stranger', 'ok 0'), ('otto', 'ok 0'), ('anon', '42501'), ('service', 'ok 3')) w (who, wanted);

-- Senders delete their own messages
create temp table sent as select id from public.episode_messages where episode_id = tests.id('pilot') and sender_user_id = tests.id('vic');
grant select on sent to public;
create function pg_temp.deletes(who text) returns text language sql as $$
  select tests.result_of(who, format('select public.delete_episode_message(%L)', id)) from sent $$;
select is(tests.result_of(who, $$ delete from public.episode_messages where episode_id = tests.id('pilot') $$), '42501', format('episode_messages rejects a row delete from %s', who))
from unnest(array['anon', 'stranger', 'vic', 'ana', 'ola', 'service']) who;
select is(pg_temp.deletes(who), wanted, format('delete_episode_message of vic''s message as %s is %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'PT404'), ('otto', 'PT404'), ('ana', 'PT403'), ('ola', 'PT403')) w (who, wanted);
select is(tests.result_of('vic', 'select public.delete_episode_message(gen_random_uuid())'), 'PT404', 'delete_episode_message of an unknown message is 404');
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(pg_temp.deletes('vic'), 'PT409', 'delete_episode_message is 409 on a podcast pending deletion');
update public.podcasts set status = 'active' where id = tests.id('show');
select is(pg_temp.deletes('vic'), 'ok 1', 'delete_episode_message succeeds for the sender');
select is((select (body, deleted_at, sender_user_id, created_at is not null)::text from public.episode_messages join sent using (id)), format('(,"%s",%s,t)', now(), tests.id('vic')), 'delete_episode_message keeps the row, clears the body and sets deleted_at');
select tests.act_as('vic');
select is((select (public.delete_episode_message(id)).body from sent), null, 'delete_episode_message returns the message without its body when it is repeated');
select tests.act_as('postgres');
select tests.result_of('vic', format('select private.delete_episode_message(%L, now() + interval %L)', id, '1 day')) is not null from sent;
select is((select deleted_at from public.episode_messages join sent using (id)), now(), 'delete_episode_message keeps the first deleted_at when it is repeated');
select throws_ok($$ update public.episode_messages set body = 'back' where id = (select id from sent) $$, '23514', null, 'a deleted message cannot have a body');
select throws_ok($$ update public.episode_messages set body = null where deleted_at is null $$, '23514', null, 'a message without deleted_at needs a body');
select throws_ok($$ update public.episode_messages set deleted_at = now() where deleted_at is null $$, '23514', null, 'a message with a body cannot have deleted_at');
select is(tests.result_of('vic', $$ insert into public.episode_messages (episode_id, body, deleted_at) values (tests.id('pilot'), null, now()) $$), '42501', 'clients may not insert deleted messages');

-- Guests write
select is(pg_temp.posts(token), wanted, format('a token that is %s writes: %s', token, wanted))
from (values ('gus', 'ok 1'), ('ida', 'ok 1'), ('dan', 'PT403'), ('nobody', 'PT401'), ('', 'PT401'), (null, 'PT401')) w (token, wanted);
select is(pg_temp.posts('gus', body), wanted, format('%s characters by a guest are %s', char_length(body), wanted))
from (values ('', '23514'), ('  ', '23514'), (null, '23514'), (repeat('x', 4001), '23514'), (repeat('x', 4000), 'ok 1')) w (body, wanted);
select is((select count(*) from public.episode_messages where sender_guest_id = tests.id('gus') and sender_user_id is null and episode_id = tests.id('pilot')), 2::bigint, 'as the guest, on the episode of the token');
select is(pg_temp.posts('gus', 'As I am', 'stranger'), 'ok 1', 'a signed-in holder of a token writes');
select is((select sender_user_id from public.episode_messages where body = 'As I am'), null, 'as the guest, too');
select tests.act_as('anon');
select public.post_guest_message('gus', 'Status');
select is(current_setting('response.status', true), '201', 'which is 201');
select tests.act_as('postgres');
select is(pg_temp.posts('far', 'From afar'), 'ok 1', 'a guest of another podcast writes into their own episode''s chat');

-- Guests read
select is(pg_temp.heard(token), to_jsonb(wanted), format('a token that is %s reads: %s', token, wanted))
from (values ('dan', 'PT403'), ('nobody', 'PT401'), ('', 'PT401'), (null, 'PT401')) w (token, wanted);
select is(jsonb_array_length(pg_temp.heard('ida') -> 'data'), 8, 'an invited guest reads the episode''s chat, with its deleted messages');
select is(pg_temp.heard('far') #>> '{data,0,body}', 'From afar', 'and nobody another episode''s');
select is(jsonb_array_length(pg_temp.heard('far') -> 'data'), 1, 'not one message of it');
update public.profiles set avatar_url = 'https://pic.test/ola.png' where id = tests.id('ola');
delete from public.episode_messages where episode_id = tests.id('pilot');
select pg_temp.says('ola', 'First') is not null, pg_temp.posts('gus', 'Second') is not null, pg_temp.posts('ida', 'Third') is not null;
select is(pg_temp.heard('gus') -> 'data', (
  select jsonb_build_array(
    jsonb_build_object('id', ida.id, 'body', 'Third', 'createdAt', private.format_timestamp(ida.created_at), 'deletedAt', null, 'isMine', false,
      'sender', '{"type": "guest", "name": "Ida", "avatarUrl": null}'::jsonb),
    jsonb_build_object('id', gus.id, 'body', 'Second', 'createdAt', private.format_timestamp(gus.created_at), 'deletedAt', null, 'isMine', true,
      'sender', '{"type": "guest", "name": "Gus", "avatarUrl": null}'::jsonb),
    jsonb_build_object('id', ola.id, 'body', 'First', 'createdAt', private.format_timestamp(ola.created_at), 'deletedAt', null, 'isMine', false,
      'sender', '{"type": "member", "name": "Ola", "avatarUrl": "https://pic.test/ola.png"}'::jsonb))
  from public.episode_messages ola, public.episode_messages gus, public.episode_messages ida
  where (ola.body, gus.body, ida.body) = ('First', 'Second', 'Third')), 'newest first, with names and pictures, and without addresses or ids of people');

select is(pg_temp.heard('ida') -> 'data' -> 0 ->> 'body', 'Third', 'list_guest_messages shows the body of a message');
select tests.result_of('ola', format('select public.delete_episode_message(%L)', id)) is not null from public.episode_messages where body = 'First';
select is((pg_temp.heard('gus') -> 'data' -> 2) - '{id,createdAt,sender}'::text[], jsonb_build_object('body', null, 'deletedAt', private.format_timestamp(now()), 'isMine', false), 'list_guest_messages shows a deleted message without its body');
update public.episode_messages set body = 'First', deleted_at = null where deleted_at is not null and episode_id = tests.id('pilot');

-- Pages
create function pg_temp.pages(token text, most int) returns text[] language plpgsql as $$
declare
  answer jsonb := pg_temp.heard(token, null, most);
  pages  text[] := '{}';
begin
  loop
    pages := pages || (select string_agg(m ->> 'body', '+' order by n) from jsonb_array_elements(answer -> 'data') with ordinality x (m, n));
    exit when not (answer #>> '{pagination,hasMore}')::boolean or cardinality(pages) = 9;
    answer := pg_temp.heard(token, answer #>> '{pagination,nextCursor}', most);
  end loop;
  return pages;
end $$;
select is(pg_temp.pages('gus', 2), array['Third+Second', 'First'], 'pages follow each other');
select is(pg_temp.heard('gus', null, 3) -> 'pagination', '{"nextCursor": null, "hasMore": false}', 'a full page without a successor says so');
update public.episode_messages set created_at = now() where episode_id = tests.id('pilot');
select is(cardinality(pg_temp.pages('gus', 1)), 3, 'of messages of the same instant none is lost');
select is(pg_temp.heard('gus', null, 1) #>> '{pagination,nextCursor}' ~ '^[A-Za-z0-9_-]+$', true, 'cursors need no escaping');
select is(pg_temp.heard('gus', cursor, most), to_jsonb('PT400'::text), format('cursor %L and limit %s are 400', cursor, most))
from (values ('x', 10), ('', 10), ('bm8gY3Vyc29y', 10), (null, 0), (null, 101), (null, null)) w (cursor, most);

-- A visit is noted, at most once a minute
update public.episode_guests set last_accessed_at = null;
select pg_temp.heard('gus');
select isnt((select last_accessed_at from public.episode_guests where id = tests.id('gus')), null, 'reading notes the visit');
update public.episode_guests set last_accessed_at = now() - interval '30 seconds';
select pg_temp.posts('gus') is not null;
select is((select last_accessed_at from public.episode_guests where id = tests.id('gus')), now() - interval '30 seconds', 'twice within a minute is once');

-- Rate
delete from private.rate_limits;
select is(array_agg(distinct pg_temp.posts('ida', n::text)), array['ok 1'], 'thirty messages a minute are a conversation') from generate_series(1, 30) n;
select is(pg_temp.posts('ida'), 'PT429', 'the next has to wait');
select is(pg_temp.posts('gus'), 'ok 1', 'which is nothing to other guests');

-- Expired, removed, pending deletion, gone
update private.guest_invitations set expires_at = now() where episode_guest_id = tests.id('sue');
select is(pg_temp.heard('sue'), to_jsonb('PT401'::text), 'an expired token reads nothing');
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(pg_temp.says('vic'), 'PT409', 'nothing is written on a podcast that is on its way out');
select is(pg_temp.says('stranger'), '42501', 'of which strangers learn nothing');
select is(pg_temp.posts('gus'), 'PT409', 'not by guests either');
select is(jsonb_typeof(pg_temp.heard('gus')), 'object', 'but read');
update public.podcasts set status = 'active' where id = tests.id('show');
update public.episode_guests set status = 'removed' where id = tests.id('gus');
select is(pg_temp.heard('gus'), to_jsonb('PT401'::text), 'a removed guest reads nothing');
select is(pg_temp.posts('gus'), 'PT401', 'and writes nothing');
select isnt_empty($$ select from public.episode_messages where sender_guest_id = tests.id('gus') $$, 'what they said stays');
select pg_temp.says('vic', 'Farewell') is not null;
delete from auth.users where id = tests.id('vic');
select is_empty($$ select from public.episode_messages where body = 'Farewell' $$, 'an account''s words go with it');
delete from public.episodes where id = tests.id('pilot');
select is_empty($$ select from public.episode_messages where episode_id = tests.id('pilot') $$, 'the chat goes with its episode');

select * from tests.finish();
rollback;
