-- run_update_field: a write by the rule's author, its targets and errors, and that it fires no automation.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'mel'), tests.podcast('other', 'ada'), tests.open_link('open', 'show');
select tests.episode('pilot', 'show'), tests.episode('bare', 'show'), tests.episode('foreign', 'other'),
  tests.booking_in('first', 'open', 50, 'confirmed', 'gus'), tests.booking_in('second', 'open', 60, 'confirmed', 'zoe');
select tests.guest(name, 'pilot', status::episode_guest_status)
from (values ('abe', 'active'), ('bea', 'active'), ('cid', 'invited'), ('dan', 'removed')) v (name, status);
insert into podcast_guests (podcast_id, display_name, email) values (tests.id('show'), 'Gus', 'gus@guests.example'),
  (tests.id('other'), 'Gus', 'gus@guests.example');
select tests.rule('update', 'show', 'booking.confirmed', jsonb_build_array(tests.update_action('title', '"x"')),
  author => 'ada');

-- Runs an update for a booking or, without one, an episode as an author
create function pg_temp.run(field text, value jsonb, entity text default 'episode', author text default 'ada',
  booking text default 'first', episode text default 'pilot') returns jsonb language plpgsql as $$
declare
  execution automation_executions;
  action    automation_actions;
begin
  select a.* into action from automation_actions a where a.id = tests.id('update/0');
  action.action_config := jsonb_build_object('entity', entity, 'field', field, 'value', value);
  execution.podcast_id := tests.id('show');
  execution.context_data := private.automation_context(tests.id('show'), case when booking <> '' then tests.id(booking)
    end, case when episode <> '' then tests.id(episode) end, now());
  return private.run_update_field(execution, tests.id(author), action, now()) - '{action_id,action_type}'::text[];
end $$;
create function pg_temp.failed(error text) returns jsonb language sql as $$
  select jsonb_build_object('status', 'failed', 'result', jsonb_build_object('error', error))
$$;
create function pg_temp.caller() returns text language sql as $$
  select concat_ws(' ', current_user, nullif(current_setting('request.jwt.claims', true), ''), auth.uid())
$$;
create temp table caller as select pg_temp.caller() as before;

-- Each field
create temp table value (entity text, field text, value jsonb);
insert into value
select f.entity, f.field, v.value from private.automation_fields() f cross join lateral (
  select case
    when f.field = 'episode_type' then '"bonus"'::jsonb
    when 'string' = any (f.types) then to_jsonb('New ' || f.field)
    when 'number' = any (f.types) then '7'
    when 'boolean' = any (f.types) then 'true' end
  union all select 'null' where 'null' = any (f.types)) v (value);
create function pg_temp.present(entity text, field text) returns jsonb language sql as $$
  select case when entity = 'episode' then (select to_jsonb(e) -> field from episodes e where e.id = tests.id('pilot'))
    else (select (to_jsonb(g) || coalesce(to_jsonb(n), '{}')) -> field from podcast_guests g
      left join podcast_guest_notes n on n.guest_id = g.id
      where g.podcast_id = tests.id('show') and g.email = 'gus@guests.example') end
$$;
select is((select count(distinct (entity, field)) from value), 13::bigint, 'automations may update 13 fields');
select is(pg_temp.run(v.field, v.value, v.entity) -> 'status', '"completed"',
  format('update_field writes %s of an %s', v.field, v.entity))
from value v where v.value <> 'null';
select is(pg_temp.present(v.entity, v.field), v.value, format('update_field sets %s to %s', v.field, v.value))
from value v where v.value <> 'null';
select is(pg_temp.run(v.field, v.value, v.entity) -> 'status', '"completed"',
  format('update_field clears %s of an %s', v.field, v.entity))
from value v where v.value = 'null';
select is(pg_temp.present(v.entity, v.field), v.value, format('update_field sets %s to null', v.field))
from value v where v.value = 'null';
select is(pg_temp.run('title', '"  Two\nlines "'), jsonb_build_object('status', 'completed', 'result',
    jsonb_build_object('entity', 'episode', 'ids', jsonb_build_array(tests.id('pilot')), 'field', 'title',
      'value', E'  Two\nlines ')), 'the result of update_field has entity, ids, field and value');
select is((select title from episodes where id = tests.id('pilot')), 'Two lines',
  'update_field meets the triggers of the table');
select pg_temp.run('show_notes_html', '"<p>New</p>"');
select is((select show_notes_version from episodes where id = tests.id('pilot')), 0,
  'update_field of show notes has them sanitized');
select is(pg_temp.caller(), (select before from caller),
  'a completed update_field leaves role and claims as they were');

-- The targets
create function pg_temp.named(value text) returns text language sql as $$
  select string_agg(split_part(g.email, '@', 1), ' ' order by g.email) from podcast_guests g
  where g.display_name = value
$$;
select pg_temp.run('display_name', '"By booking"', 'guest');
select is(pg_temp.named('By booking'), 'gus', 'update_field of a booking''s guest writes the guest of the podcast');
select is((select display_name from podcast_guests where podcast_id = tests.id('other')), 'Gus',
  'update_field does not write the guest of another podcast with the same address');
