-- set_episode_person_credit: creates or updates a credit, with defaults from the roster entry.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.guest('gus',
  'pilot');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'team', 'Ana', tests.id('ana'),
  avatar_url => 'https://a.test/ana.png', external_url => 'https://ana.test');
select public.add_episode_person(tests.id('pilot'), 'external', 'Eve', role_label => 'Editor'),
  public.add_episode_person(tests.id('pilot'), 'guest', 'Gus', guest_id => tests.id('pilot/gus'));
select public.add_episode_person(tests.id('second'), 'external', 'Far');
select tests.act_as('postgres');
select tests.remember('roster/' || name, id) from episode_people;
select tests.empty_queue('feed_invalidation');
create function pg_temp.set_credit(person text, changes jsonb default '{}', out status int, out response jsonb)
language plpgsql as $$
begin
  perform set_config('response.status', '', true), tests.act_as('ana');
  response := public.set_episode_person_credit(tests.id('pilot'), tests.id('roster/' || person), changes);
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
  perform tests.act_as('postgres');
end $$;
create temp view credits as
  select name, role_label::text, avatar_url, external_url, display_order from public.episode_credits
  where episode_id = tests.id('pilot') order by display_order;

select tests.access('set_episode_person_credit',
  $$ select public.set_episode_person_credit(tests.id('pilot'), tests.id('roster/Eve')) $$,
  '42501: anon; PT403: stranger vic');
select is(tests.result_of('ana', format('select public.set_episode_person_credit(tests.id(%L), %s)', episode, person)),
  'PT404', format('set_episode_person_credit returns 404 for %s', title))
from (values ('second', $$tests.id('roster/Eve')$$, 'a person of another episode'),
  ('pilot', 'gen_random_uuid()', 'an unknown person')) w (episode, person, title);
select is(tests.result_of('ana', format(
    'select public.set_episode_person_credit(tests.id(''pilot''), tests.id(''roster/Eve''), %L)', changes)), expected,
  format('set_episode_person_credit with %L returns %s', changes, expected))
from (values ('[]', 'PT400'), (null, 'PT400'), ('{"displayOrder": 0}', 'PT400'), ('{"name": null}', 'PT400'),
  ('{"roleLabel": null}', 'PT400'), ('{"roleLabel": "host"}', 'PT400'), ('{"roleLabel": "Participant"}', 'PT400'),
  ('{"roleLabel": ""}', 'PT400'), ('{"name": ""}', '23514'), ('{"avatarUrl": "data:x"}', '23514'),
  ('{"externalUrl": "x"}', '23514')) w (changes, expected);

-- an existing credit
select is((select (s.status, s.response)::text from pg_temp.set_credit('Ana',
    '{"roleLabel": "Composer", "name": " Anna ", "avatarUrl": null, "externalUrl": "https://anna.test"}') s),
  (select (200, jsonb_build_object('personId', tests.id('roster/Ana'), 'credit', jsonb_build_object('id', p.credit_id,
    'name', 'Anna', 'roleLabel', 'Composer', 'avatarUrl', null, 'externalUrl', 'https://anna.test',
    'displayOrder', 0)))::text from episode_people p where p.name = 'Ana'),
  'set_episode_person_credit updates an existing credit and returns 200');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'set_episode_person_credit invalidates the feed when it updates a credit');
