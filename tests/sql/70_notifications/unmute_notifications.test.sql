-- unmute_notifications and list_notification_mutes: the caller's own mutes.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('mia', 'show'), tests.episode('pilot', 'show');
select tests.act_as('mia');
select is((public.mute_notifications('chat', episode_id => tests.id('pilot')) -> 'mute') - '{id,created_at}'::text[],
  jsonb_build_object('scope', 'chat', 'podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'),
    'muted_until', null, 'mutes_mentions', false), 'mute_notifications returns the mute');
select is(current_setting('response.status'), '201', 'mute_notifications of something new is 201');
select public.mute_notifications('chat', episode_id => tests.id('pilot'), mutes_mentions => true) is not null;
select is(current_setting('response.status'), '200', 'mute_notifications of something muted is 200');
select is(public.list_notification_mutes() #> '{mutes,0,mutes_mentions}', 'true', 'list_notification_mutes lists it');
select is(jsonb_array_length(public.list_notification_mutes() -> 'mutes'), 1, 'list_notification_mutes lists it once');
create temp table mine as select (public.list_notification_mutes() #>> '{mutes,0,id}')::uuid as id;
select tests.act_as('postgres');
grant select on mine to anon, authenticated;
select is(tests.result_of(who, 'select public.unmute_notifications(id) from mine'), expected,
  format('unmute_notifications as %s', who))
from (values ('anon', '42501'), ('ola', 'PT404'), ('mia', 'ok 1'), ('mia', 'PT404')) v (who, expected);
select is(tests.value_as('mia', 'select public.list_notification_mutes()')::jsonb, '{"mutes": []}',
  'an ended mute is not listed');
insert into public.notification_mutes (user_id, scope, podcast_id, muted_until)
values (tests.id('mia'), 'podcast', tests.id('show'), now());
select is(tests.value_as('mia', 'select public.list_notification_mutes()')::jsonb, '{"mutes": []}',
  'a mute whose time is over is not listed');

select * from tests.finish();
rollback;
