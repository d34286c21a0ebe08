-- fire_accepted_guest: an accepted invitation fires guest.accepted, once per invitation.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.rule('welcome', 'show', 'guest.accepted'),
  tests.podcast('other', 'otto'), tests.rule('foreign', 'other', 'guest.accepted');
create function pg_temp.fired() returns bigint language sql as $$
  with fired as (update automation_executions set rule_name = 'known' where rule_name <> 'known' returning 1)
  select count(*) from fired
$$;

select tests.guest_with_token('gus', 'pilot');
select is(pg_temp.fired(), 0::bigint, 'an invitation fires no automation');
create function pg_temp.answer(verb text) returns text language sql as $$
  select tests.value_as('anon', format('select public.%s_guest_invitation(%L)', verb, 'gus'))
$$;
select pg_temp.answer('decline');
select is(pg_temp.fired(), 0::bigint, 'decline_guest_invitation fires no automation');
select pg_temp.answer('accept');
select results_eq($$ select e.rule_name, e.context_data ->> 'episode_guest_id', e.context_data ->> 'episode_id',
    e.context_data #>> '{tags,guest_full_name}' from automation_executions e $$,
  $$ values ('welcome', tests.id('pilot/gus')::text, tests.id('pilot')::text, 'Gus') $$,
  'accept_guest_invitation fires guest.accepted, with guest and episode');
select pg_temp.answer(verb) from unnest(array['accept', 'decline', 'accept']) verb;
select is(pg_temp.fired(), 1::bigint, 'a guest who declines and accepts again fires no automation again');
update episode_guests set status = 'removed' where id = tests.id('pilot/gus');
update episode_guests set status = 'invited', invited_at = now() + interval '1 minute' where id = tests.id('pilot/gus');
update episode_guests set status = 'active' where id = tests.id('pilot/gus');
select is(pg_temp.fired(), 1::bigint, 'a guest who accepts a later invitation fires guest.accepted again');
select tests.guest('ann', 'pilot', 'active');
select is(pg_temp.fired(), 1::bigint, 'a guest who is inserted as active fires guest.accepted');

select * from tests.finish();
rollback;