select is((select s.response #>> '{credit,roleLabel}' from pg_temp.set_credit('Ana', '{"name": "Ana B."}') s),
  'Composer', 'set_episode_person_credit keeps the credit''s role label when none is given');
select results_eq($$ select * from credits limit 1 $$,
  $$ values ('Ana B.', 'Composer', 'https://a.test/ana.png', 'https://ana.test', 0) $$,
  'set_episode_person_credit takes absent URLs from the roster entry');
select is((select s.response #>> '{credit,name}' from pg_temp.set_credit('Ana') s), 'Ana',
  'set_episode_person_credit takes an absent name from the roster entry');
update episode_people set role_label = 'Host' where name = 'Ana';
select is((select s.response #>> '{credit,roleLabel}' from pg_temp.set_credit('Ana') s), 'Composer',
  'set_episode_person_credit keeps the credit''s role label after the roster''s changed');
select is((select s.response #>> '{credit,roleLabel}' from pg_temp.set_credit('Ana', '{"roleLabel": "Guest"}') s),
  'Guest', 'set_episode_person_credit sets the role label that is given');
select is((select role_label from episode_people where name = 'Ana'), 'Host',
  'set_episode_person_credit keeps the roster''s role label');

-- the role label of a new credit
create function pg_temp.new_credit(person text, roster_label text, label text) returns text language plpgsql as $$
begin
  update episode_people set role_label = roster_label where id = tests.id('roster/' || person);
  delete from episode_credits c using episode_people p where c.id = p.credit_id
    and p.id = tests.id('roster/' || person);
  return (select concat(s.status, ' ', s.response #>> '{credit,roleLabel}')
    from pg_temp.set_credit(person, jsonb_strip_nulls(jsonb_build_object('roleLabel', label))) s);
end $$;
select is(pg_temp.new_credit(person, roster_label, label), expected,
  format('set_episode_person_credit with role label %s, for %s with %L on the roster, returns %s',
    coalesce(label, 'absent'), person, roster_label, expected))
from (values
  ('Ana', 'Producer', null, '201 Producer'), ('Ana', 'Sound wizard', null, '201 Co-host'),
  ('Ana', 'Participant', null, '201 Co-host'), ('Ana', 'host', null, '201 Co-host'),
  ('Ana', 'Co-host', 'Host', '201 Host'), ('Ana', 'Host', 'Guest', '201 Guest'),
  ('Ana', 'Sound wizard', 'Editor', '201 Editor'), ('Eve', 'Editor', null, '201 Editor'),
  ('Eve', 'Participant', null, '201 Guest'), ('Eve', 'Sound wizard', null, '201 Guest'),
  ('Eve', 'Participant', 'Composer', '201 Composer'), ('Gus', 'Guest', null, '201 Guest'),
  ('Gus', 'Star', null, '201 Guest'), ('Gus', 'Guest', 'Co-host', '201 Co-host'), ('Gus', 'Host', null, '201 Host')
) w (person, roster_label, label, expected);
select results_eq('select name, display_order from credits', $$ values ('Ana', 0), ('Eve', 1), ('Gus', 2) $$,
  'set_episode_person_credit appends new credits without gaps');
select tests.empty_queue('feed_invalidation');
delete from episode_credits where name = 'Ana';
select tests.empty_queue('feed_invalidation');
select is((select (s.status, s.response #>> '{credit,displayOrder}')::text from pg_temp.set_credit('Ana') s), '(201,2)',
  'set_episode_person_credit appends a credit that was removed before');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'set_episode_person_credit invalidates the feed when it creates a credit');
update episode_people set is_active = false, credit_id = null where name = 'Gus';
select tests.act_as('ana');
select throws_ok($$ select public.set_episode_person_credit(tests.id('pilot'), tests.id('roster/Gus')) $$, 'PT422',
  'An inactive person cannot be credited', 'set_episode_person_credit rejects an inactive person');
select tests.act_as('postgres');

-- constraints of credits
select throws_ok($$ update episode_credits set role_label = 'Sound wizard' $$, '22P02', null,
  'episode_credits rejects a role label outside the set');
delete from episode_credits where episode_id = tests.id('pilot');
insert into episode_credits (episode_id, name, role_label, display_order)
select tests.id('pilot'), n::text, 'Guest', n from generate_series(0, 4) n;
delete from episode_credits where name in ('0', '2', '3');
select results_eq('select name, display_order from credits', $$ values ('1', 0), ('4', 1) $$,
  'deleting several credits at once renumbers the others');
select throws_ok($$ insert into episode_credits (episode_id, name, role_label, display_order)
    select tests.id('pilot'), 'X', 'Guest', 1 $$, '23505', null,
      'episode_credits rejects a display_order that is in use');
select throws_ok(
  $$ update episode_people set credit_id = (select id from episode_credits where name = 'Far') where name = 'Eve' $$,
  '23503', null, 'episode_people rejects a credit of another episode');

-- a failure after the credit is inserted
create function pg_temp.fail() returns trigger language plpgsql as $$
begin
  raise sqlstate '23514' using message = 'failed';
end $$;
create trigger t999_fail before update of credit_id on episode_people
  for each row when (new.credit_id is not null) execute function pg_temp.fail();
create temp table before as select * from credits;
select is(tests.result_of('ana',
  $$ select public.set_episode_person_credit(tests.id('pilot'), tests.id('roster/Eve')) $$),
  '23514', 'set_episode_person_credit fails if the credit cannot be linked to the person');
select results_eq('select * from credits', 'select * from before',
  'set_episode_person_credit creates no credit if it cannot be linked to the person');

select * from tests.finish();
rollback;