select pg_temp.run('display_name', '"By episode"', 'guest', booking => '');
select is(pg_temp.named('By episode'), 'abe bea', 'update_field of an episode''s guests writes the active ones');
select is(pg_temp.run('bio', '"x"', 'guest', booking => 'second'),
  '{"status": "skipped", "result": {"reason": "The occurrence has no guest"}}',
  'update_field is skipped if the address of the booking is not a guest');
select is(pg_temp.run('bio', '"x"', 'guest', booking => '', episode => 'bare'),
  '{"status": "skipped", "result": {"reason": "The occurrence has no guest"}}',
  'update_field is skipped if the episode has no active guest');
select is(pg_temp.run('title', '"x"', episode => ''),
  '{"status": "skipped", "result": {"reason": "The occurrence has no episode"}}',
  'update_field is skipped if the booking has no episode');
select is(pg_temp.run('title', '"x"', booking => '', episode => 'foreign') -> 'status', '"skipped"',
  'update_field does not write the episode of another podcast on which its author is an admin');
select private.fire_automations('booking.confirmed', tests.id('show'), tests.id('second'), null, 'linked', now());
update bookings set episode_id = tests.id('bare') where id = tests.id('second');
select tests.run_rule('update', at => now());
select is((tests.execution('update')).action_results #> '{0,result,ids}', jsonb_build_array(tests.id('bare')),
  'update_field writes the episode with which the booking is linked when the action runs');

-- The author
select is(pg_temp.run('title', '"By a member"', author => 'mel'), pg_temp.failed('Episode not found'),
  'update_field of an episode fails if its author is a member');
select is(pg_temp.run('bio', '"By a member"', 'guest', 'mel'),
  pg_temp.failed('Requires the admin or owner role on this podcast'),
  'update_field of a guest fails if its author is a member');
select tests.person('eve');
select is(pg_temp.run('title', '"By a stranger"', author => 'eve'), pg_temp.failed('Episode not found'),
  'update_field of an episode fails if its author is not on the team');
select is((select title from episodes where id = tests.id('pilot')), 'Two lines',
  'a rejected update_field writes nothing');
revoke update (title) on episodes from authenticated;
select is(pg_temp.run('title', '"Without grant"'), pg_temp.failed('The author of the rule may not change this'),
  'update_field needs the grant on the column');
grant update (title) on episodes to authenticated;
create function pg_temp.note_writer() returns trigger language plpgsql as $$
begin
  new.summary := concat_ws(' ', current_user, auth.uid(), auth.role());
  return new;
end $$;
create trigger note_writer before update on episodes for each row execute function pg_temp.note_writer();
select pg_temp.run('title', '"Noted"');
drop trigger note_writer on episodes;
select is((select summary from episodes where id = tests.id('pilot')), concat_ws(' ', 'authenticated', tests.id('ada'),
  'authenticated'), 'update_field writes as its author');

-- Errors
select is(pg_temp.run(field, value, entity), pg_temp.failed('The value was rejected: ' || violated),
  format('update_field says what a constraint demands: %s', violated))
from (values ('episode', 'title', to_jsonb(repeat('x', 256)), 'The title must have 1 to 255 characters'),
  ('episode', 'title', '" "', 'The title must have 1 to 255 characters'),
  ('episode', 'summary', to_jsonb(repeat('x', 10001)),
    'The summary and the description must have at most 10,000 characters, the show notes 1 MB'),
  ('guest', 'display_name', '""', 'The display name must have 1 to 200 characters')) v (entity, field, value, violated);
select is(pg_temp.caller(), (select before from caller), 'a failed update_field leaves role and claims as they were');
select tests.set_status('show', 'pending_deletion');
select is(pg_temp.run('title', '"x"'), pg_temp.failed('The podcast is scheduled for deletion'),
  'update_field of a podcast pending deletion fails');
select tests.set_status('show', 'active');

create function pg_temp.fail() returns trigger language plpgsql as $$
begin
  if new.title = 'Broken' then
    raise exception using errcode = current_setting('tests.state'), message = 'secret ' || old.id,
      detail = 'internal', constraint = 'secret_is_kept';
  end if;
  return new;
end $$;
create trigger fail before update on episodes for each row execute function pg_temp.fail();
create function pg_temp.run_failing(state text) returns text language plpgsql as $$
begin
  perform set_config('tests.state', state, true);
  return pg_temp.run('title', '"Broken"') #>> '{result,error}';
exception when others then
  return 'raised ' || sqlstate || ' as ' || pg_temp.caller();
