-- Whom each event notifies, through the operations that record it
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'max'),
  tests.person('una'), tests.person('stranger'), tests.set_plan('ola', 'pro');
select tests.episode('pilot', 'show'), tests.upload_audio('pilot');

-- The people whom an event of this type notified last, and the title of the first
create function pg_temp.notified(type text) returns text language sql as $$
  select string_agg(i.name, ' ' order by i.name)
  from public.notifications n join tests.ids i on i.id = n.user_id where n.type = notified.type
$$;
create function pg_temp.do_as(person text, statement text) returns void language plpgsql as $$
begin
  delete from public.notifications;
  perform tests.act_as(person);
  execute statement;
  perform tests.act_as('postgres');
end $$;

-- Team and podcast
select pg_temp.do_as('ola', $$ select public.invite_podcast_member(tests.id('show'), 'una@test.example', 'member') $$);
select is(pg_temp.notified('podcast.member_invited'), 'una',
  'invite_podcast_member notifies the user with the invited address');
select is((select (title, link)::text from public.notifications), format('("Join the team of show",/invitations/%s)',
  (select id from public.podcast_invitations)), 'podcast.member_invited leads to the invitation');
select is((select count(*) from public.notification_deliveries where channel = 'email'), 1::bigint,
  'podcast.member_invited writes one email, to the address');
select pg_temp.do_as('ola', format('select public.invite_podcast_member(tests.id(''show''), %L, ''member'')',
  'new@test.example'));
select is(pg_temp.notified('podcast.member_invited'), null,
  'invite_podcast_member notifies no user for an unknown address');
select tests.person('early', false);
select pg_temp.do_as('ola', format('select public.invite_podcast_member(tests.id(''show''), %L, ''member'')',
  'early@test.example'));
select is(pg_temp.notified('podcast.member_invited'), null,
  'invite_podcast_member notifies no user whose address is unconfirmed');
update auth.users set is_sso_user = true where id = tests.id('stranger');
select pg_temp.do_as('ola', format('select public.invite_podcast_member(tests.id(''show''), %L, ''member'')',
  'stranger@test.example'));
select is(pg_temp.notified('podcast.member_invited'), null,
  'invite_podcast_member notifies no user of single sign-on, which does not prove an address');
select tests.send_emails();
select pg_temp.do_as('ola', $$ select public.resend_podcast_invitation(
  (select id from public.podcast_invitations where email = 'una@test.example')) $$);
select is(pg_temp.notified('podcast.member_invited'), 'una',
  'resend_podcast_invitation notifies a user whose notification was deleted');
select tests.send_emails(), tests.act_as('ola');
select public.resend_podcast_invitation((select id from public.podcast_invitations where email = 'una@test.example'));
select tests.act_as('postgres');
select is(pg_temp.notified('podcast.member_invited'), 'una', 'an invitation that is sent again notifies the user once');

select pg_temp.do_as('ola', $$ select public.offer_podcast_transfer(tests.id('show'), tests.id('ada')) $$);
select is(pg_temp.notified('podcast.transfer_offered'), 'ada', 'offer_podcast_transfer notifies the member');
select pg_temp.do_as('ada', $$ select public.accept_podcast_transfer(id) from public.podcast_transfers $$);
select is(pg_temp.notified('podcast.transfer_accepted'), 'ola', 'accept_podcast_transfer notifies the previous owner');
select pg_temp.do_as('ada', $$ select public.offer_podcast_transfer(tests.id('show'), tests.id('ola')) $$);
select pg_temp.do_as('ola', $$ select public.accept_podcast_transfer(id) from public.podcast_transfers
  where status = 'pending' $$);

select pg_temp.do_as('ola', $$ select public.pause_podcast(tests.id('show')) $$);
select is(pg_temp.notified('podcast.paused'), 'ada max', 'pause_podcast notifies the team, except the owner');
select pg_temp.do_as('ola', $$ select public.unpause_podcast(tests.id('show')) $$);
select is(pg_temp.notified('podcast.unpaused'), 'ada max', 'unpause_podcast notifies the team, except the owner');
delete from public.notifications;
select tests.set_status('show', 'paused', now() - interval '91 days'), private.end_expired_pauses();
select is(pg_temp.notified('podcast.unpaused'), 'ada max ola', 'end_expired_pauses notifies the whole team');
select pg_temp.do_as('ola', $$ select public.delete_podcast(tests.id('show'), 'show') $$);
select is(pg_temp.notified('podcast.deletion_scheduled'), 'ada max ola',
  'delete_podcast notifies the whole team, the owner included');
