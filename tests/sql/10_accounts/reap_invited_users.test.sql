-- The reaper spares unconfirmed users whose address has an open invitation to a team or an episode.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
select tests.person(name, false) from unnest(array['team', 'guest', 'withdrawn', 'declined', 'expired', 'none']) name;
select tests.invitation('show', name || '@test.example', 'ola') from unnest(array['team', 'withdrawn', 'expired']) name;
update public.podcast_invitations set status = 'withdrawn' where email = 'withdrawn@test.example';
update public.podcast_invitations set expires_at = now() + interval '8 days' where email = 'expired@test.example';
select tests.guest('guest', 'pilot'), tests.guest('declined', 'pilot', 'declined');
create function pg_temp.kept() returns text[] language sql as $$
  select array_agg(i.name order by i.name) from auth.users u join tests.ids i on i.id = u.id where u.email_confirmed_at is null
$$;

select is(private.reap_unconfirmed_users(now() + interval '9 days'), 4, 'reap_unconfirmed_users deletes users without an open invitation');
select is(pg_temp.kept(), '{guest,team}', 'reap_unconfirmed_users spares users with an open invitation to a team or an episode');
select is((select count(*) from private.reapable_users), 0::bigint, 'reap_unconfirmed_users leaves no row of its own');
select is(private.reap_unconfirmed_users(now() + interval '15 days'), 1, 'reap_unconfirmed_users deletes a user whose team invitation has expired');
select is(private.reap_unconfirmed_users(now() + interval '91 days'), 1, 'reap_unconfirmed_users deletes a user whose episode invitation has expired');

select * from tests.finish();
rollback;
