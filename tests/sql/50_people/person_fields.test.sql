-- add_episode_person validates its fields before it looks for the person on the roster.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('vic', 'show'), tests.episode('pilot', 'show'), tests.guest('gus', 'pilot', 'active');
select tests.act_as('ola');
select public.add_episode_person(tests.id('pilot'), 'team', 'Vic', tests.id('vic'));
create temp table before as select * from episode_people;

create function pg_temp.refused(source public.person_source_type, name text, label text default null, avatar text default null, page text default null)
returns text language plpgsql as $$
declare detail text;
begin
  perform public.add_episode_person(tests.id('pilot'), source, name, case source when 'team' then tests.id('vic') end,
    case source when 'guest' then tests.id('pilot/gus') end, label, avatar, page);
  return 'none';
exception when sqlstate 'PT400' then
  get stacked diagnostics detail = pg_exception_detail;
  return detail;
end $$;
select is(pg_temp.refused(source, v.name, v.label, v.avatar, v.page), v.detail,
  format('add_episode_person of a %s who is on the roster: %s', source, v.detail))
from unnest('{team,guest}'::public.person_source_type[]) source, (values
  ('', null, null, null, 'name: must be 1 to 200 characters'),
  (E' \u200b ', null, null, null, 'name: must be 1 to 200 characters'),
  (null, null, null, null, 'name: must be 1 to 200 characters'),
  (repeat('𝄞', 201), null, null, null, 'name: must be 1 to 200 characters'),
  ('Vic', '', null, null, 'roleLabel: must be 1 to 100 characters'),
  ('Vic', repeat('x', 101), null, null, 'roleLabel: must be 1 to 100 characters'),
  ('Vic', null, 'nope', null, 'avatarUrl: must be an http or https URL'),
  ('Vic', null, null, 'javascript:1', 'externalUrl: must be an http or https URL')) v (name, label, avatar, page, detail);
select is(pg_temp.refused(source, repeat('𝄞', 200), repeat('𝄞', 100), 'https://a.test/a.png', 'https://a.test/'), 'none',
  format('add_episode_person accepts the longest values for a %s who is on the roster', source))
from unnest('{team,guest}'::public.person_source_type[]) source;
select is(pg_temp.refused('external', '', null), 'name: must be 1 to 200 characters', 'add_episode_person of an external without a name is rejected alike');
select results_eq('select * from episode_people order by id', 'select * from before order by id', 'add_episode_person leaves an entry that exists as it is');
select tests.act_as('postgres');

select * from tests.finish();
rollback;
