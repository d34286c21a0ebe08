-- The triggers booking.confirmed and episode.published: which rules they run, and what they write. The files fire_*
-- have the other triggers, automation_context.test.sql what executions know, start_due_automations.test.sql those of
-- times.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.podcast('other', 'otto');
select tests.open_link('open', 'show'), tests.open_link('second', 'show');
select tests.rule('any', 'show', 'booking.confirmed', author => 'ada'),
  tests.rule('by open', 'show', 'booking.confirmed',
    trigger_config => jsonb_build_object('booking_link_id', upper(tests.id('open')::text))),
  tests.rule('by second', 'show', 'booking.confirmed',
    trigger_config => jsonb_build_object('booking_link_id', tests.id('second'))),
  tests.rule('disabled', 'show', 'booking.confirmed'), tests.rule('paused', 'show', 'booking.confirmed'),
  tests.rule('foreign', 'other', 'booking.confirmed'), tests.rule('foreign episode', 'other', 'episode.published'),
  tests.rule('before', 'show', 'time.before_recording', trigger_config => '{"offset_minutes": 60}'),
  tests.rule('episode', 'show', 'episode.published'), tests.rule('episode too', 'show', 'episode.published'),
  tests.rule('no episode', 'show', 'episode.published'), tests.rule('paused episode', 'show', 'episode.published');
update automation_rules set is_enabled = false where name in ('disabled', 'no episode');
update automation_rules set is_paused = true where name in ('paused', 'paused episode');

-- The rules that ran since the last call, and for how many occurrences. Each execution has one message.
create function pg_temp.fired() returns text language plpgsql as $$
declare
  fired text := (select string_agg(f.line, ', ' order by f.rule_name) from (
    select e.rule_name, concat(e.rule_name, case when count(*) > 1 then ' × ' || count(*) end) as line
    from automation_executions e group by e.rule_name) f);
begin
  if exists (
    (select jsonb_build_object('podcast_id', e.podcast_id, 'execution_id', e.id) from automation_executions e
      except all select * from tests.queued('automation_runs'))
    union all
    (select * from tests.queued('automation_runs') except all
      select jsonb_build_object('podcast_id', e.podcast_id, 'execution_id', e.id) from automation_executions e))
  then
    fired := concat(fired, ', but other messages: ', (select jsonb_agg(q) from tests.queued('automation_runs') q));
  end if;
  delete from automation_executions;
  perform tests.empty_queue('automation_runs');
  return fired;
end $$;

-- booking.confirmed
select tests.booking_in('first', 'open', 50, guest => 'gus');
select is(pg_temp.fired(), null, 'request_booking fires no automation');
select tests.value_as('ada', format('select public.reschedule_booking(%L, %L)', tests.id('first'), tests.slot(51)));
select is(pg_temp.fired(), null, 'reschedule_booking of a request fires no automation');
select tests.value_as('ada', format('select public.confirm_booking(%L)', tests.id('first')));
select results_eq($$ select e.rule_name, e.status::text, e.podcast_id, e.trigger_type::text, e.occurrence_key,
    e.context_data ->> 'booking_id', e.action_results, e.created_at, e.started_at, e.retry_of_id
  from automation_executions e order by e.rule_name $$,
  $$ select name, 'pending', tests.id('show'), 'booking.confirmed', 'booking.confirmed:' || tests.id('first'),
    tests.id('first')::text, '[]'::jsonb, now(), null::timestamptz, null::uuid
  from unnest(array['any', 'by open']) name $$, 'confirm_booking writes a pending execution of each matching rule');
select is((select count(distinct e.occurrence_id) from automation_executions e), 2::bigint,
  'each rule has its own occurrence_id');
select is(private.fire_automations('booking.confirmed', tests.id('show'), tests.id('first'), null,
  'booking.confirmed:' || tests.id('first'), now()), 0, 'fire_automations fires nothing for the same occurrence');
select is(pg_temp.fired(), 'any, by open', 'confirm_booking runs the rules without a link and of this link, once each');
update bookings set status_message = 'Welcome' where id = tests.id('first');
select tests.value_as('ada', format('select public.reschedule_booking(%L, %L)', tests.id('first'), tests.slot(52)));
select is(pg_temp.fired(), null, 'a change of a confirmed booking fires no automation');
select tests.value_as('ada', format('select public.cancel_booking(%L)', tests.id('first')));
select is(pg_temp.fired(), null, 'cancel_booking fires no automation');
update booking_links set requires_confirmation = false where id = tests.id('open');
select tests.request_booking('instant', 'open', 70, 'ivy');
select is(pg_temp.fired(), null, 'a request that waits for its guest fires no automation');
select private.verify_guest_booking(tests.booking_token('instant'));
select is(pg_temp.fired(), 'any, by open', 'a booking that its guest confirms runs the rules');
select tests.person('signed');
select tests.value_as('signed', format('select public.request_booking(%L, %L, %L, %L)', tests.id('open'),
  tests.slot(72), 'Sid', 'signed@test.example'));
select is(pg_temp.fired(), 'any, by open', 'a booking that is confirmed when it is requested runs the rules');
update booking_links set requires_confirmation = true where id = tests.id('open');
select tests.booking_in('unlinked', 'open', 60);
alter table public.booking_links disable trigger user;  -- or the link could not be deleted with open bookings
delete from booking_links where id = tests.id('open');
alter table public.booking_links enable trigger user;
update bookings set status = 'confirmed', expires_at = null where id = tests.id('unlinked');
select is(pg_temp.fired(), 'any', 'a booking without link runs the rules without a link only');
select tests.booking_in('third', 'second', 50), tests.booking_in('fourth', 'second', 55),
  tests.booking_in('fifth', 'second', 60);
