-- The catalogue of notification types: each type has its texts
begin;
select tests.start();

select is_empty($$
  select t.type, part from public.notification_types t, unnest(array['title', 'body', 'action']) part
  where not exists (select from private.texts x where (x.locale, x.key) = ('en', t.type || '.' || part)) $$,
  'each notification type has a title, a body and an action');

select is_empty($$
  select t.locale, t.key from private.texts t join public.notification_types n on starts_with(t.key, n.type || '.')
  where t.key like '%.title' and not exists (
    select from private.texts b where (b.locale, b.key) = (t.locale, regexp_replace(t.key, 'title$', 'body'))) $$,
  'each title of a notification type or variant has a body');
select is_empty($$
  select t.type from public.notification_types t
  where t.asks_for_answer and not exists (
    select from pg_trigger g join pg_proc f on f.oid = g.tgfoid
    where f.proname = 'end_notifications_of_row' and g.tgtype & 16 = 16  -- update
      and starts_with(encode(g.tgargs, 'escape'), t.subject || '\000')) $$,
  'each notification type that asks for an answer has a subject, and a trigger that ends it');
select bag_eq('select type from public.notification_types where passes_quiet_hours',
  array['chat.mention', 'podcast.transfer_offered', 'podcast.deletion_scheduled'],
  'only mentions, offers of a transfer and scheduled deletions wake people');
select is_empty($$ select type from public.notification_types where required_role is null and type like 'podcast.%'
    and type not in ('podcast.member_invited', 'podcast.member_removed', 'podcast.deleted',
      'podcast.redirect_changed', 'podcast.redirect_failing') $$,
  'each type about a podcast requires a role on it, but those of an invitation, a removal, a deletion and a redirect');
select throws_ok(format($$ update public.notification_types set %s where type = 'episode.published' $$, change),
  '23514', null, format('the catalogue rejects %s', change))
from unnest(array['asks_for_answer = true', 'passes_quiet_hours = true', 'email_delay = ''1 minute''',
  'subject = ''Booking''']) change;

select * from tests.finish();
rollback;
