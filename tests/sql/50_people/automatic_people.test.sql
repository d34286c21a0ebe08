-- What writes itself: creator and flagged members on a new episode, guests who accept, and people whose account goes.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.member('ben', 'show'), tests.member('una', 'show');
update profiles set avatar_url = 'https://a.test/ben.png' where id = tests.id('ben');
update profiles set display_name = null where id = tests.id('una');
update podcast_members set auto_add_to_new_episodes = true where user_id in (tests.id('ola'), tests.id('ana'), tests.id('ben'), tests.id('una'));
update podcast_members set created_at = created_at + case user_id when tests.id('ana') then 1 when tests.id('ben') then 2 when tests.id('una') then 3 else 0 end * interval '1 minute';
select tests.empty_queue('feed_invalidation');
create temp view shown as select e.title, p.source_type::text, p.name, p.role_label as on_roster, c.role_label::text as credited, c.avatar_url, c.display_order
  from episode_people p join episodes e on e.id = p.episode_id left join episode_credits c on c.id = p.credit_id;

select tests.act_as('ana');
select is((public.create_episode(tests.id('show'), 'Pilot')).title, 'Pilot', 'an admin creates an episode');
select tests.act_as('postgres');
select results_eq($$ select name, on_roster, credited, avatar_url, display_order from shown where title = 'Pilot' order by display_order $$,
  $$ values ('Ana', 'Host', 'Host', null, 0), ('Ola', 'Host', 'Host', null, 1), ('Ben', 'Co-host', 'Co-host', 'https://a.test/ben.png', 2), ('Team member', 'Co-host', 'Co-host', null, 3) $$,
  'its creator is the first, as Host; whoever is flagged follows by their label and as long as they are on the team; nobody''s address is shown');
select set_eq($$ select payload from private.events where type = 'episode.team_added' $$,
  $$ select jsonb_build_object('user_id', tests.id(who), 'actor_id', tests.id('ana'), 'podcast_id', tests.id('show'), 'episode_id', (select id from episodes), 'channels', '["in_app", "email"]'::jsonb)
     from unnest('{ola,ben,una}'::text[]) who $$, 'all but the creator are told');
select results_eq($$ select q - 'timestamp' from tests.queued('feed_invalidation') q $$,
  $$ select jsonb_build_object('type', 'episode.credits.updated', 'podcast_id', tests.id('show'), 'podcast_slug', 'show', 'episode_id', (select id from episodes)) $$, 'the feed hears of all of them once');

select tests.act_as('ola');
insert into public.episodes (podcast_id, title) values (tests.id('show'), 'Plain');
select tests.act_as('postgres');
select results_eq($$ select name, credited from shown where title = 'Plain' order by display_order $$,
  $$ values ('Ola', 'Host'), ('Ana', 'Producer'), ('Ben', 'Co-host'), ('Team member', 'Co-host') $$, 'a plain insert does the same, and a creator who is flagged is on it once');

delete from private.events;
select tests.empty_queue('feed_invalidation');
insert into episodes (podcast_id, title, origin, created_by) values (tests.id('show'), 'Old', 'import', tests.id('ola'));
select results_eq($$ select name, on_roster, credited from shown where title = 'Old' order by name $$,
  $$ values ('Ana', 'Producer', null), ('Ben', 'Co-host', null), ('Ola', 'Host', null), ('Team member', 'Co-host', null) $$, 'an imported episode has a roster and no credits');
select is_empty($$ select 1 from private.events union all select 1 from tests.queued('feed_invalidation') $$, 'and nobody is told');
insert into episodes (podcast_id, title) values (tests.id('show'), 'Nobody''s');
select results_eq($$ select name, display_order from shown where title = 'Nobody''s' order by 2 $$, $$ values ('Ola', 0), ('Ana', 1), ('Ben', 2), ('Team member', 3) $$, 'without a creator there are the flagged');
select is((select count(*) from private.events), 4::bigint, 'who are all told');

-- Guests
select tests.episode('talk', 'show'), tests.guest('gus', 'talk'), tests.guest('gil', 'talk', 'active'), tests.guest('gem', 'talk'), tests.guest('guy', 'talk');
delete from episode_people where guest_id is null and episode_id = tests.id('talk');
delete from episode_credits where episode_id = tests.id('talk') and role_label <> 'Guest';
select results_eq($$ select name, on_roster, credited, display_order from shown where title = 'talk' $$, $$ values ('Gil', 'Guest', 'Guest', 0) $$, 'a guest is on it when active, and credited as Guest');
select tests.person('gus');
update profiles set avatar_url = 'https://a.test/gus.png' where id = tests.id('gus');
select tests.empty_queue('feed_invalidation');
update episode_guests set status = 'active' where id = tests.id('talk/gus');
select results_eq($$ select name, on_roster, credited, avatar_url, display_order from shown where title = 'talk' and name = 'Gus' $$, $$ values ('Gus', 'Guest', 'Guest', 'https://a.test/gus.png', 1) $$,
  'on becoming active too, with the picture of their profile');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint, 'and the feed hears of it');
