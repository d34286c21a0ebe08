-- Every kind of write to a podcast, in every status of the podcast, by every role.
begin;
select tests.start();

select tests.person('ola'), tests.person('ana'), tests.person('vic'), tests.person('stranger');
select tests.set_plan('ola', 'pro');
select private.set_setting(key, '1000000') is null from private.settings where key like 'max\_%\_per\_hour';
update private.plan_limits set max_count = 1000000;

-- Two podcasts with rows of the same names; that of ext is hosted elsewhere.
create function pg_temp.create_podcast(podcast text, hosting public.hosting_type) returns void language plpgsql as $$
declare
  pilot text := podcast || '/pilot';
  made  uuid;
begin
  perform tests.podcast(podcast, 'ola', hosting), tests.member('ana', podcast, 'admin'), tests.member('vic', podcast);
  perform tests.episode(pilot, podcast), tests.upload_audio(pilot);
  perform tests.guest_with_token(podcast || '-gina', pilot), tests.guest_with_token(podcast || '-gus', pilot, 'active');
  perform tests.invitation(podcast, 'stranger@test.example', 'ola'), tests.transfer(podcast, 'vic');
  perform tests.act_as('vic');
  insert into public.episode_messages (episode_id, body) values (tests.id(pilot), 'Hello') returning id into made;
  perform tests.act_as('postgres'), tests.remember(podcast || '/message', made);
  perform tests.act_as('ola'), public.add_episode_person(tests.id(pilot), 'external', 'Zoe');
  perform tests.act_as('postgres'), tests.remember(podcast || '/zoe', p.id)
  from public.episode_people p where p.episode_id = tests.id(pilot) and p.name = 'Zoe';
  perform tests.open_link(podcast || '/link', podcast, '{"slug": "link"}'),
    tests.request_booking(podcast || '/booking', podcast || '/link', 1, podcast || '-bea'),
    tests.booking_token(podcast || '/booking');
  perform tests.remember(podcast || '/guest', g.id) from public.podcast_guests g
  where g.email = podcast || '-gina@test.example';
  perform tests.template(podcast || '/template', podcast),
    tests.rule(podcast || '/rule', podcast, 'episode.published', jsonb_build_array(tests.webhook_action())),
    private.fire_automations('episode.published', tests.id(podcast), null, tests.id(pilot), 'a', now()),
    private.end_execution(tests.execution(podcast || '/rule'), 'failed', 'It failed', now()),
    tests.remember(podcast || '/execution', (tests.execution(podcast || '/rule')).id);
  insert into public.automation_addresses (podcast_id, email) values (tests.id(podcast), 'aunt@test.example')
  returning id into made;
  perform tests.remember(podcast || '/address', made);
  insert into private.access_tokens values (sha256(convert_to(podcast || '-aunt', 'UTF8')), 'automation_address', made,
    'infinity');
end $$;
select pg_temp.create_podcast('show', 'native'), pg_temp.create_podcast('ext', 'external');
create function pg_temp.import(podcast text, status public.import_status) returns void language sql as $$
  select tests.import(podcast || '/import', podcast, status), tests.import_item(podcast || '/item',
    podcast || '/import',
    case when status in ('partial', 'canceled') then 'failed' else 'pending' end::public.import_item_status)
$$;

-- The outcomes of each write after the same preparation by each role, all undone: k done, 0 no row,
-- p 409 PODCAST_PENDING_DELETION, c another 409, f 403, x 42501, n 404, r 23503, u 401
create function pg_temp.outcomes_of(given text, status text) returns jsonb language plpgsql as $$
declare
  podcast  text := case when status like 'external%' then 'ext' else 'show' end;
  who      text;
  write    record;
  outcome  text;
  outcomes jsonb := '{}';
  code     text;
  rows     bigint;
