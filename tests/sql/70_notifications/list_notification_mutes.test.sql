-- list_notification_mutes: order, and who may call it. unmute_notifications.test.sql has what is listed.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'ola'), tests.person('early', false);
insert into public.notification_mutes (user_id, scope, podcast_id, created_at) values
  (tests.id('ola'), 'podcast', tests.id('show'), '2026-01-01Z'),
  (tests.id('ola'), 'podcast', tests.id('other'), '2026-01-02Z');
select is((select array_agg(i.name order by m.n) from jsonb_array_elements(
    tests.value_as('ola', 'select public.list_notification_mutes()')::jsonb -> 'mutes')
    with ordinality m (mute, n) join tests.ids i on i.id = (m.mute ->> 'podcast_id')::uuid), array['other', 'show'],
  'list_notification_mutes lists the newest first');
select is(tests.result_of(who, 'select public.list_notification_mutes()'), expected,
  format('list_notification_mutes as %s', who))
from (values ('anon', '42501'), ('early', 'PT403')) v (who, expected);

select * from tests.finish();
rollback;
