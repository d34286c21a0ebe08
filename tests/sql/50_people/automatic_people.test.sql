-- Automatic roster entries: creator and flagged members of a new episode, guests who accept, and deleted accounts.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.member('ben', 'show'), tests.member('una', 'show');
update profiles set avatar_url = 'https://a.test/ben.png' where id = tests.id('ben');
update profiles set display_name = null where id = tests.id('una');
update podcast_members set auto_add_to_new_episodes = true
where user_id in (tests.id('ola'), tests.id('ana'), tests.id('ben'), tests.id('una'));
update podcast_members set created_at = created_at + interval '1 minute' * case user_id
  when tests.id('ana') then 1 when tests.id('ben') then 2 when tests.id('una') then 3 else 0 end;
select tests.empty_queue('feed_invalidation');
create temp view entries as
  select e.title, p.source_type::text, p.name, p.role_label, c.role_label::text as credited, c.avatar_url,
    c.display_order
  from episode_people p join episodes e on e.id = p.episode_id left join episode_credits c on c.id = p.credit_id;

-- new episodes
select tests.act_as('ana');
select public.create_episode(tests.id('show'), 'Pilot');
select tests.act_as('postgres');
select results_eq($$ select name, role_label, credited, avatar_url, display_order from entries
    where title = 'Pilot' order by display_order $$,
  $$ values ('Ana', 'Host', 'Host', null, 0), ('Ola', 'Host', 'Host', null, 1),
    ('Ben', 'Co-host', 'Co-host', 'https://a.test/ben.png', 2), ('Team member', 'Co-host', 'Co-host', null, 3) $$,
  'create_episode adds its creator as Host, then the flagged members by their time on the team, and shows no emails');
select results_eq($$ select payload from private.events where type = 'episode.team_added' $$,
  $$ select jsonb_build_object('actor_id', tests.id('ana'), 'podcast_id', tests.id('show'),
       'episode_id', (select id from episodes)) $$,
  'create_episode records one event episode.team_added for all added members');
select set_eq($$ select user_id from public.notifications where type = 'episode.team_added' $$,
  $$ select tests.id(who) from unnest('{ola,ben,una}'::text[]) who $$,
  'create_episode notifies the added members, except the creator');
select results_eq($$ select q - 'timestamp' from tests.queued('feed_invalidation') q $$,
  $$ select jsonb_build_object('type', 'episode.credits.updated', 'podcast_id', tests.id('show'), 'podcast_slug',
    'show', 'episode_id', (select id from episodes)) $$, 'create_episode enqueues one message for all credits');
select tests.act_as('ola');
insert into public.episodes (podcast_id, title) values (tests.id('show'), 'Plain');
select tests.act_as('postgres');
select results_eq($$ select name, credited from entries where title = 'Plain' order by display_order $$,
  $$ values ('Ola', 'Host'), ('Ana', 'Producer'), ('Ben', 'Co-host'), ('Team member', 'Co-host') $$,
  'inserting an episode adds the same people as create_episode, and a flagged creator once');
delete from private.events;
select tests.empty_queue('feed_invalidation');
insert into episodes (podcast_id, title, origin, created_by) values (tests.id('show'), 'Old', 'import',
  tests.id('ola'));
select results_eq($$ select name, role_label, credited from entries where title = 'Old' order by name $$,
  $$ values ('Ana', 'Producer', null), ('Ben', 'Co-host', null), ('Ola', 'Host', null),
    ('Team member', 'Co-host', null) $$, 'an imported episode gets a roster without credits');
select is_empty($$ select 1 from private.events union all select 1 from tests.queued('feed_invalidation') $$,
  'an imported episode records no event and invalidates no feed');
insert into episodes (podcast_id, title) values (tests.id('show'), 'Uncreated');
select results_eq($$ select name, display_order from entries where title = 'Uncreated' order by 2 $$,
  $$ values ('Ola', 0), ('Ana', 1), ('Ben', 2), ('Team member', 3) $$,
  'an episode without a creator gets the flagged members');