begin
  begin
    execute replace(given, 'show', podcast);
    case status
      when 'paused' then perform tests.set_status('show', 'paused');
      when 'pending' then perform tests.set_status('show', 'pending_deletion');
      when 'pending_paused'
      then perform tests.set_status('show', 'paused'), tests.set_status('show', 'pending_deletion');
      when 'deleted' then delete from public.podcasts p where p.id = tests.id('show');
      when 'external_paused' then perform tests.set_status('ext', 'paused');
      when 'external_marked' then
        update public.podcasts p set status = 'pending_deletion', deletion_requested_at = now(),
          deletion_scheduled_at = now()
        where p.id = tests.id('ext');
      else null;
    end case;
    foreach who in array array['anon', 'stranger', 'vic', 'ana', 'ola', 'service'] loop
      for write in select w.n, replace(w.statement, 'show', podcast) as statement from writes w
        where w.given = outcomes_of.given
      loop
        begin
          perform set_config('response.status', '', true);
          perform tests.act_as(who);
          begin
            execute write.statement;
            get diagnostics rows = row_count;
            outcome := 'ok ' || rows;
          exception when others then
            get stacked diagnostics code = pg_exception_hint;
            outcome := concat_ws(' ', sqlstate, nullif(code, ''));
          end;
          perform tests.act_as('postgres');
          if current_setting('response.status') ~ '^[45]' then  -- an error response, which is returned
            outcome := 'PT' || current_setting('response.status');
          end if;
          raise sqlstate 'ZZ000';
        exception when sqlstate 'ZZ000' then
        end;
        outcomes := outcomes || jsonb_build_object(write.n, concat(outcomes ->> write.n::text, case
          when outcome ~ '^ok [1-9]' then 'k' when outcome = 'ok 0' then '0'
          when outcome = 'PT409 PODCAST_PENDING_DELETION' then 'p' when outcome ~ '^PT409' then 'c'
          when outcome ~ '^PT403' then 'f' when outcome = '42501' then 'x' when outcome ~ '^PT404' then 'n'
          when outcome ~ '^PT401' then 'u' when outcome = '23503' then 'r' else '?' || outcome end));
      end loop;
    end loop;
    raise sqlstate 'ZZ000';
  exception when sqlstate 'ZZ000' then
  end;
  return outcomes;
end $$;

-- A string per status; in it a letter per role: anon, stranger, member, admin, owner, service
create temp table writes (
  n int generated always as identity, name text, statement text, active text, paused text, pending text,
  pending_paused text, deleted text, external text, external_paused text, given text default 'select');