update episode_guests set status = 'active' where id = tests.id('talk/gus');
update episode_guests set status = 'declined' where id = tests.id('talk/gus');
update episode_guests set status = 'active' where id = tests.id('talk/gus');
select results_eq($$ select count(*), count(credited) from shown where name = 'Gus' $$, $$ values (1::bigint, 1::bigint) $$, 'once, however often they accept');
delete from episode_credits where name = 'Gus';
update episode_guests set status = 'active' where id = tests.id('talk/gus');
select is((select count(credited) from shown where name = 'Gus'), 0::bigint, 'and who was taken out of the credits since is not put back by accepting again');
select is((select string_agg(name, ',' order by display_order) from shown where title = 'talk' and credited is not null), 'Gil', '(the other is)');
select tests.empty_queue('feed_invalidation');
update episode_guests set status = 'declined' where id in (tests.id('talk/gus'), tests.id('talk/gil'));
select is_empty($$ select name from shown where name in ('Gus', 'Gil') union all select name from episode_credits where name in ('Gus', 'Gil') $$, 'who declines after all takes no part, and is credited no more');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint, 'of which the feed hears');
update episode_guests set status = 'active' where id = tests.id('talk/gus');
update episode_guests set status = 'active' where id = tests.id('talk/gil');
select results_eq($$ select name, on_roster, credited, display_order from shown where name in ('Gus', 'Gil') order by display_order $$, $$ values ('Gus', 'Guest', 'Guest', 0), ('Gil', 'Guest', 'Guest', 1) $$, 'until they accept anew');
update episode_people set is_active = false, credit_id = null where name = 'Gus';
delete from episode_credits where name = 'Gus';
update episode_guests set status = 'declined' where id = tests.id('talk/gus');
update episode_guests set status = 'active' where id = tests.id('talk/gus');
select results_eq($$ select count(*), count(credited) from shown where name = 'Gus' $$, $$ values (1::bigint, 0::bigint) $$, 'which undoes nothing that an admin did');
select tests.guest('gia', 'talk');
insert into episode_people (episode_id, source_type, guest_id, name) values (tests.id('talk'), 'guest', tests.id('talk/gia'), 'Gia');
update episode_guests set status = 'declined' where id = tests.id('talk/gia');
select is_empty($$ select name from shown where name = 'Gia' $$, 'who was added before they answered leaves the roster too');
update episode_guests set status = 'removed' where id = tests.id('talk/gil');
select is((select count(credited) from shown where name = 'Gil'), 1::bigint, 'who is removed as a guest took part, and stays credited');
update episode_guests set status = 'invited' where id = tests.id('talk/gil');
update episode_guests set status = 'active' where id = tests.id('talk/gil');
select tests.act_as('ola');
select is(public.add_episode_person(tests.id('talk'), 'guest', 'Gemma', guest_id => tests.id('talk/gem')) #>> '{data,creditId}', null, 'a guest who was added before');
select is(public.add_episode_person(tests.id('talk'), 'guest', 'Guy', guest_id => tests.id('talk/guy')) #>> '{data,creditId}', null, '(and another)');
select tests.act_as('postgres');
update episode_people set is_active = false where name = 'Guy';
update episode_guests set status = 'active' where id in (tests.id('talk/gem'), tests.id('talk/guy'));
select results_eq($$ select name, credited, display_order from shown where name in ('Gemma', 'Guy') order by 1 $$, $$ values ('Gemma', 'Guest', 1), ('Guy', null, null) $$,
  'is credited on accepting, under the name that stands there, unless an admin has taken them off');

-- Accounts that go
select is((select count(*) from episode_people where user_id = tests.id('ben')), 4::bigint, 'Ben is on the rosters of four episodes');
delete from auth.users where id = tests.id('ben');
select results_eq($$ select distinct source_type, name from shown where name = 'Ben' $$, $$ values ('external', 'Ben') $$, 'who deletes their account took part nevertheless');
select is((select (count(*), count(credited))::text from shown where name = 'Ben'), '(4,3)', 'on each of them, and stays credited');
delete from episode_guests where id = tests.id('talk/gil');
select results_eq($$ select source_type, credited from shown where name = 'Gil' $$, $$ values ('external', 'Guest') $$, 'as does a guest whose invitation is gone');

-- Who leaves the team
delete from podcast_members where user_id = tests.id('una');
select is((select count(*) from shown where name = 'Team member' and source_type = 'team'), 4::bigint, 'who leaves the team stays where they took part');

-- Everything goes with the episode, and with the podcast
select tests.empty_queue('feed_invalidation');
delete from episodes where title = 'Pilot';
select is_empty($$ select 1 from episode_people where episode_id not in (select id from episodes) union all select 1 from episode_credits where episode_id not in (select id from episodes) $$, 'roster and credits go with their episode');
select is_empty($$ select tests.queued('feed_invalidation') $$, 'of which no credit tells the feed');
delete from podcasts where id = tests.id('show');
select is_empty($$ select 1 from episode_people union all select 1 from episode_credits $$, 'and with the podcast');

select * from tests.finish();
rollback;
