-- get_public_episode_by_id: a published episode by its id alone.
begin;
select tests.start();

select tests.public_show();
select tests.act_as('anon');

select is(public.get_public_episode_by_id(tests.id('e2')), public.get_public_episode('show', 'e2'),
  'get_public_episode_by_id returns what get_public_episode returns');
select throws_ok(format('select public.get_public_episode_by_id(%L)', id), 'PT404', 'Episode not found',
  format('get_public_episode_by_id returns 404 for %s', what))
from (values (tests.id('draft'), 'a draft'), (tests.id('e5'), 'an archived episode'),
  (gen_random_uuid(), 'an unknown episode')) v (id, what);

select * from tests.finish();
rollback;
