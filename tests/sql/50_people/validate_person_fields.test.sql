-- add_episode_person validates its fields before it looks for the person on the roster.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('vic', 'show'), tests.episode('pilot', 'show');
select tests.guest('gus', 'pilot', 'active');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'team', 'Vic', tests.id('vic'));
create temp table before as select * from episode_people;
create function pg_temp.error_of_adding(
  source public.person_source_type, name text, label text default null, avatar text default null, page text default null
) returns text language plpgsql as $$
declare
  detail text;
begin
  perform public.add_episode_person(tests.id('pilot'), source, name, case source when 'team' then tests.id('vic') end,
    case source when 'guest' then tests.id('pilot/gus') end, label, avatar, page);
  return 'none';
exception when sqlstate 'PT400' then
  get stacked diagnostics detail = pg_exception_detail;
  return detail;
end $$;

select is(pg_temp.error_of_adding(source, v.name, v.label, v.avatar, v.page), v.error,
  format('add_episode_person rejects %s for a %s who is on the roster', v.title, source))
from unnest('{team,guest}'::public.person_source_type[]) source, (values
  ('', null, null, null, 'name: must be 1 to 200 characters', 'an empty name'),
  (E' \u200b ', null, null, null, 'name: must be 1 to 200 characters', 'an invisible name'),
  (null, null, null, null, 'name: must be 1 to 200 characters', 'a null name'),
  (repeat('𝄞', 201), null, null, null, 'name: must be 1 to 200 characters', 'a name of 201 characters'),
  ('Vic', '', null, null, 'roleLabel: must be 1 to 100 characters', 'an empty role label'),
  ('Vic', repeat('x', 101), null, null, 'roleLabel: must be 1 to 100 characters', 'a role label of 101 characters'),
  ('Vic', null, 'nope', null, 'avatarUrl: must be an http or https URL', 'a relative avatar URL'),
  ('Vic', null, null, 'javascript:1', 'externalUrl: must be an http or https URL', 'a javascript URL')
) v (name, label, avatar, page, error, title);
select is(pg_temp.error_of_adding(source, repeat('𝄞', 200), repeat('𝄞', 100), 'https://a.test/a.png',
  'https://a.test/'),
  'none', format('add_episode_person accepts the longest values for a %s who is on the roster', source))
from unnest('{team,guest}'::public.person_source_type[]) source;
select is(pg_temp.error_of_adding('external', '', null), 'name: must be 1 to 200 characters',
  'add_episode_person rejects an empty name of an external person');
select results_eq('select * from episode_people order by id', 'select * from before order by id',
  'add_episode_person does not change an existing entry');

select * from tests.finish();
rollback;
