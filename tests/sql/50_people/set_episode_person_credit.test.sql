-- Credits: whose, under which label, in which order, and what the feed hears.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.guest('gus', 'pilot');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'team', 'Ana', tests.id('ana'), avatar_url => 'https://a.test/ana.png', external_url => 'https://ana.test');
select public.add_episode_person(tests.id('pilot'), 'external', 'Eve', role_label => 'Editor'), public.add_episode_person(tests.id('pilot'), 'guest', 'Gus', guest_id => tests.id('pilot/gus'));
select public.add_episode_person(tests.id('second'), 'external', 'Far');
select tests.act_as('postgres');
select tests.remember('on/' || name, id) from episode_people;
select tests.empty_queue('feed_invalidation');

create function pg_temp.credit(person text, changes jsonb default '{}', out status int, out credit jsonb) language plpgsql as $$
begin
  perform set_config('response.status', '', true), tests.act_as('ana');
  credit := public.set_episode_person_credit(tests.id('pilot'), tests.id('on/' || person), changes);
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
  perform tests.act_as('postgres');
end $$;
create function pg_temp.uncredit(person text) returns jsonb language plpgsql as $$
declare answer jsonb;
begin
  perform tests.act_as('ana');
  answer := public.remove_episode_person_credit(tests.id('pilot'), tests.id('on/' || person));
  perform tests.act_as('postgres');
  return answer;
end $$;
create temp view credits as select name, role_label::text, avatar_url, external_url, display_order from public.episode_credits where episode_id = tests.id('pilot') order by display_order;
create function pg_temp.heard(out n bigint) language plpgsql as $$ begin select count(*) into n from tests.queued('feed_invalidation'); perform tests.empty_queue('feed_invalidation'); end $$;

select is(tests.result_of(who, format('select public.%s(tests.id(''pilot''), tests.id(''on/Eve''))', verb)), wanted, format('%s, %s: %s', who, verb, wanted))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403')) w (who, wanted), unnest('{set_episode_person_credit,remove_episode_person_credit}'::text[]) verb;
select is(tests.result_of('ana', format('select public.%s(tests.id(%L), %s)', verb, episode, person)), 'PT404', format('%s: %s', verb, claim))
from (values ('second', $$tests.id('on/Eve')$$, 'someone of another episode is 404'), ('pilot', 'gen_random_uuid()', 'and so is nobody')) w (episode, person, claim),
  unnest('{set_episode_person_credit,remove_episode_person_credit}'::text[]) verb;
select is(tests.result_of('ana', format('select public.set_episode_person_credit(tests.id(''pilot''), tests.id(''on/Eve''), %L)', changes)), wanted, format('%s: %s', changes, wanted))
from (values ('[]', 'PT400'), (null, 'PT400'), ('{"displayOrder": 0}', 'PT400'), ('{"name": null}', 'PT400'), ('{"roleLabel": null}', 'PT400'), ('{"roleLabel": "host"}', 'PT400'),
  ('{"roleLabel": "Participant"}', 'PT400'), ('{"roleLabel": ""}', 'PT400'), ('{"name": ""}', '23514'), ('{"avatarUrl": "data:x"}', '23514'), ('{"externalUrl": "x"}', '23514')) w (changes, wanted);
select throws_ok($$ update episode_credits set role_label = 'Sound wizard' $$, '22P02', null, 'the set is closed in storage');

-- An existing credit
select is((select (c.status, c.credit)::text from pg_temp.credit('Ana', '{"roleLabel": "Composer", "name": " Anna ", "avatarUrl": null, "externalUrl": "https://anna.test"}') c),
  (select (200, jsonb_build_object('personId', tests.id('on/Ana'), 'credit', jsonb_build_object('id', p.credit_id, 'name', 'Anna', 'roleLabel', 'Composer',
    'avatarUrl', null, 'externalUrl', 'https://anna.test', 'displayOrder', 0)))::text from episode_people p where p.name = 'Ana'), 'a credit that is there is changed, with 200');
