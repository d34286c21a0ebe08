-- Who reads what of guests straight through the API, and that nobody writes it there.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger'), tests.podcast('other', 'otto');
select tests.episode('pilot', 'show');
insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id('show'), 'Gina', 'gina@guests.example');
select tests.remember('gina', id) from public.podcast_guests;
insert into public.podcast_guest_notes (guest_id, notes, bio) values (tests.id('gina'), 'Talks a lot', 'A pilot');
insert into public.episode_guests (episode_id, podcast_guest_id) values (tests.id('pilot'), tests.id('gina'));
insert into private.guest_invitations (episode_guest_id, token_hash, expires_at) select id, sha256('x'), 'infinity' from public.episode_guests;
select is((select podcast_id from public.podcast_guest_notes), tests.id('show'), 'notes carry their podcast');
select is((select podcast_id from public.episode_guests), tests.id('show'), 'and so do the guests of episodes');

select is(tests.result_of(who, 'select from public.' || name), expected, format('%s reading %s: %s', who, name, expected))
from (values
  ('podcast_guests', 'ola', 'ok 1'), ('podcast_guests', 'ana', 'ok 1'), ('podcast_guests', 'vic', 'ok 1'), ('podcast_guests', 'service', 'ok 1'),
  ('podcast_guests', 'otto', 'ok 0'), ('podcast_guests', 'stranger', 'ok 0'), ('podcast_guests', 'anon', '42501'),
  ('podcast_guest_notes', 'ola', 'ok 1'), ('podcast_guest_notes', 'ana', 'ok 1'), ('podcast_guest_notes', 'vic', 'ok 0'), ('podcast_guest_notes', 'service', 'ok 1'),
  ('podcast_guest_notes', 'otto', 'ok 0'), ('podcast_guest_notes', 'stranger', 'ok 0'), ('podcast_guest_notes', 'anon', '42501'),
  ('episode_guests', 'ola', 'ok 1'), ('episode_guests', 'ana', 'ok 1'), ('episode_guests', 'vic', 'ok 1'), ('episode_guests', 'service', 'ok 1'),
  ('episode_guests', 'otto', 'ok 0'), ('episode_guests', 'stranger', 'ok 0'), ('episode_guests', 'anon', '42501')
) v (name, who, expected);
select is(tests.result_of(who, 'select from private.guest_invitations'), '42501', who || ' does not read invitations') from unnest(array['ola', 'service', 'anon']) who;

select is(tests.result_of(who, statement), '42501', format('%s may not: %s', who, statement))
from unnest(array['ola', 'ana', 'vic', 'stranger', 'anon', 'service']) who, unnest(array[
  $$ insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id('show'), 'X', 'x@guests.example') $$,
  $$ update public.podcast_guests set display_name = 'X' $$,
  $$ update public.podcast_guests set user_id = tests.id('ola') $$,
  'delete from public.podcast_guests',
  $$ insert into public.podcast_guest_notes (guest_id, notes) values (tests.id('gina'), 'X') $$,
  $$ update public.podcast_guest_notes set notes = 'X' $$,
  'delete from public.podcast_guest_notes',
  $$ insert into public.episode_guests (episode_id, podcast_guest_id) values (tests.id('pilot'), tests.id('gina')) $$,
  $$ update public.episode_guests set status = 'active' $$,
  'delete from public.episode_guests']) statement;

-- What is behind the grants asks for itself
select is(tests.result_of(who, statement), '42501', format('%s does not call: %s', who, statement))
from unnest(array['ola', 'anon', 'service']) who, unnest(array[
  $$ select private.authenticate_guest('x') $$, $$ select private.require_guest_role(tests.id('gina'), 'member') $$,
  $$ select private.guest_json(null) $$, $$ select private.lock_guest_emails('x') $$]) statement;
