-- Guests over the API: each caller reads only their rows, and the constraints hold for every writer.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.podcast('other', 'otto'), tests.episode('pilot', 'show');
insert into public.podcast_guests (podcast_id, display_name, email)
values (tests.id('show'), 'Gina', 'gina@guests.example');
select tests.remember('gina', id) from public.podcast_guests;
insert into public.podcast_guest_notes (guest_id, notes, bio) values (tests.id('gina'), 'Talks a lot', 'A pilot');
insert into public.episode_guests (episode_id, podcast_guest_id) values (tests.id('pilot'), tests.id('gina'));
insert into private.guest_invitations (episode_guest_id) select id from public.episode_guests;
select is((select podcast_id from public.podcast_guest_notes), tests.id('show'),
  'podcast_guest_notes carry their podcast');
select is((select podcast_id from public.episode_guests), tests.id('show'), 'episode_guests carry their podcast');

-- read
select is(tests.result_of(who, 'select from public.' || name), expected,
  format('selecting %s as %s returns %s', name, who, expected))
from (values
  ('ola', 'ok 1', 'ok 1'), ('ana', 'ok 1', 'ok 1'), ('vic', 'ok 1', 'ok 0'), ('service', 'ok 1', 'ok 1'),
  ('otto', 'ok 0', 'ok 0'), ('stranger', 'ok 0', 'ok 0'), ('anon', '42501', '42501')) v (who, guests, notes),
  lateral (values ('podcast_guests', guests), ('episode_guests', guests), ('podcast_guest_notes', notes)
  ) t (name, expected);

-- private functions
select is(tests.result_of(who, statement), expected,
  format('an implementation called directly checks the role: %s as %s returns %s', statement, who, expected))
from (values
  ('vic', $$select private.update_podcast_guest(tests.id('gina'), '{"notes": null}')$$, 'PT403'),
  ('stranger', $$select private.update_podcast_guest(tests.id('gina'), '{"notes": null}')$$, 'PT403'),
  ('anon', $$select private.update_podcast_guest(tests.id('gina'), '{"notes": null}')$$, '42501'),
  ('vic', $$select private.invite_guest(tests.id('pilot'), 'x@b.example', 'X', null)$$, 'PT403'),
  ('stranger', $$select private.invite_guest(tests.id('pilot'), 'x@b.example', 'X', null)$$, 'PT403'),
  ('anon', $$select private.invite_guest(tests.id('pilot'), 'x@b.example', 'X', null)$$, '42501'),
  ('vic', $$select private.remove_episode_guest((select id from public.episode_guests))$$, 'PT403'),
  ('stranger', $$select private.remove_episode_guest((select id from public.episode_guests))$$, 'PT404'),
  ('anon', $$select private.remove_episode_guest((select id from public.episode_guests))$$, '42501'),
  ('stranger', $$select private.list_podcast_guests(tests.id('show'), null, 50)$$, 'PT403'),
  ('stranger', $$select private.get_podcast_guest(tests.id('gina'))$$, 'PT403')) v (who, statement, expected);

-- constraints
create function pg_temp.insert_guest(name text, email text, podcast text default 'show') returns text language sql as $$
  select format('insert into public.podcast_guests (podcast_id, display_name, email) values (%L, %L, %L)',
    tests.id(podcast), name, email) $$;
select throws_ok(pg_temp.insert_guest(name, email), '23514', null,
  format('podcast_guests rejects the name %L with the email %L', left(name, 20), left(email, 40)))
from (values ('', 'a@b.example'), (repeat(' ', 5), 'a@b.example'), (repeat('x', 201), 'a@b.example'), ('A', ''),
  ('A', 'a'), ('A', 'a@b@c.example'), ('A', '@b.example'), ('A', 'a@'), ('A', 'a b@c.example'),
  ('A', E'a@b.example\nBcc: c@d.example'), ('A', E'a@b\x7f.example'), ('A', 'A <a@b.example>'),
  ('A', 'a@b.example,c@d.example'), ('A', repeat('x', 250) || '@b.cd')) v (name, email);
select lives_ok(pg_temp.insert_guest(name, email), format('podcast_guests accepts the email %s', email))
from (values (repeat('𝄞', 200), 'o''neil+cast@mail.example'), ('J', 'jürgen@münchen.example'),
  ('X', repeat('x', 244) || '@b.example')) v (name, email);
select throws_ok(pg_temp.insert_guest('J', ' JÜRGEN@München.example'), '23505', null,
  'podcast_guests rejects a second guest with the same email, regardless of letter case');
select lives_ok(pg_temp.insert_guest('Gina', 'gina@guests.example', 'other'),
  'podcast_guests accepts the same email for another podcast');
select throws_ok($$ insert into public.episode_guests (episode_id, podcast_guest_id)
    select tests.id('pilot'), id from public.podcast_guests where podcast_id = tests.id('other') $$, 'PT404', null,
  'episode_guests rejects a guest of another podcast');
select throws_ok($$ insert into public.episode_guests (episode_id, podcast_guest_id)
    values (tests.id('pilot'), tests.id('gina')) $$, '23505', null, 'episode_guests rejects the same guest twice');
select throws_ok($$ insert into public.podcast_guest_notes (guest_id, bio)
    select id, repeat('x', 2001) from public.podcast_guests where podcast_id = tests.id('other') $$, '23514', null,
  'podcast_guest_notes rejects a bio of 2,001 characters');

-- pending deletion, deletion
select tests.set_status('show', 'pending_deletion');
select throws_ok(statement, 'PT409', null, 'a podcast pending deletion rejects: ' || statement)
from unnest(array[
  $$insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id('show'), 'X', 'x@b.example')$$,
  $$update public.podcast_guests set display_name = 'X' where id = tests.id('gina')$$,
  $$update public.podcast_guest_notes set notes = 'X'$$,
  $$update public.episode_guests set status = 'active'$$, 'delete from public.episode_guests']) statement;
select lives_ok('update public.episode_guests set last_accessed_at = now()',
  'a podcast pending deletion accepts visits of guests');

select * from tests.finish();
rollback;