select pg_temp.do_as('ola', $$ select public.cancel_deletion(tests.id('show')) $$);
select is(pg_temp.notified('podcast.deletion_canceled'), 'ada max',
  'cancel_deletion notifies the team, except the owner');
select tests.podcast('elsewhere', 'ola', 'external'), tests.member('max', 'elsewhere');
select pg_temp.do_as('ola', $$ select public.delete_podcast(tests.id('elsewhere'), 'elsewhere') $$);
select is(pg_temp.notified('podcast.deleted'), 'max ola',
  'delete_podcast notifies the team of an external podcast, which it deletes at once');
select set_eq($$ select title, body, link from public.notifications $$,
  $$ values ('elsewhere was deleted', 'Ola deleted the podcast and all its episodes.', '/podcasts') $$,
  'podcast.deleted of an external podcast says that it is deleted, and leads to the list of podcasts');

-- Guests
select tests.guest('max', 'pilot');
delete from public.notifications;
update public.episode_guests set status = 'active';
select is(pg_temp.notified('guest.accepted'), 'ada ola', 'a guest who becomes active notifies owner and admins');
select is((select distinct title from public.notifications), 'Max accepted the invitation',
  'guest.accepted names the guest');
update public.episode_guests set status = 'declined';
update public.episode_guests set status = 'active';
select is((select count(*) from public.notifications where type = 'guest.accepted'), 4::bigint,
  'a guest who declines and accepts again notifies again');
select tests.episode('second', 'show');
delete from public.notifications;
select tests.guest('ada', 'second', 'active');
select is(pg_temp.notified('guest.accepted'), 'ola', 'guest.accepted does not notify the guest''s own user');

-- Roster
select pg_temp.do_as('ada', $$ select public.add_episode_person(tests.id('pilot'), 'team', 'Max', tests.id('max')) $$);
select is(pg_temp.notified('episode.team_added'), 'max', 'add_episode_person notifies the added member');
select tests.act_as('ada');
select public.remove_episode_person(p.episode_id, p.id) from public.episode_people p where p.user_id = tests.id('max');
select public.add_episode_person(tests.id('pilot'), 'team', 'Max', tests.id('max'));
select tests.act_as('postgres');
select is((select count(*) from public.notifications where type = 'episode.team_added'), 2::bigint,
  'add_episode_person notifies a member who was removed and is added again');

-- Imports
delete from public.notifications;
select tests.import('import', 'show', 'running');
update public.podcast_imports set created_by = tests.id('ada') where id = tests.id('import');
update public.podcast_imports set status = 'failed' where id = tests.id('import');
select is(pg_temp.notified('import.failed'), 'ada', 'a failed import notifies the user who started it');
select is((select link from public.notifications), format('/podcasts/%s/imports/%s', tests.id('show'),
  tests.id('import')), 'import.failed leads to the import');
select tests.import('other', 'show', 'running');
update public.podcast_imports set created_by = null, status = 'failed' where id = tests.id('other');
select is(pg_temp.notified('import.failed'), 'ada', 'a failed import of a deleted user notifies no user');

-- Publication
select pg_temp.do_as('ada', $$ select public.publish_episode(tests.id('pilot')) $$);
select is(pg_temp.notified('episode.published'), 'max ola', 'publish_episode notifies the team, except the caller');
select is((select link from public.notifications limit 1), format('/podcasts/%s/episodes/%s', tests.id('show'),
  tests.id('pilot')), 'episode.published leads to the episode');
select pg_temp.do_as('ada', $$ select public.publish_episode(tests.id('pilot')) $$);
select is(pg_temp.notified('episode.published'), null, 'publish_episode of a published episode notifies no user');
select pg_temp.do_as('ada', $$ select public.unpublish_episode(tests.id('pilot')) $$);
select pg_temp.do_as('ada', $$ select public.publish_episode(tests.id('pilot')) $$);
select is(pg_temp.notified('episode.published'), null, 'publish_episode notifies no user of a second publication');
insert into public.episodes (podcast_id, title, status, origin, published_at)
select tests.id('show'), 'old ' || n, 'draft', 'import', now() from generate_series(1, 3) n;
update public.episodes set audio_url = 'https://a.test/' || id, audio_content_type = 'audio/mpeg',
  audio_file_size_bytes = 1, status = 'published' where origin = 'import';
