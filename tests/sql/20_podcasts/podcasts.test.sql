-- Who reads and edits podcasts, straight through the API.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select is(tests.result_of('anon', 'select from public.podcasts'), '42501', 'anon may not ask');
select is(tests.result_of('stranger', 'select from public.podcasts'), 'ok 0', 'a stranger sees none');
select is(tests.result_of('vic', 'select from public.podcasts'), 'ok 1', 'a member sees it');
select is(tests.result_of('service', 'select from public.podcasts'), 'ok 1', 'the service sees it');
select is(tests.result_of('stranger', $$ update public.podcasts set title = 'X' $$), 'ok 0', 'a stranger edits nothing');
select is(tests.result_of('vic', $$ update public.podcasts set title = 'X' $$), 'ok 0', 'a member edits nothing');
select is(tests.result_of('ana', $$ update public.podcasts set title = ' New ', description = 'D', funding = '[{"url":"https://x.example","text":"Support"}]', verify_texts = '[{"text":"abc","purpose":"verify"}]' $$), 'ok 1', 'an admin edits');
select is((select title from public.podcasts), 'New', 'and texts are trimmed');
select is(tests.result_of('ola', $$ update public.podcasts set explicit = true $$), 'ok 1', 'the owner edits');
select is(tests.result_of('ola', format('update public.podcasts set %I = %I', c, c)), '42501', c || ' is the server''s column')
from unnest(array['slug', 'owner_id', 'status', 'podcast_guid', 'hosting_type', 'created_at', 'updated_at', 'id']) c;
select is(tests.result_of('ola', 'delete from public.podcasts'), '42501', 'deleting is the lifecycle''s');
select is(tests.result_of('ola', format('update public.podcasts set %s', change)), '23514', change || ' is refused by a check')
from unnest(array[$$medium = 'tv'$$, $$link = 'ftp://x'$$, $$owner_email = 'not an address'$$, $$language = ''$$, $$title = ''$$,
  $$cover_image_url = 'javascript:alert(1)'$$, $$funding = '{}'$$, $$description = repeat('x', 10001)$$]) change;
select is(tests.result_of('ola', format('update public.podcasts set %s', change)), 'PT400', change || ' is refused with a sentence')
from unnest(array[$$funding = '[{"url":"ftp://x","text":"a"}]'$$, $$verify_texts = '[{"purpose":"x"}]'$$, $$categories = '[{"category":"Arts","subcategory":"Golf"}]'$$,
  $$categories = '[{"category":"Arts"},{"category":"News"},{"category":"Music"},{"category":"Fiction"}]'$$]) change;

-- On its way out, nothing is written any more
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(tests.result_of('ola', $$ update public.podcasts set title = 'X' $$), 'PT409', 'a podcast pending deletion is not edited');
select is(tests.result_of('ola', $$ select public.create_episode(tests.id('show'), 'X') $$), 'PT409', 'gets no episodes');
select is(tests.result_of('ola', $$ select public.invite_podcast_member(tests.id('show'), 'stranger@test.example') $$), 'PT409', 'a podcast pending deletion invites no members');
select is(tests.result_of('vic', $$ delete from public.podcast_members where user_id = tests.id('vic') $$), 'PT409', 'who stay too');
select is(tests.result_of('ola', statement), 'PT409', statement || ' is refused too') from unnest(array[
  $$ select public.offer_podcast_transfer(tests.id('show'), tests.id('ana')) $$,
  $$ update public.podcast_members set auto_add_to_new_episodes = true where user_id = tests.id('vic') $$]) statement;
select throws_ok($$ update public.podcasts set title = 'X' $$, 'PT409', null, 'whoever writes');
select lives_ok($$ update public.podcasts set status = 'active' $$, 'the lifecycle''s columns are not guarded');
select throws_ok($$ update public.podcasts set slug = 'other' $$, 'PT409', null, 'the slug stays, whoever writes');
select throws_ok($$ update public.podcasts set podcast_guid = gen_random_uuid() $$, 'PT409', null, 'and the GUID');

select is(tests.result_of('service', $$ update public.podcasts set owner_id = tests.id('vic') $$), 'ok 1', 'the service may move a podcast');
select is((select jsonb_object_agg(i.name, m.role) from public.podcast_members m join tests.ids i on i.id = m.user_id),
  '{"ola":"admin","ana":"admin","vic":"owner"}', 'and the team follows: one owner, who is owner_id');
select is_empty($$ select a.attname from pg_attribute a where a.attrelid = 'public.podcasts'::regclass and a.attnum > 0 and not a.attisdropped
  and a.attname not in ('id', 'status', 'created_at', 'updated_at')
  and not exists (select from pg_trigger t where t.tgrelid = a.attrelid and t.tgname = 't300_guard' and a.attnum = any (t.tgattr::int2[])) $$,
  'every column but the lifecycle''s is guarded');

delete from public.podcasts where id = tests.id('show');
select is((select count(*) from private.podcast_slugs where slug = 'show'), 1::bigint, 'a deleted podcast''s slug stays taken');
select is((select count(*) from public.podcast_members where podcast_id = tests.id('show')), 0::bigint, 'its members go with it');
select is((tests.podcast('show2', 'ola')) is not null, true, 'and the owner can make another');

select * from tests.finish();
rollback;