end $$;
select is(pg_temp.run_failing(state), expected, format('update_field answers SQLSTATE %s with: %s', state, expected))
from (values ('22001', 'The value was rejected'), ('22P02', 'The value was rejected'),
  ('23505', 'The value was rejected'), ('23503', 'The value was rejected'),
  ('23514', 'The value was rejected'), ('42501', 'The author of the rule may not change this'),
  ('40P01', 'raised 40P01 as postgres'), ('40001', 'raised 40001 as postgres'), ('55P03', 'raised 55P03 as postgres'),
  ('XX000', 'raised XX000 as postgres'), ('PT500', 'raised PT500 as postgres'),
  ('42P01', 'raised 42P01 as postgres')) v (state, expected);
drop trigger fail on episodes;
create function pg_temp.fail_for_bea() returns trigger language plpgsql as $$
begin
  if new.email like 'bea@%' then
    raise sqlstate 'PT409' using message = 'Not this guest';
  end if;
  return new;
end $$;
create trigger fail before update on podcast_guests for each row execute function pg_temp.fail_for_bea();
select is(pg_temp.run('display_name', '"Both"', 'guest', booking => ''), pg_temp.failed('Not this guest'),
  'update_field of several guests fails with the error of one');
drop trigger fail on podcast_guests;
select is(pg_temp.named('Both'), null, 'update_field of several guests writes all or none');

-- Requests of anyone, with any address and the public id of a published episode
select tests.booking_in('request', 'open', 70, 'pending', 'gus'), tests.published_episode('out', 'show');
create function pg_temp.of_request(trigger automation_trigger, entity text, episode text, change text)
returns text language plpgsql as $$
declare
  action  automation_actions;
  outcome jsonb;
begin
  select a.* into action from automation_actions a where a.id = tests.id('update/0');
  action.action_config := jsonb_build_object('entity', entity, 'field',
    case entity when 'episode' then 'title' else 'display_name' end, 'value', 'Requested');
  update bookings set episode_id = tests.id(episode) where id = tests.id('request');
  execute change;
  outcome := private.plan_update_field(jsonb_populate_record(null::automation_executions, jsonb_build_object(
    'podcast_id', tests.id('show'), 'trigger_type', trigger, 'context_data',
    private.automation_context(tests.id('show'), tests.id('request'), null, now()))), action, now());
  raise exception using message = coalesce(outcome #>> '{result,reason}', outcome ->> 'status');
exception when raise_exception then
  return sqlerrm;
end $$;
select is(pg_temp.of_request(trigger::automation_trigger, entity, episode, change), expected,
  format('update_field of %s: %s', entity, what))
from (values
  ('booking.requested', 'episode', 'pilot', 'select', 'pending', 'a request can change its draft'),
  ('booking.requested', 'episode', 'out', 'select', 'The occurrence has no episode',
    'a request can change no published episode'),
  ('booking.cancelled', 'episode', 'out', 'select', 'The occurrence has no episode',
    'a canceled request can change no published episode'),
  ('booking.cancelled', 'episode', 'out', 'update bookings set confirmed_by = tests.id(''ada'')', 'pending',
    'a canceled booking that a host confirmed can change its published episode'),
  ('booking.confirmed', 'episode', 'out', 'select', 'pending',
    'a dry run of a confirmation can change the published episode'),
  ('booking.requested', 'guest', 'pilot', 'select', 'The occurrence has no guest',
    'a request that is not verified can change no guest with its address'),
  ('booking.requested', 'guest', 'pilot', 'update bookings set guest_verified_at = now()', 'pending',
    'a verified request can change the guest'),
  ('booking.confirmed', 'guest', 'pilot', 'select', 'pending', 'a dry run of a confirmation can change the guest'))
  v (trigger, entity, episode, change, expected, what);

-- No loop: no field fires an automation
select tests.rule(t::text, 'show', t, trigger_config => case when t::text like 'time.%' then '{"offset_minutes": 60}'
  else '{}' end::jsonb) from unnest(enum_range(null::automation_trigger)) t;
select tests.episode(name, 'show'), tests.upload_audio(name) from unnest(array['scheduled', 'public', 'archived']) name;
update episodes set status = 'scheduled', scheduled_at = now() + interval '1 day' where id = tests.id('scheduled');
update episodes set status = 'published' where id in (tests.id('public'), tests.id('archived'));
update episodes set status = 'archived' where id = tests.id('archived');
delete from automation_executions;
select tests.empty_queue('automation_runs');
create temp table schedules as select * from private.automation_schedules;
select is(pg_temp.run(v.field, v.value, v.entity, episode => e.name) -> 'status', '"completed"',
  format('update_field writes %s of an occurrence with the episode %s as %s', v.field, e.name, v.value))
from value v cross join unnest(array['pilot', 'scheduled', 'public', 'archived']) e (name)
where v.entity = 'episode' or e.name = 'pilot';
select is((select count(*) from automation_executions) + (select count(*) from tests.queued('automation_runs')),
  0::bigint, 'no field that update_field may write fires an automation');
select set_eq('select * from private.automation_schedules', 'select * from schedules',
  'no field that update_field may write changes a schedule');
select is((select count(*) from automation_rules r where r.author_id <> tests.id('ola')), 1::bigint,
  'update_field changes the author of no rule');

select * from tests.finish();
rollback;