select is(pg_temp.notified('episode.published'), null, 'the publication of imported episodes notifies no user');
select tests.podcast('remote', 'ola', 'external'), tests.member('max', 'remote');
delete from public.notifications;
delete from private.events;
insert into public.episodes (podcast_id, title, status, origin, published_at)
values (tests.id('remote'), 'Imported', 'published', 'import', now());
select is(pg_temp.notified('episode.published'), null,
  'an imported episode that is inserted as published notifies no user');
insert into public.episodes (podcast_id, title, status) values (tests.id('remote'), 'Live', 'published');
select is(pg_temp.notified('episode.published'), 'max ola',
  'an episode that is inserted as published notifies the whole team when the service inserts it');
insert into public.episodes (podcast_id, title) select tests.id('remote'), 'due ' || n from generate_series(1, 3) n;
update public.episodes set status = 'scheduled', scheduled_at = now() + interval '1 hour' where title like 'due%';
delete from private.events;
delete from public.notifications;
select private.publish_due_episodes(now() + interval '2 hours');
select results_eq($$ select count(*), sum(notified_count), count(distinct payload ->> 'episode_id') from private.events
    where type = 'episode.published' $$, 'values (3::bigint, 6::bigint, 3::bigint)',
  'publish_due_episodes notifies the team of each episode');
delete from public.notifications;
update public.episodes set title = title || '!';
select is_empty('select from public.notifications', 'a changed episode notifies no user');

-- Many episodes in one statement
select tests.podcast('many', 'ola', 'external'), tests.member('max', 'many');
update public.podcast_members set auto_add_to_new_episodes = true
where podcast_id = tests.id('many') and user_id = tests.id('max');
delete from private.events;
insert into public.episodes (podcast_id, title, status, created_by)
select tests.id('many'), 'Part ' || n, 'published', tests.id('ola') from generate_series(1, 15) n;
insert into public.episodes (podcast_id, title, status, created_by)
select tests.id('many'), 'Part ' || n, 'published', tests.id('ola') from generate_series(16, 40) n;
insert into public.episodes (podcast_id, title, status, created_by)
values (tests.id('many'), 'Last', 'published', tests.id('ola'));
select results_eq($$ select n.type, count(*), count(distinct n.metadata ->> 'episode_id') from public.notifications n
    where n.user_id = tests.id('max') and n.metadata ->> 'podcast_id' = tests.id('many')::text group by 1 order by 1 $$,
  $$ values ('episode.published', 21::bigint, 21::bigint), ('episode.team_added', 21, 21) $$,
  'episodes that are inserted together notify 20 times in a day, then once per hour, as those inserted one by one');
select results_eq($$ select e.type, count(*) from private.events e group by 1 order by 1 $$,
  $$ values ('episode.published', 22::bigint), ('episode.team_added', 22) $$,
  'episodes that are inserted together record one event per notification, and a statement one that is deduplicated');

-- Repetitions
select tests.podcast('loop', 'ola'), tests.member('max', 'loop');
delete from private.rate_limits;
do $$ begin
  for n in 1 .. 8 loop
    perform tests.act_as('ola');
    perform public.offer_podcast_transfer(tests.id('loop'), tests.id('max'));
    perform public.withdraw_podcast_transfer(t.id) from public.podcast_transfers t
    where t.podcast_id = tests.id('loop') and t.status = 'pending';
    perform public.delete_podcast(tests.id('loop'), 'loop');
    perform public.cancel_deletion(tests.id('loop'));
    perform tests.act_as('postgres');
  end loop;
end $$;
select results_eq($$ select type, count(*) from public.notifications
    where user_id = tests.id('max') and metadata ->> 'podcast_id' = tests.id('loop')::text group by 1 order by 1 $$,
  $$ values ('podcast.deletion_canceled', 6::bigint), ('podcast.deletion_scheduled', 5),
    ('podcast.transfer_offered', 5) $$,
  'what is offered, scheduled and undone in a loop notifies five times in a day, and then of what holds in the end');