select is((select notified_count from private.events), 4, 'an episode without a creator notifies each flagged member');

-- several episodes in one statement
select tests.podcast('second', 'ola'), tests.member('vic', 'second');
update podcast_members set auto_add_to_new_episodes = true
where podcast_id = tests.id('second') and user_id = tests.id('vic');
delete from private.events;
insert into episodes (podcast_id, title, origin, created_by) values
  (tests.id('second'), 'Both 1', 'app', tests.id('ola')), (tests.id('second'), 'Both 2', 'app', tests.id('ola')),
  (tests.id('second'), 'Theirs', 'app', tests.id('vic')), (tests.id('second'), 'Fed', 'import', tests.id('ola'));
select results_eq($$ select title, name, role_label, credited, display_order from entries
    where title in ('Both 1', 'Both 2', 'Theirs', 'Fed') order by title, display_order, name $$,
  $$ values ('Both 1', 'Ola', 'Host', 'Host', 0), ('Both 1', 'Vic', 'Co-host', 'Co-host', 1),
    ('Both 2', 'Ola', 'Host', 'Host', 0), ('Both 2', 'Vic', 'Co-host', 'Co-host', 1),
    ('Fed', 'Ola', 'Host', null, null), ('Fed', 'Vic', 'Co-host', null, null), ('Theirs', 'Vic', 'Host', 'Host', 0) $$,
  'each episode of a statement gets the roster and credits of its own podcast, creator and origin');
select set_eq($$ select n.user_id, o.title from public.notifications n
    join episodes o on o.id = (n.metadata ->> 'episode_id')::uuid
    where n.type = 'episode.team_added' and o.podcast_id = tests.id('second') $$,
  $$ values (tests.id('vic'), 'Both 1'), (tests.id('vic'), 'Both 2') $$,
  'each episode of a statement notifies those who were added, except its creator, and none of an import');
delete from podcasts where id = tests.id('second');

-- guests
select tests.episode('talk', 'show'), tests.guest('gus', 'talk'), tests.guest('gil', 'talk', 'active'),
  tests.guest('gem', 'talk'), tests.guest('guy', 'talk'), tests.guest('gia', 'talk');
delete from episode_people where guest_id is null and episode_id = tests.id('talk');
delete from episode_credits where episode_id = tests.id('talk') and role_label <> 'Guest';
create function pg_temp.set_status(guest text,
  variadic statuses episode_guest_status[]) returns void language plpgsql as $$
declare
  next_status episode_guest_status;
begin
  foreach next_status in array statuses loop
    update episode_guests set status = next_status where id = tests.id('talk/' || guest);
  end loop;
end $$;
select results_eq($$ select name, role_label, credited, display_order from entries where title = 'talk' $$,
  $$ values ('Gil', 'Guest', 'Guest', 0) $$, 'an active guest is added to the roster and credited as Guest');
select tests.person('gus');
update profiles set avatar_url = 'https://a.test/gus.png' where id = tests.id('gus');
select tests.empty_queue('feed_invalidation');
select pg_temp.set_status('gus', 'active');
select results_eq($$ select name, role_label, credited, avatar_url, display_order from entries
    where title = 'talk' and name = 'Gus' $$,
  $$ values ('Gus', 'Guest', 'Guest', 'https://a.test/gus.png', 1) $$,
  'a guest who becomes active is added and credited with the avatar of the profile');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'a guest who becomes active invalidates the feed');
select pg_temp.set_status('gus', 'active', 'declined', 'active');
select results_eq($$ select count(*), count(credited) from entries where name = 'Gus' $$,
  $$ values (1::bigint, 1::bigint) $$, 'a guest who accepts repeatedly is added and credited once');
delete from episode_credits where name = 'Gus';
select pg_temp.set_status('gus', 'active');
select is((select count(credited) from entries where name = 'Gus'), 0::bigint,
  'accepting again does not restore a credit that an admin removed');
select is((select string_agg(name, ',') from entries where title = 'talk' and credited is not null), 'Gil',
  'removing the credit of one guest keeps the credit of another');
