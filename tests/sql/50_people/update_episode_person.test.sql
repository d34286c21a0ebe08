-- Changing and removing people: what is absent stays, null clears, and who is inactive or gone is credited no more.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.episode('second', 'show');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'external', 'Eve', role_label => 'Editor', avatar_url => 'https://a.test/eve.png', external_url => 'https://eve.test');
select public.add_episode_person(tests.id('pilot'), 'team', 'Ana', tests.id('ana')), public.add_episode_person(tests.id('pilot'), 'external', 'Zed');
select tests.act_as('postgres');
select tests.remember(name, id) from episode_people where name in ('Eve', 'Zed');
select tests.remember('roster/ana', id) from episode_people where name = 'Ana';
select tests.empty_queue('feed_invalidation'), tests.empty_queue('calendar_sync');
update episode_people set updated_at = '2020-01-01';

create function pg_temp.change(person text, changes jsonb) returns jsonb language plpgsql as $$
declare answer jsonb;
begin
  perform tests.act_as('ana');
  answer := public.update_episode_person(tests.id('pilot'), tests.id(person), changes);
  perform tests.act_as('postgres');
  return answer;
end $$;

select is(tests.result_of(who, format('select public.%s', call)), wanted, format('%s, %s: %s', who, split_part(call, '(', 1), wanted))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403')) w (who, wanted),
  (values ($$update_episode_person(tests.id('pilot'), tests.id('Eve'), '{"name": "X"}')$$), ($$remove_episode_person(tests.id('pilot'), tests.id('Eve'))$$)) c (call);
select is(tests.result_of('ana', format('select public.update_episode_person(tests.id(%L), %s, ''{"name": "X"}'')', episode, person)), 'PT404', claim)
from (values ('second', $$tests.id('Eve')$$, 'someone of another episode is 404'), ('pilot', 'gen_random_uuid()', 'and so is nobody')) w (episode, person, claim);
select is(tests.result_of('ana', format('select public.remove_episode_person(tests.id(%L), %s)', episode, person)), 'PT404', claim)
from (values ('second', $$tests.id('Eve')$$, 'someone of another episode is not removed'), ('pilot', 'gen_random_uuid()', 'nor is nobody')) w (episode, person, claim);
select is(tests.result_of('ana', format('select public.update_episode_person(tests.id(''pilot''), tests.id(''Eve''), %L)', changes)), wanted, format('%s: %s', changes, wanted))
from (values ('{}', 'PT400'), ('[]', 'PT400'), ('null', 'PT400'), (null, 'PT400'), ('{"nickname": "E"}', 'PT400'), ('{"name": "X", "creditId": null}', 'PT400'),
  ('{"name": null}', 'PT400'), ('{"name": 5}', 'PT400'), ('{"roleLabel": null}', 'PT400'), ('{"isActive": null}', 'PT400'), ('{"isActive": "yes"}', 'PT400'),
  ('{"avatarUrl": []}', 'PT400'), ('{"name": " "}', '23514'), ('{"roleLabel": ""}', '23514'), ('{"avatarUrl": "ftp://a.test"}', '23514'), ('{"externalUrl": "nowhere"}', '23514')) w (changes, wanted);
select is(tests.result_of('ana', format('select public.update_episode_person(tests.id(''pilot''), tests.id(''Eve''), jsonb_build_object(%L, repeat(''é'', %s)))', field, length)), wanted, format('a %s of %s characters: %s', field, length, wanted))
from (values ('name', 201, '23514'), ('roleLabel', 101, '23514'), ('name', 200, 'ok 1'), ('roleLabel', 100, 'ok 1')) w (field, length, wanted);

select is(pg_temp.change('Eve', '{"name": " Eva "}') - '{id,episodeId,creditId,createdAt,updatedAt,roleLabel}'::text[],
  '{"sourceType": "external", "userId": null, "guestId": null, "name": "Eva", "avatarUrl": "https://a.test/eve.png", "externalUrl": "https://eve.test", "isActive": true}', 'what is absent stays');
select is(pg_temp.change('Eve', '{"avatarUrl": null, "externalUrl": null, "roleLabel": "Sound wizard"}') - '{id,episodeId,creditId,createdAt,updatedAt}'::text[],
  '{"sourceType": "external", "userId": null, "guestId": null, "name": "Eva", "roleLabel": "Sound wizard", "avatarUrl": null, "externalUrl": null, "isActive": true}', 'null clears, and a label on the roster is free');