select is(tests.result_of(who, statement), case who when 'anon' then '42501' else expected end, format('%s calling behind a verb: %s', who, statement))
from unnest(array['vic', 'stranger', 'anon']) who, (values
  ($$ select private.update_podcast_guest(tests.id('gina'), '{"notes": null}') $$, 'PT403'),
  ($$ select private.invite_guest(tests.id('pilot'), 'x@guests.example', 'X', null) $$, 'PT403'),
  ($$ select private.remove_episode_guest((select id from public.episode_guests)) $$, 'PT404')) v (statement, expected)
where (who, expected) <> ('vic', 'PT404');
select is(tests.result_of('vic', $$ select private.remove_episode_guest((select id from public.episode_guests)) $$), 'PT403', 'a member who calls behind remove_episode_guest is asked for the role');
select is(tests.result_of('stranger', $$ select private.list_podcast_guests(tests.id('show'), null, 50) $$), 'PT403', 'and a stranger behind the list');
select is(tests.result_of('stranger', $$ select private.get_podcast_guest(tests.id('gina')) $$), 'PT403', 'and the detail');

-- The rows' own rules, whoever writes
select throws_ok(format('insert into public.podcast_guests (podcast_id, display_name, email) values (%L, %L, %L)', tests.id('show'), name, email), '23514', null, format('no guest is called %s <%s>', left(name, 20), left(email, 40)))
from (values ('', 'a@b.example'), (repeat(' ', 5), 'a@b.example'), (repeat('x', 201), 'a@b.example'), ('A', ''), ('A', 'nobody'), ('A', 'a@b@c.example'), ('A', '@b.example'), ('A', 'a@'),
  ('A', 'a b@c.example'), ('A', E'a@b.example\nBcc: c@d.example'), ('A', E'a@b\x7f.example'), ('A', 'A <a@b.example>'), ('A', 'a@b.example,c@d.example'), ('A', repeat('x', 250) || '@b.cd')) v (name, email);
select lives_ok(format('insert into public.podcast_guests (podcast_id, display_name, email) values (%L, %L, %L)', tests.id('show'), name, email), email || ' is an address')
from (values (repeat('𝄞', 200), 'o''neil+cast@mail.example'), ('J', 'jürgen@münchen.example'), ('X', repeat('x', 244) || '@b.example')) v (name, email);
select throws_ok($$ insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id('show'), 'J', ' JÜRGEN@München.example') $$, '23505', null, 'an address is one guest of a podcast, whatever its case');
select lives_ok($$ insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id('other'), 'Gina', 'gina@guests.example') $$, 'and may be one of another podcast');
select throws_ok($$ insert into public.episode_guests (episode_id, podcast_guest_id) select tests.id('pilot'), id from public.podcast_guests where podcast_id = tests.id('other') $$,
  'PT404', null, 'a guest of another podcast is none of this episode');
select throws_ok($$ insert into public.episode_guests (episode_id, podcast_guest_id) values (tests.id('pilot'), tests.id('gina')) $$, '23505', null, 'a guest is once on an episode');
select throws_ok($$ insert into public.podcast_guest_notes (guest_id, bio) select id, repeat('x', 2001) from public.podcast_guests where podcast_id = tests.id('other') $$, '23514', null, 'a bio has 2000 characters at most');

update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select throws_ok(statement, 'PT409', null, 'to a podcast on its way out nobody does: ' || statement) from unnest(array[
  $$ insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id('show'), 'X', 'x@guests.example') $$,
  $$ update public.podcast_guests set display_name = 'X' where id = tests.id('gina') $$,
  $$ update public.podcast_guest_notes set notes = 'X' $$,
  $$ update public.episode_guests set status = 'active' $$, $$ delete from public.episode_guests $$]) statement;
select lives_ok($$ update public.episode_guests set last_accessed_at = now() $$, 'but the guest''s visit is noted');
select lives_ok($$ delete from public.podcasts where id = tests.id('show') $$, 'with the podcast all of it goes');
select is((select count(*) from public.podcast_guests where podcast_id = tests.id('show')) + (select count(*) from public.podcast_guest_notes)
  + (select count(*) from public.episode_guests) + (select count(*) from private.guest_invitations), 0::bigint, 'records, notes, guests and invitations');

select * from tests.finish();
rollback;