select tests.empty_queue('feed_invalidation');
update episode_guests set status = 'declined' where id in (tests.id('talk/gus'), tests.id('talk/gil'));
select is_empty($$ select name from entries where name in ('Gus', 'Gil')
  union all select name from episode_credits where name in ('Gus', 'Gil') $$,
  'active guests who decline leave roster and credits');
select is((select count(*) from tests.queued('feed_invalidation')), 1::bigint,
  'a credited guest who declines invalidates the feed');
select pg_temp.set_status('gus', 'active'), pg_temp.set_status('gil', 'active');
select results_eq(
  $$ select name, credited, display_order from entries where name in ('Gus', 'Gil') order by display_order $$,
  $$ values ('Gus', 'Guest', 0), ('Gil', 'Guest', 1) $$, 'guests who accept after a decline are added again');
update episode_people set is_active = false, credit_id = null where name = 'Gus';
delete from episode_credits where name = 'Gus';
select pg_temp.set_status('gus', 'declined', 'active');
select results_eq($$ select is_active, credit_id from episode_people where name = 'Gus' $$,
  $$ values (false, null::uuid) $$, 'declining and accepting keeps an entry that an admin deactivated');
insert into episode_people (episode_id, source_type, guest_id, name)
values (tests.id('talk'), 'guest', tests.id('talk/gia'), 'Gia');
select pg_temp.set_status('gia', 'declined');
select is_empty($$ select name from entries where name = 'Gia' $$,
  'a guest who was added before they declined leaves the roster');
select pg_temp.set_status('gil', 'removed');
select is((select count(credited) from entries where name = 'Gil'), 1::bigint, 'a removed guest stays credited');
select pg_temp.set_status('gil', 'invited', 'active');
select tests.act_as('ola');
select is(public.add_episode_person(tests.id('talk'), 'guest', name, guest_id => tests.id('talk/' || guest))
    #>> '{data,creditId}', null, format('add_episode_person does not credit the invited guest %s', name))
from (values ('gem', 'Gemma'), ('guy', 'Guy')) v (guest, name);
select tests.act_as('postgres');
update episode_people set is_active = false where name = 'Guy';
select pg_temp.set_status('gem', 'active'), pg_temp.set_status('guy', 'active');
select results_eq($$ select name, credited, display_order from entries where name in ('Gemma', 'Guy') order by 1 $$,
  $$ values ('Gemma', 'Guest', 1), ('Guy', null, null) $$,
  'a guest on the roster is credited on accepting, under the roster''s name, unless an admin deactivated the entry');

-- deleted accounts and guests, former members
select is((select count(*) from episode_people where user_id = tests.id('ben')), 4::bigint,
  'a flagged member is on the rosters of four new episodes');
delete from auth.users where id = tests.id('ben');
select results_eq($$ select distinct source_type, name from entries where name = 'Ben' $$,
  $$ values ('external', 'Ben') $$, 'the roster entries of a deleted account become external');
select is((select (count(*), count(credited))::text from entries where name = 'Ben'), '(4,3)',
  'the roster entries and credits of a deleted account stay');
delete from episode_guests where id = tests.id('talk/gil');
select results_eq($$ select source_type, credited from entries where name = 'Gil' $$,
  $$ values ('external', 'Guest') $$, 'the roster entry of a deleted guest becomes external and stays credited');
delete from podcast_members where user_id = tests.id('una');
select is((select count(*) from entries where name = 'Team member' and source_type = 'team'), 4::bigint,
  'the roster entries of a member who leaves the team stay');

-- deleted episodes and podcasts
select tests.empty_queue('feed_invalidation');
delete from episodes where title = 'Pilot';
select is_empty($$ select 1 from episode_people where episode_id not in (select id from episodes)
  union all select 1 from episode_credits where episode_id not in (select id from episodes) $$,
  'deleting an episode deletes its roster and credits');
select is_empty($$ select tests.queued('feed_invalidation') $$,
  'credits deleted with their episode enqueue no message');

select * from tests.finish();
rollback;