create function pg_temp.waiting(statement text) returns text language plpgsql as $$
begin
  perform tests.act_as('ola');
  execute statement;
  perform tests.act_as('postgres');
  return (
    select string_agg(concat_ws(' ', n.type, case when n.read_at is null then 'unread' end, d.channel, d.status),
      ', ' order by n.type)
    from public.notifications n
    left join public.notification_deliveries d on d.notification_id = n.id and d.due_at = n.scheduled_for
    where n.user_id = tests.id('max') and n.metadata ->> 'podcast_id' = tests.id('loop')::text
      and n.scheduled_for = date_trunc('hour', now(), 'UTC') + interval '1 hour');
end $$;
select is(pg_temp.waiting('select public.delete_podcast(tests.id(''loop''), ''loop'')'),
  'podcast.deletion_scheduled unread email pending', 'a deletion after a loop is told at the end of the hour');
select is(pg_temp.waiting('select public.cancel_deletion(tests.id(''loop''))'),
  'podcast.deletion_canceled unread email pending', 'a canceled deletion replaces what was not told yet');
select is(pg_temp.waiting('select public.offer_podcast_transfer(tests.id(''loop''), tests.id(''max''))'),
  'podcast.deletion_canceled unread email pending, podcast.transfer_offered unread email pending',
  'an offer after a loop is told at the end of the hour');
select is(pg_temp.waiting('select public.withdraw_podcast_transfer(id) from public.podcast_transfers
    where podcast_id = tests.id(''loop'') and status = ''pending'''),
  'podcast.deletion_canceled unread email pending', 'a withdrawn offer that was not told yet is not told');
select tests.guest('vic', 'pilot'), tests.member('ada', 'loop', 'admin'), tests.member('una', 'loop');
do $$
begin
  for n in 1 .. 8 loop
    update public.episode_guests set status = 'active' where id = tests.id('pilot/vic');
    update public.episode_guests set status = 'declined' where id = tests.id('pilot/vic');
  end loop;
  for n in 1 .. 25 loop
    perform tests.act_as('ada');
    insert into public.episodes (podcast_id, title) values (tests.id('loop'), 'loop ' || n);
    perform public.add_episode_person(e.id, 'team', 'Max', tests.id('max')) from public.episodes e
    where e.podcast_id = tests.id('loop') and e.title = 'loop ' || n;
    perform tests.act_as('postgres');
    update public.episodes set audio_url = 'https://a.test/' || id, audio_content_type = 'audio/mpeg',
      audio_file_size_bytes = 1, status = 'published' where title = 'loop ' || n;
  end loop;
end $$;
select results_eq($$ select type, count(*) from public.notifications
    where type = 'guest.accepted' and user_id = tests.id('ola')
        and metadata ->> 'episode_guest_id' = tests.id('pilot/vic')::text
      or user_id = tests.id('max') and metadata ->> 'podcast_id' = tests.id('loop')::text
      and category = 'episode' group by 1 order by 1 $$,
  $$ values ('episode.published', 21::bigint), ('episode.team_added', 21), ('guest.accepted', 6) $$,
  'a guest''s acceptances notify 5 times in a day, publications and additions to rosters 20 times, then once per hour');
select tests.act_as('ada');
select public.add_episode_person(e.id, 'team', 'Una', tests.id('una')) from public.episodes e where e.title = 'loop 25';
select tests.act_as('postgres');
select is((select count(*) from public.notifications where type = 'episode.team_added' and user_id = tests.id('una')),
  1::bigint, 'additions of a member do not count on those of another');

-- Many users
alter table public.profiles disable trigger user;
with other as (
  insert into auth.users (id, email) select gen_random_uuid(), n || '@many.test' from generate_series(1, 4000) n
  returning id
), profile as (
  insert into public.profiles (id) select o.id from other o returning id
)
insert into public.notification_preferences (user_id) select p.id from profile p;
alter table public.profiles enable trigger user;
analyze public.profiles, public.notification_preferences;

create function pg_temp.rows_read(relation text) returns bigint language sql volatile as $$
  select s.seq_tup_read + coalesce(s.idx_tup_fetch, 0) from pg_stat_xact_user_tables s where s.relname = relation
$$;
create temp table before as
  select name, pg_temp.rows_read(name) as rows_read from unnest('{profiles,notification_preferences}'::text[]) name;
select private.notify('import.completed', private.user_recipients(tests.id('ada'), tests.id('max')), '{}');
select ok(pg_temp.rows_read(name) - rows_read between 2 and 20,
  format('notify reads a few rows of %s for two users among thousands', name)) from before;

select * from tests.finish();
rollback;