update bookings set status = 'declined', expires_at = null where id = tests.id('fifth');
update bookings set status = 'confirmed', expires_at = null where id in (tests.id('third'), tests.id('fourth'));
select is(pg_temp.fired(), 'any × 2, by second × 2', 'two bookings that one statement confirms are two occurrences');

-- fire_automations
select is(private.fire_automations('booking.confirmed', tests.id('show'), tests.id('third'), null, 'twice', now()), 2,
  'fire_automations returns the number of executions');
select pg_temp.fired();
select is(private.fire_automations('booking.confirmed', tests.id('show'), tests.id('third'), null, 'one', now(),
  tests.id('by second')), 1, 'fire_automations with only_rule_id runs this rule only');
select is(pg_temp.fired(), 'by second', 'fire_automations with only_rule_id runs no other rule');
select is(private.fire_automations('booking.confirmed', tests.id('show'), tests.id('third'), null, 'one', now(),
  tests.id('disabled')), 0, 'fire_automations does not run a disabled rule by its id');

-- episode.published
select tests.published_episode('pilot', 'show');
select results_eq($$ select e.rule_name, e.occurrence_key, e.context_data ->> 'episode_id',
    e.context_data ->> 'booking_id' from automation_executions e order by e.rule_name $$,
  $$ select name, 'episode.published:' || tests.id('pilot'), tests.id('pilot')::text, null
  from unnest(array['episode', 'episode too']) name $$,
  'the publication of an episode writes an execution of each matching rule');
select is(pg_temp.fired(), 'episode, episode too', 'the publication of an episode runs its podcast''s active rules');
select tests.value_as('ada', $$ select (public.publish_episode(tests.id('pilot'))).status $$);
select is(pg_temp.fired(), null, 'publish_episode of a published episode fires no automation');
update episodes set title = 'Renamed', published_at = now() - interval '1 day' where id = tests.id('pilot');
select is(pg_temp.fired(), null, 'a change of a published episode fires no automation');
select tests.value_as('ada', $$ select (public.unpublish_episode(tests.id('pilot'))).status $$);
select tests.value_as('ada', $$ select (public.publish_episode(tests.id('pilot'))).status $$);
select is(pg_temp.fired(), null, 'a second publication of an episode fires no automation');
select tests.published_episode('foreign pilot', 'other');
select is(pg_temp.fired(), 'foreign episode', 'an episode runs the rules of its own podcast only');

select tests.episode(name, 'show'), tests.upload_audio(name)
from unnest(array['e1', 'e2', 'e3', 'e4', 'e5', 'late', 'draft']) name;
select is(pg_temp.fired(), null, 'a draft fires no automation');
select tests.value_as('ada', $$ select (public.publish_episode(tests.id('e1'))).status $$);
select is(pg_temp.fired(), 'episode, episode too', 'publish_episode runs the rules');
update episodes set status = 'published' where id in (tests.id('e2'), tests.id('e3'));
select is(pg_temp.fired(), 'episode × 2, episode too × 2',
  'two episodes that one statement publishes are two occurrences');
update episodes set status = 'scheduled', scheduled_at = now() + interval '1 hour'
where id in (tests.id('e4'), tests.id('e5'));
select is(pg_temp.fired(), null, 'the scheduling of an episode fires no automation');
select private.publish_due_episodes(now() + interval '1 hour');
select is(pg_temp.fired(), 'episode × 2, episode too × 2', 'publish_due_episodes runs the rules for each episode');
insert into episodes (podcast_id, title, origin) values (tests.id('show'), 'Imported', 'import');
update episodes set audio_url = 'https://a.test/a.mp3', audio_file_size_bytes = 1, audio_content_type = 'audio/mpeg',
  status = 'published' where title = 'Imported';
select is(pg_temp.fired(), null, 'the publication of an imported episode fires no automation');
select tests.podcast('external', 'ola', 'external'), tests.rule('abroad', 'external', 'episode.published');
insert into episodes (podcast_id, title, origin, status)
values (tests.id('external'), 'A', 'app', 'published'), (tests.id('external'), 'B', 'app', 'published'),
  (tests.id('external'), 'C', 'import', 'published'), (tests.id('external'), 'D', 'app', 'draft');
select is(pg_temp.fired(), 'abroad × 2', 'episodes that are inserted as published run the rules, imported ones do not');
select tests.set_status('show', 'paused');
update episodes set status = 'published' where id = tests.id('late');
select is(pg_temp.fired(), 'episode, episode too', 'an episode of a paused podcast runs the rules');
select tests.set_status('show', 'active');

-- The transaction of the cause
select tests.booking_in('undone', 'second', 70);
savepoint cause;
update bookings set status = 'confirmed', expires_at = null where id = tests.id('undone');
update episodes set status = 'published' where id = tests.id('draft');
rollback to cause;
select is(pg_temp.fired(), null, 'a rollback of the cause leaves no execution and no message');
update bookings set status = 'confirmed', expires_at = null where id = tests.id('undone');
select is(pg_temp.fired(), 'any, by second', 'an occurrence after a rollback runs the rules');

-- A rule runs without regard to the role of the caller
select is(tests.result_of('ada', $$ update public.episodes set status = 'published' where id = tests.id('draft') $$),
  'ok 1', 'admins without grants on executions may publish by an update');
select is(pg_temp.fired(), 'episode, episode too', 'an update by an admin runs the rules');

select * from tests.finish();
rollback;