select ok((select updated_at > '2026-01-01' and created_at < updated_at from episode_people where id = tests.id('Eve')), 'with a time of change');
select results_eq($$ select name, role_label::text, avatar_url, external_url from episode_credits where display_order = 0 $$,
  $$ values ('Eve', 'Editor', 'https://a.test/eve.png', 'https://eve.test') $$, 'the credit keeps its own words');
select is_empty($$ select tests.queued('feed_invalidation') $$, 'so the feed has heard of nothing');

-- Inactive
select results_eq($$ select a ->> 'isActive', a ->> 'creditId' from pg_temp.change('Eve', '{"isActive": false}') a $$, $$ values ('false', null) $$, 'who becomes inactive is credited no more');
select results_eq($$ select name, display_order from episode_credits order by 2 $$, $$ values ('Ana', 0), ('Zed', 1) $$, 'and the others move up');
select results_eq($$ select q ->> 'type' from tests.queued('feed_invalidation') q $$, array['episode.credits.updated'], 'of which the feed hears, once');
select is(pg_temp.change('Eve', '{"isActive": false, "name": "Still away"}') ->> 'name', 'Still away', 'the inactive can be changed');
select results_eq($$ select a ->> 'isActive', a ->> 'creditId' from pg_temp.change('Eve', '{"isActive": true}') a $$, $$ values ('true', null) $$, 'who comes back is on the roster, and not in the feed');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint, 'which is nothing to it');
select throws_ok($$ update episode_people set is_active = false where name = 'Zed' $$, '23514', null, 'an inactive person with a credit cannot be, whoever writes');

-- Removed
select tests.act_as('ana');
select is(public.remove_episode_person(tests.id('pilot'), tests.id('roster/ana')), jsonb_build_object('id', tests.id('roster/ana'), 'name', 'Ana'), 'who is removed is named');
select tests.act_as('postgres');
select results_eq($$ select name, display_order from episode_credits $$, $$ values ('Zed', 0) $$, 'the credit goes too');
select is((select count(*) from episode_people where name = 'Ana'), 0::bigint, 'with the roster entry');
select is((select count(*) from tests.queued('feed_invalidation')), 2::bigint, 'the feed hears of it, once');
select results_eq($$ select q from tests.queued('calendar_sync') q $$,
  $$ select jsonb_build_object('type', 'attendee.removed', 'podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'), 'user_id', tests.id('ana')) $$, 'and the calendar');
select lives_ok($$ select tests.act_as('ana'), public.remove_episode_person(tests.id('pilot'), tests.id('Eve')) $$, 'who is not credited is removed as well');
select tests.act_as('postgres');
select is((select (count(*), (select count(*) from tests.queued('calendar_sync')))::text from tests.queued('feed_invalidation')), '(2,1)', 'and neither feed nor calendar hear of an external without a credit');
select tests.act_as('ana');
select is(tests.result_of('ana', $$ select public.remove_episode_person(tests.id('pilot'), tests.id('Eve')) $$), 'PT404', 'twice is 404');

-- Best effort
select tests.act_as('ana');
select is(public.add_episode_person(tests.id('pilot'), 'team', 'Ana', tests.id('ana')) ->> 'alreadyExisted', null, 'who was removed can come back');
select tests.act_as('postgres');
update tests.ids set id = (select p.id from episode_people p where p.name = 'Ana') where name = 'roster/ana';
alter table pgmq.q_calendar_sync rename to q_lost;
select tests.act_as('ana');
select lives_ok($$ select public.remove_episode_person(tests.id('pilot'), tests.id('roster/ana')) $$, 'a calendar that cannot be told keeps nobody on the roster');
select tests.act_as('postgres');
select is((select count(*) from episode_people), 1::bigint, 'they are gone');
alter table pgmq.q_lost rename to q_calendar_sync;

update podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(tests.result_of('ana', format('select public.%s', call)), 'PT409', format('%s is refused on a podcast that is scheduled for deletion', split_part(call, '(', 1)))
from (values ($$update_episode_person(tests.id('pilot'), tests.id('Zed'), '{"name": "X"}')$$), ($$remove_episode_person(tests.id('pilot'), tests.id('Zed'))$$)) c (call);

select * from tests.finish();
rollback;