select is(pg_temp.heard(), 1::bigint, 'the feed hears of it');
select is((select c.credit #>> '{credit,roleLabel}' from pg_temp.credit('Ana', '{"name": "Ana B."}') c), 'Composer', 'a label once chosen stays when none is given');
select results_eq($$ select * from credits limit 1 $$, $$ values ('Ana B.', 'Composer', 'https://a.test/ana.png', 'https://ana.test', 0) $$, 'everything else is taken from the roster then');
select is((select c.credit #>> '{credit,name}' from pg_temp.credit('Ana') c), 'Ana', 'the name too');
update episode_people set role_label = 'Host' where name = 'Ana';
select is((select c.credit #>> '{credit,roleLabel}' from pg_temp.credit('Ana') c), 'Composer', 'also when the roster''s label becomes another of the set');
select is((select role_label from episode_people where name = 'Ana'), 'Host', 'and a choice for the feed leaves the roster as it is');
select is((select c.credit #>> '{credit,roleLabel}' from pg_temp.credit('Ana', '{"roleLabel": "Host"}') c), 'Host', 'until the caller says another');

-- Labels of a new credit
create function pg_temp.afresh(person text, on_roster text, chosen text default null) returns text language plpgsql as $$
declare made jsonb;
begin
  update episode_people set role_label = on_roster where id = tests.id('on/' || person);
  delete from episode_credits c using episode_people p where c.id = p.credit_id and p.id = tests.id('on/' || person);
  return (select concat(c.status, ' ', c.credit #>> '{credit,roleLabel}') from pg_temp.credit(person, jsonb_strip_nulls(jsonb_build_object('roleLabel', chosen))) c);
end $$;
select is(pg_temp.afresh(person, on_roster, chosen), wanted, format('%s, %s on the roster, asked for %s: %s', person, on_roster, coalesce(chosen, 'nothing'), wanted))
from (values
  ('Ana', 'Producer', null, '201 Producer'), ('Ana', 'Sound wizard', null, '201 Co-host'), ('Ana', 'Participant', null, '201 Co-host'), ('Ana', 'host', null, '201 Co-host'),
  ('Ana', 'Co-host', 'Host', '201 Host'), ('Ana', 'Host', 'Guest', '201 Guest'), ('Ana', 'Sound wizard', 'Editor', '201 Editor'),
  ('Eve', 'Editor', null, '201 Editor'), ('Eve', 'Participant', null, '201 Guest'), ('Eve', 'Sound wizard', null, '201 Guest'), ('Eve', 'Participant', 'Composer', '201 Composer'),
  ('Gus', 'Guest', null, '201 Guest'), ('Gus', 'Star', null, '201 Guest'), ('Gus', 'Guest', 'Co-host', '201 Co-host'), ('Gus', 'Host', null, '201 Host')) w (person, on_roster, chosen, wanted);

-- Order
select results_eq('select name, display_order from credits', $$ values ('Ana', 0), ('Eve', 1), ('Gus', 2) $$, 'each new one is appended, without a gap');
select pg_temp.heard();
select is(pg_temp.uncredit('Ana'), jsonb_build_object('personId', tests.id('on/Ana'), 'name', 'Ana'), 'who is uncredited is named');
select results_eq('select name, display_order from credits', $$ values ('Eve', 0), ('Gus', 1) $$, 'the others move up');
select is((select (is_active, credit_id)::text from episode_people where name = 'Ana'), '(t,)', 'and the person stays on the roster');
select is(pg_temp.heard(), 1::bigint, 'the feed hears of it, once');
select is(tests.result_of('ana', $$ select public.remove_episode_person_credit(tests.id('pilot'), tests.id('on/Ana')) $$), 'PT422', 'who is not credited is not uncredited');
select is((select (c.status, c.credit #>> '{credit,displayOrder}')::text from pg_temp.credit('Ana') c), '(201,2)', 'credited again, they are the last');
select is(pg_temp.heard(), 1::bigint, 'which the feed hears');
update episode_people set is_active = false, credit_id = null where name = 'Gus';
select is(tests.result_of('ana', $$ select public.set_episode_person_credit(tests.id('pilot'), tests.id('on/Gus')) $$), 'PT422', 'who is inactive is not credited');
delete from episode_credits where name = 'Gus';
delete from episode_credits where name in ('Eve', 'Ana');
select is_empty('select 1 from credits', 'several may go at once');
insert into episode_credits (episode_id, name, role_label, display_order) select tests.id('pilot'), n::text, 'Guest', n from generate_series(0, 4) n;
delete from episode_credits where name in ('0', '2', '3');
select results_eq('select name, display_order from credits', $$ values ('1', 0), ('4', 1) $$, 'and leave no gap');
select throws_ok($$ insert into episode_credits (episode_id, name, role_label, display_order) select tests.id('pilot'), 'X', 'Guest', 1 $$, '23505', null, 'two credits never share a place');
select throws_ok($$ update episode_people set credit_id = (select id from episode_credits where name = 'Far') where name = 'Eve' $$, '23503', null, 'and nobody is credited on another episode than theirs');

-- "If linking fails": all or nothing
create function pg_temp.fails() returns trigger language plpgsql as $$ begin raise sqlstate '23514' using message = 'no'; end $$;
create trigger t999_fails before update of credit_id on episode_people for each row when (new.credit_id is not null) execute function pg_temp.fails();
create temp table before as select * from credits;
select is(tests.result_of('ana', $$ select public.set_episode_person_credit(tests.id('pilot'), tests.id('on/Eve')) $$), '23514', 'when linking fails');
select results_eq('select * from credits', 'select * from before', 'there is no credit');

update podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(tests.result_of('ana', format('select public.%s(tests.id(''pilot''), tests.id(''on/Eve''))', verb)), 'PT409', format('%s is refused on a podcast that is scheduled for deletion', verb))
from unnest('{set_episode_person_credit,remove_episode_person_credit}'::text[]) verb;

select * from tests.finish();
rollback;
