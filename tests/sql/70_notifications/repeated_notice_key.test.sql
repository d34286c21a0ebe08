-- Notices that one person can cause in a loop: what an admin spends suppresses no notice of another admin's acts.
begin;
select tests.start();
select tests.team('show', 'ola', 'ada', 'mel');

create function pg_temp.publish(who text, name text) returns void language plpgsql as $$
begin
  perform tests.episode(name, 'show');
  perform tests.upload_audio(name);
  perform tests.act_as(who);
  perform public.publish_episode(tests.id(name));
  perform tests.act_as('postgres');
end $$;
create function pg_temp.notified(type text) returns int language sql as $$
  select count(*)::int from public.notifications n where n.type = notified.type and n.user_id = tests.id('mel') $$;

select count(pg_temp.publish('ada', 'Loop ' || n)) from generate_series(1, 23) n;
select is(pg_temp.notified('episode.published'), 21,
  'publications of one admin notify twenty times a day, then once an hour');
select pg_temp.publish('ola', 'News');
select is(pg_temp.notified('episode.published'), 22,
  'a publication notifies after another admin published many episodes');

select tests.episode('pilot', 'show');
select count(private.notify_team_added(array[tests.id('mel')], tests.id('ada'), tests.id('show'),
  array[tests.id('pilot')]))
from generate_series(1, 23);
select is(pg_temp.notified('episode.team_added'), 21,
  'additions of a person to rosters by one admin notify twenty times a day, then once an hour');
select private.notify_team_added(array[tests.id('mel')], tests.id('ola'), tests.id('show'),
  array[tests.id('pilot')]);
select is(pg_temp.notified('episode.team_added'), 22,
  'an addition to a roster notifies after another admin added the person many times');

select * from tests.finish();
rollback;