insert into writes (name, active, paused, pending, pending_paused, deleted, external, external_paused, statement,
  given) values
  ('get_podcast_lifecycle', 'xfffkx', 'xfffkx', 'xfffkx', 'xfffkx', 'xnnnnx', 'xfffkx', 'xfffkx',
    $$ select public.get_podcast_lifecycle(tests.id('show')) $$, 'select'),
  ('pause_podcast', 'xfffkx', 'xfffcx', 'xfffcx', 'xfffcx', 'xnnnnx', 'xfffkx', 'xfffcx',
    $$ select public.pause_podcast(tests.id('show')) $$, 'select'),
  ('unpause_podcast', 'xfffcx', 'xfffkx', 'xfffcx', 'xfffcx', 'xnnnnx', 'xfffcx', 'xfffkx',
    $$ select public.unpause_podcast(tests.id('show')) $$, 'select'),
  ('delete_podcast', 'xfffkx', 'xfffkx', 'xfffpx', 'xfffpx', 'xnnnnx', 'xfffkx', 'xfffkx',
    $$ select public.delete_podcast(tests.id('show'), 'show') $$, 'select'),
  ('update_deletion_redirect', 'xfffcx', 'xfffcx', 'xfffkx', 'xfffkx', 'xnnnnx', 'xfffcx', 'xfffcx',
    $$ select public.update_deletion_redirect(tests.id('show'), 'https://new.example') $$, 'select'),
  ('set_feed_redirect', 'xfffkx', 'xfffkx', 'xfffpx', 'xfffpx', 'xnnnnx', 'xfffcx', 'xfffcx',
    $$ select public.set_feed_redirect(tests.id('show'), 'https://new.example') $$, 'select'),
  ('cancel_deletion', 'xfffcx', 'xfffcx', 'xfffkx', 'xfffkx', 'xnnnnx', 'xfffcx', 'xfffcx',
    $$ select public.cancel_deletion(tests.id('show')) $$, 'select'),
  ('update podcasts', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ update public.podcasts set title = 'New' where id = tests.id('show') $$, 'select'),
  ('update podcast_members', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ update public.podcast_members set role = 'admin' where podcast_id = tests.id('show') and role = 'member' $$,
      'select'),
  ('delete podcast_members', 'x0kkkk', 'x0kkkk', 'x0kppp', 'x0kppp', 'x00000', 'x0kkkk', 'x0kkkk',
    $$ delete from public.podcast_members where podcast_id = tests.id('show') and role = 'member' $$, 'select'),
  ('invite_podcast_member', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.invite_podcast_member(tests.id('show'), 'new@test.example') $$, 'select'),
  ('accept_podcast_invitation', 'xknnnx', 'xknnnx', 'xpnnnx', 'xpnnnx', 'xnnnnx', 'xknnnx', 'xknnnx',
    $$ select public.accept_podcast_invitation(tests.id('show/stranger@test.example')) $$, 'select'),
  ('decline_podcast_invitation', 'xknnnx', 'xknnnx', 'xknnnx', 'xknnnx', 'xnnnnx', 'xknnnx', 'xknnnx',
    $$ select public.decline_podcast_invitation(tests.id('show/stranger@test.example')) $$, 'select'),
  ('withdraw_podcast_invitation', 'xnfkkx', 'xnfkkx', 'xnfkkx', 'xnfkkx', 'xnnnnx', 'xnfkkx', 'xnfkkx',
    $$ select public.withdraw_podcast_invitation(tests.id('show/stranger@test.example')) $$, 'select'),
  ('resend_podcast_invitation', 'xnfkkx', 'xnfkkx', 'xnfppx', 'xnfppx', 'xnnnnx', 'xnfkkx', 'xnfkkx',
    $$ select public.resend_podcast_invitation(tests.id('show/stranger@test.example')) $$,
    'select tests.send_emails()'),
  ('offer_podcast_transfer', 'xfffkx', 'xfffkx', 'xfffpx', 'xfffpx', 'xnnnnx', 'xfffkx', 'xfffkx',
    $$ select public.offer_podcast_transfer(tests.id('show'), tests.id('ana')) $$,
    $$ update public.podcast_transfers set status = 'withdrawn' $$),
  ('accept_podcast_transfer', 'xnknnx', 'xnknnx', 'xncnnx', 'xncnnx', 'xnnnnx', 'xnknnx', 'xnknnx',
    $$ select public.accept_podcast_transfer(tests.id('show/transfer')) $$, 'select'),
  ('decline_podcast_transfer', 'xnknnx', 'xnknnx', 'xncnnx', 'xncnnx', 'xnnnnx', 'xnknnx', 'xnknnx',
    $$ select public.decline_podcast_transfer(tests.id('show/transfer')) $$, 'select'),
  ('withdraw_podcast_transfer', 'xnnnkx', 'xnnnkx', 'xnnncx', 'xnnncx', 'xnnnnx', 'xnnnkx', 'xnnnkx',
    $$ select public.withdraw_podcast_transfer(tests.id('show/transfer')) $$, 'select'),
  ('insert episodes', 'xxxkkk', 'xxxkkk', 'xxxppp', 'xxxppp', 'xxxxxr', 'xxxkkk', 'xxxkkk',
    $$ insert into public.episodes (podcast_id, title) values (tests.id('show'), 'New') $$, 'select'),
  ('update episodes', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ update public.episodes set title = 'New' where id = tests.id('show/pilot') $$, 'select'),
  ('delete episodes', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ delete from public.episodes where id = tests.id('show/pilot') $$, 'select'),
  ('create_episode', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.create_episode(tests.id('show'), 'New') $$, 'select'),
  ('publish_episode', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.publish_episode(tests.id('show/pilot')) $$, 'select'),
  ('schedule_episode', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.schedule_episode(tests.id('show/pilot'), '2100-01-01') $$, 'select'),
  ('unpublish_episode', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.unpublish_episode(tests.id('show/pilot')) $$, 'select'),
  ('archive_episode', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.archive_episode(tests.id('show/pilot')) $$, 'select'),
  ('presign_audio_upload', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.presign_audio_upload(tests.id('show'), tests.id('show/pilot'), 'audio/mpeg', 'a.mp3', 9) $$,
      'select'),
  ('authorize_audio_upload', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.authorize_audio_upload(tests.id('show'), tests.id('show/pilot'), 'audio/mpeg') $$, 'select'),
  ('begin_audio_upload', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.begin_audio_upload(tests.id('show'), tests.id('show/pilot'), 'audio/mpeg', 9) $$, 'select'),
  ('finish_audio_upload', 'xxxxxk', 'xxxxxk', 'xxxxxp', 'xxxxxp', 'xxxxxn', 'xxxxxk', 'xxxxxk',
    $$ select private.finish_audio_upload(tests.id('ola'), tests.id('show'), tests.id('show/pilot'),
      current_setting('tests.path'), 1000, 'audio/mpeg', 60,
      (select e.audio_url from public.episodes e where e.id = tests.id('show/pilot'))) $$,
    $$ select set_config('tests.path', tests.store_audio_object('show/pilot'), true) $$),
  ('begin_direct_upload', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.begin_direct_upload(tests.id('show'), tests.id('show/pilot'), 'audio/mpeg', 'a.mp3', 9) $$,
      'select'),
  ('begin_direct_upload_completion', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.begin_direct_upload_completion(tests.direct_upload('show/upload', 'uploadId')::uuid) $$,
    $$ select tests.begin_direct_upload('show/upload', 'show/pilot', podcast => 'show'),
      tests.stage_direct_upload('show/upload') $$),
  ('remove_episode_audio', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.remove_episode_audio(tests.id('show/pilot')) $$, 'select'),
  ('presign_image_upload', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.presign_image_upload(tests.id('show'), 'cover', 'image/jpeg', 'a.jpg') $$, 'select'),
  ('authorize_image_upload', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.authorize_image_upload(tests.id('show'), 'cover', 'image/jpeg') $$, 'select'),
  ('begin_image_upload', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.begin_image_upload(tests.id('show'), 'cover', 'image/jpeg', 9, tests.square_image()) $$,
      'select'),
  ('finish_image_upload', 'xxxxxk', 'xxxxxk', 'xxxxxp', 'xxxxxp', 'xxxxxn', 'xxxxxk', 'xxxxxk',
    $$ select private.finish_image_upload(tests.id('ola'), tests.id('show'), 'cover',
      current_setting('tests.path'), 1000, 'image/jpeg', '{"width": 1400, "height": 1400}') $$,
    $$ select set_config('tests.path', tests.store_image_object('cover', podcast => 'show'), true) $$),
  ('delete_podcast_image', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.delete_podcast_image(tests.id('show'), 'cover') $$, 'select'),
  ('authorize_artwork_import', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.authorize_artwork_import('cover', tests.id('show')) $$, 'select'),
  ('begin_artwork_import', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.begin_artwork_import('image/jpeg', 9, tests.square_image(), 'cover', tests.id('show')) $$,
      'select'),
  ('invite_guest', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.invite_guest(tests.id('show/pilot'), 'new@test.example', 'New') $$, 'select'),
  ('update_podcast_guest', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.update_podcast_guest(tests.id('show/guest'), '{"notes": "New"}') $$, 'select'),
  ('get_guest_episode', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'uuuuux', 'kkkkkx', 'kkkkkx',
    $$ select public.get_guest_episode('show-gus') $$, 'select'),
  ('list_guest_messages', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'uuuuux', 'kkkkkx', 'kkkkkx',
    $$ select public.list_guest_messages('show-gus') $$, 'select'),
  ('accept_guest_invitation', 'kkkkkx', 'kkkkkx', 'pppppx', 'pppppx', 'uuuuux', 'kkkkkx', 'kkkkkx',
    $$ select public.accept_guest_invitation('show-gina') $$, 'select'),
  ('decline_guest_invitation', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'uuuuux', 'kkkkkx', 'kkkkkx',
    $$ select public.decline_guest_invitation('show-gina') $$, 'select'),
  ('post_guest_message', 'kkkkkx', 'kkkkkx', 'pppppx', 'pppppx', 'uuuuux', 'kkkkkx', 'kkkkkx',
    $$ select public.post_guest_message('show-gus', 'Hello') $$, 'select'),
  ('remove_episode_guest', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.remove_episode_guest(tests.id('show/pilot/show-gus')) $$, 'select'),
  ('remove_episode_guest of an invited one', 'xffkkx', 'xffkkx', 'xffkkx', 'xffkkx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.remove_episode_guest(tests.id('show/pilot/show-gina')) $$, 'select'),
  ('insert episode_messages', 'xxkkkx', 'xxkkkx', 'xxpppx', 'xxpppx', 'xnnnnx', 'xxkkkx', 'xxkkkx',
    $$ insert into public.episode_messages (episode_id, body) values (tests.id('show/pilot'), 'New') $$, 'select'),
  ('delete_episode_message', 'xnkffx', 'xnkffx', 'xnkffx', 'xnkffx', 'xnnnnx', 'xnkffx', 'xnkffx',
    $$ select public.delete_episode_message(tests.id('show/message')) $$, 'select'),
  ('add_episode_person', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.add_episode_person(tests.id('show/pilot'), 'external', 'New') $$, 'select'),
  ('update_episode_person', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.update_episode_person(tests.id('show/pilot'), tests.id('show/zoe'), '{"name": "New"}') $$,
      'select'),
  ('remove_episode_person', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.remove_episode_person(tests.id('show/pilot'), tests.id('show/zoe')) $$, 'select'),
  ('remove_episode_person of oneself', 'xffknx', 'xffknx', 'xffkpx', 'xffkpx', 'xnnnnx', 'xffknx', 'xffknx',
    $$ select public.remove_episode_person(tests.id('show/pilot'), (select p.id from public.episode_people p
      where p.episode_id = tests.id('show/pilot') and p.user_id = auth.uid())) $$,
    $$ select tests.value_as('ola', format('select public.add_episode_person(%L, ''team'', ''Ana'', %L)',
      tests.id('show/pilot'), tests.id('ana'))) $$),
  ('set_episode_person_credit', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.set_episode_person_credit(tests.id('show/pilot'), tests.id('show/zoe')) $$, 'select'),
  ('remove_episode_person_credit', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.remove_episode_person_credit(tests.id('show/pilot'), tests.id('show/zoe')) $$, 'select'),
  ('remove_episode_person_credit of oneself', 'xffknx', 'xffknx', 'xffkpx', 'xffkpx', 'xnnnnx', 'xffknx', 'xffknx',
    $$ select public.remove_episode_person_credit(tests.id('show/pilot'), (select p.id from public.episode_people p
      where p.episode_id = tests.id('show/pilot') and p.user_id = auth.uid())) $$,
    $$ select tests.value_as('ola', format('select public.add_episode_person(%L, ''team'', ''Ana'', %L)',
      tests.id('show/pilot'), tests.id('ana'))) $$),
  ('reorder_episode_credits', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.reorder_episode_credits(tests.id('show/pilot'), array(select c.id from public.episode_credits
      c where c.episode_id = tests.id('show/pilot'))) $$, 'select'),
  ('remove_extra_tags', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.remove_extra_tags(tests.id('show'), '{rating}') $$, 'select'),
  ('set_podcast_credits', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.set_podcast_credits(tests.id('show'), '[{"name": "Ana", "roleLabel": "Host"}]') $$, 'select'),
  ('set_episode_chapters', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.set_episode_chapters(tests.id('show/pilot'), '[{"start_seconds": 0, "title": "Intro"}]') $$,
    'select'),
  ('insert automation_templates', 'xxxkkk', 'xxxkkk', 'xxxppp', 'xxxppp', 'xxxxxn', 'xxxkkk', 'xxxkkk',
    $$ insert into public.automation_templates (podcast_id, name, subject, body_text)
      values (tests.id('show'), 'New', 'Hi', 'Hi') $$, 'select'),
  ('update automation_templates', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ update public.automation_templates set name = 'New' where podcast_id = tests.id('show') $$, 'select'),
  ('delete automation_templates', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ delete from public.automation_templates where podcast_id = tests.id('show') $$, 'select'),
  ('create_automation_template', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.create_automation_template(tests.id('show'), 'New', 'Hi', body_text => 'Hi') $$, 'select'),
  ('update_automation_template', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.update_automation_template(tests.id('show/template'), '{"name": "New"}') $$, 'select'),
  ('delete_automation_template', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.delete_automation_template(tests.id('show/template')) $$, 'select'),
  ('insert automation_rules', 'xxxkkk', 'xxxkkk', 'xxxppp', 'xxxppp', 'xxxxxn', 'xxxkkk', 'xxxkkk',
    $$ insert into public.automation_rules (podcast_id, name, trigger_type, is_paused)
      values (tests.id('show'), 'New', 'episode.published', true) $$, 'select'),
  ('update automation_rules', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ update public.automation_rules set name = 'New' where podcast_id = tests.id('show') $$, 'select'),
  ('delete automation_rules', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ delete from public.automation_rules where podcast_id = tests.id('show') $$, 'select'),
  ('create_automation_rule', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.create_automation_rule(tests.id('show'), 'New', 'episode.published') $$, 'select'),
  ('update_automation_rule', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.update_automation_rule(tests.id('show/rule'), '{"actions": []}') $$, 'select'),
  ('delete_automation_rule', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.delete_automation_rule(tests.id('show/rule')) $$, 'select'),
  ('toggle_automation_rule', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.toggle_automation_rule(tests.id('show/rule')) $$, 'select'),
  ('dry_run_automation_rule', 'xffkkx', 'xffkkx', 'xffkkx', 'xffkkx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.dry_run_automation_rule(tests.id('show/rule'), episode_id => tests.id('show/pilot')) $$, 'select'),
  ('insert automation_actions', 'xxxkkk', 'xxxkkk', 'xxxppp', 'xxxppp', 'xnnnnn', 'xxxkkk', 'xxxkkk',
    $$ insert into public.automation_actions (rule_id, execution_order, action_type, action_config)
      values (tests.id('show/rule'), 9, 'send_webhook', '{"url": "https://hooks.test"}') $$, 'select'),
  ('update automation_actions', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ update public.automation_actions set continue_on_error = true where podcast_id = tests.id('show') $$, 'select'),
  ('delete automation_actions', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ delete from public.automation_actions where podcast_id = tests.id('show') $$, 'select'),
  ('rotate_webhook_secret', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.rotate_webhook_secret(tests.id('show/rule/0'), 'whsec_' || repeat('A', 32)) $$, 'select'),
  ('test_automation_action', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.test_automation_action(tests.id('show/rule/0')) $$, 'select'),
  ('retry_automation_execution', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.retry_automation_execution(tests.id('show/execution')) $$,
    -- an occurrence that still holds
    $$ with confirmed as (
        update public.bookings set status = 'confirmed', expires_at = null
        where id = tests.id('show/booking') returning id)
      update public.automation_executions e set trigger_type = 'booking.confirmed',
        context_data = e.context_data || jsonb_build_object('booking_id', b.id)
      from confirmed b where e.id = tests.id('show/execution') $$),
  ('retry_failed_automation_executions', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.retry_failed_automation_executions(tests.id('show/rule')) $$, 'select'),
  ('request_automation_address', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.request_automation_address(tests.id('show'), 'new@test.example') $$, 'select'),
  ('confirm_automation_address', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'uuuuux', 'kkkkkx', 'kkkkkx',
    $$ select public.confirm_automation_address('show-aunt') $$, 'select'),
  ('delete automation_addresses', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ delete from public.automation_addresses where podcast_id = tests.id('show') $$, 'select'),
  ('delete_automation_address', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.delete_automation_address(tests.id('show/address')) $$, 'select'),
  ('insert booking_links', 'xxxkkk', 'xxxkkk', 'xxxppp', 'xxxppp', 'xxxxxn', 'xxxkkk', 'xxxkkk',
    $$ insert into public.booking_links (podcast_id, name, timezone) values (tests.id('show'), 'New', 'UTC') $$,
      'select'),
  ('update booking_links', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ update public.booking_links set name = 'New' where id = tests.id('show/link') $$, 'select'),
  ('delete booking_links', 'x00kkk', 'x00kkk', 'x00ppp', 'x00ppp', 'x00000', 'x00kkk', 'x00kkk',
    $$ delete from public.booking_links where id = tests.id('show/link') $$, 'delete from public.bookings'),
  ('create_booking_link', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.create_booking_link(tests.id('show'), 'New', 'UTC') $$, 'select'),
  ('update_booking_link', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.update_booking_link(tests.id('show/link'), '{"name": "New"}') $$, 'select'),
  ('delete_booking_link', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.delete_booking_link(tests.id('show/link')) $$, 'delete from public.bookings'),
  ('request_booking', 'kkkkkx', 'kkkkkx', 'nnnnnx', 'nnnnnx', 'nnnnnx', 'kkkkkx', 'kkkkkx',
    $$ select public.request_booking(tests.id('show/link'), tests.slot(5), 'New', 'new@guests.example') $$, 'select'),
  ('confirm_booking', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.confirm_booking(tests.id('show/booking')) $$, 'select'),
  ('decline_booking', 'xffkkx', 'xffkkx', 'xffkkx', 'xffkkx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.decline_booking(tests.id('show/booking')) $$, 'select'),
  ('cancel_booking', 'xffkkx', 'xffkkx', 'xffkkx', 'xffkkx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.cancel_booking(tests.id('show/booking')) $$, 'select'),
  ('reschedule_booking', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.reschedule_booking(tests.id('show/booking'), tests.slot(5)) $$, 'select'),
  ('set_booking_location', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.set_booking_location(tests.id('show/booking'), '{"type": "phone", "value": "1"}') $$, 'select'),
  ('get_guest_booking', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'uuuuux', 'kkkkkx', 'kkkkkx',
    $$ select public.get_guest_booking('show/booking') $$, 'select'),
  ('verify_guest_booking', 'kkkkkx', 'kkkkkx', 'pppppx', 'pppppx', 'uuuuux', 'kkkkkx', 'kkkkkx',
    $$ select public.verify_guest_booking('show/booking') $$, 'select'),
  ('cancel_guest_booking', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'kkkkkx', 'uuuuux', 'kkkkkx', 'kkkkkx',
    $$ select public.cancel_guest_booking('show/booking') $$, 'select'),
  ('reschedule_guest_booking', 'kkkkkx', 'kkkkkx', 'pppppx', 'pppppx', 'uuuuux', 'kkkkkx', 'kkkkkx',
    $$ select public.reschedule_guest_booking('show/booking', tests.slot(5)) $$, 'select'),
  ('start_import', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffccx', 'xffccx',
    $$ select public.start_import(tests.id('show'), 'https://feeds.example/a.xml') $$, 'select'),
  ('confirm_import', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.confirm_import(tests.id('show/import')) $$,
    $$ select pg_temp.import('show', 'preview') $$),
  ('cancel_import', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.cancel_import(tests.id('show/import')) $$,
    $$ select pg_temp.import('show', 'running') $$),
  ('resume_import', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.resume_import(tests.id('show/import')) $$,
    $$ select pg_temp.import('show', 'canceled') $$),
  ('retry_failed_import_items', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.retry_failed_import_items(tests.id('show/import')) $$,
    $$ select pg_temp.import('show', 'partial') $$),
  ('retry_import_item', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.retry_import_item(tests.id('show/import'), tests.id('show/item')) $$,
    $$ select pg_temp.import('show', 'partial') $$),
  ('retry_import_files', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.retry_import_files(tests.id('show/import')) $$,
    $$ select pg_temp.import('show', 'partial') $$),
  ('get_import_switch', 'xffkkx', 'xffkkx', 'xffkkx', 'xffkkx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.get_import_switch(tests.id('show/import')) $$,
    $$ select pg_temp.import('show', 'completed') $$),
  ('begin_feed_recheck', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.begin_feed_recheck(tests.id('show/import')) $$,
    $$ select pg_temp.import('show', 'verification_required') $$),
  ('verify_import_ownership', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.verify_import_ownership(tests.id('show/import'), '123456') $$,
    $$ select tests.locked_import('show/import', 'jane@example.com', podcast => 'show'),
      tests.issue_ownership_code('show/import', '123456') $$),
  ('resend_ownership_code', 'xffkkx', 'xffkkx', 'xffppx', 'xffppx', 'xnnnnx', 'xffkkx', 'xffkkx',
    $$ select public.resend_ownership_code(tests.id('show/import')) $$,
    $$ select tests.locked_import('show/import', 'jane@example.com', podcast => 'show') $$);

create temp table statuses (n int generated always as identity, name text);
insert into statuses (name) values ('active'), ('paused'), ('pending'), ('pending_paused'), ('deleted'), ('external'),
  ('external_paused'), ('external_marked');
create temp table outcomes as
  select w.n, w.name, s.name as status,
    to_jsonb(w) ->> case s.name when 'external_marked' then 'deleted' else s.name end as expected,
    o.outcome, s.n as place
  from statuses s, (select distinct given from writes) g, jsonb_each_text(pg_temp.outcomes_of(g.given, s.name))
    o (n, outcome)
  join writes w on w.n = o.n::int;
select is(o.outcome, o.expected, format('%s of a podcast that is %s returns %s to anon, stranger, member, admin, owner '
  'and service', o.name, replace(o.status, '_', ' and '), o.expected))
from outcomes o where o.status <> 'external_marked' order by o.n, o.place;
-- An external podcast that the worker deletes next
select is_empty($$ select o.name, o.outcome, o.expected from outcomes o
  where o.status = 'external_marked' and left(o.outcome, 5) <> left(o.expected, 5)
    and o.name not in ('decline_podcast_invitation', 'accept_podcast_transfer', 'decline_podcast_transfer',
      'withdraw_podcast_transfer', 'insert episode_messages', 'insert automation_actions')
    and o.expected <> 'uuuuux' $$,
  'an external podcast that is marked is deleted for its team, and what is left of offers ends within seconds');
select is_empty($$ select o.name, o.outcome from outcomes o
  where o.status = 'external_marked' and o.outcome ~ '[kp]'
    and o.name not in ('update podcasts', 'decline_podcast_invitation', 'get_guest_episode', 'list_guest_messages',
      'decline_guest_invitation', 'get_guest_booking', 'confirm_automation_address') $$,
  'an external podcast that is marked takes no write but those by which a guest or an invited person ends something');
select set_eq($$ select w.name from writes w where w.pending like '%k%' $$, array['get_podcast_lifecycle',
    'get_import_switch', 'get_guest_episode', 'list_guest_messages', 'get_guest_booking', 'dry_run_automation_rule',
    'confirm_automation_address', 'update_deletion_redirect', 'cancel_deletion', 'delete podcast_members',
    'decline_podcast_invitation', 'withdraw_podcast_invitation', 'decline_guest_invitation',
    'remove_episode_guest of an invited one', 'delete_episode_message', 'remove_episode_person of oneself',
    'remove_episode_person_credit of oneself', 'decline_booking', 'cancel_booking', 'cancel_guest_booking'],
  'a podcast pending deletion allows to read, to change the deletion, and to end an involvement of one''s own');
select set_eq($$
  select p.proname::text from pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.provolatile = 'v'
    and p.proname <> all (array(select name from writes)) $$,
  array['check_health', 'create_podcast', 'delete_account', 'export_account', 'mark_notification_read',
    'mark_notification_unread', 'mark_all_notifications_read', 'mark_notification_group_read', 'archive_notification',
    'unarchive_notification', 'delete_notification', 'archive_notification_group', 'unarchive_all_notifications',
    'notify_chat_message', 'mark_guest_notifications_read', 'add_push_subscription', 'remove_push_subscription',
    'mute_notifications', 'unmute_notifications',
    'record_push_click', 'record_email_open', 'record_email_click', 'unsubscribe_email', 'lift_email_suppression',
    'request_email_confirmation', 'confirm_email_address', 'preview_automation_template',
    'retry_failed_deliveries', 'update_deleted_podcast_redirect', 'begin_calendar_connection',
    'remove_calendar_connection', 'select_calendars', 'retry_queue_messages', 'drop_queue_message', 'pause_queue',
    'resume_queue'],
  'every function of public that can write is tried in every status, except those that write nothing of a podcast');
select diag(format('%s outcomes: %s writes in %s statuses by 6 roles', sum(length(outcome)),
  count(distinct name), count(distinct status))) from outcomes;

select * from tests.finish();
rollback;
