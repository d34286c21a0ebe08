-- show_email_status: the record of an email shows its last delivery.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.invitation('show', 'eve@test.example', 'ola');
create function pg_temp.state() returns text language sql as $$
  select concat_ws(' ', i.email_status, private.format_timestamp(i.email_due_at)) from public.podcast_invitations i $$;
create function pg_temp.email(delivery_status public.delivery_status, due_at timestamptz default now()) returns text
language sql as $$
  update public.notification_deliveries d set status = delivery_status, due_at = email.due_at
  where d.id in (select a.delivery_id from private.delivery_addresses a where a.subject is not null);
  select pg_temp.state();
$$;

select is(pg_temp.state(), 'queued', 'a record shows a delivery that is due as queued');
select is(pg_temp.email('pending', '2050-01-01Z'), 'waiting 2050-01-01T00:00:00.000Z',
  'a record shows when a delivery that waits is due');
select is(pg_temp.email('queued', '2050-01-01Z'), 'waiting 2050-01-01T00:00:00.000Z',
  'queuing a delivery leaves its record alone, because others may have locked it');
select is(pg_temp.email(status::public.delivery_status), expected, format('a record shows a delivery %s as %s', status,
  expected))
from (values ('sent', 'sent'), ('delivered', 'delivered'), ('opened', 'delivered'),
  ('clicked', 'delivered'), ('bounced', 'bounced'), ('failed', 'failed'), ('pending', 'queued'),
  ('canceled', 'canceled')) v (status, expected);

-- the address gets no emails
select tests.invitation('show', 'fay@test.example', 'ola');
select private.suppress_email(private.email_digest('fay@test.example'), 'complaint');
update public.notification_deliveries d set status = 'canceled'
where d.id in (select a.delivery_id from private.delivery_addresses a where a.email = 'fay@test.example');
select is((select email_status::text from public.podcast_invitations where email = 'fay@test.example'), 'suppressed',
  'a record shows a canceled delivery to a suppressed address as suppressed');

-- the last delivery counts
select tests.send_emails(), tests.invitation('show', 'gil@test.example', 'ola'), tests.send_emails();
select is(tests.result_of('ola', $$ select public.resend_podcast_invitation(tests.id('show/gil@test.example')) $$),
  'ok 1', 'resend_podcast_invitation sends another email');
update public.notification_deliveries d set status = 'bounced' where d.status = 'sent';
select is((select email_status::text from public.podcast_invitations where email = 'gil@test.example'), 'queued',
  'a record does not show what becomes of an earlier delivery');

-- who caused it
select private.record_email_outcome(a.sender_id, a.email, 'bounce', now()) from private.delivery_addresses a;
select is((select count(*) from private.email_recipients where sender_id = tests.id('ola') and bounced_at is not null),
  3::bigint, 'the bounces of invitations count for their sender');

-- subjects
select throws_ok(format($$ select private.notify('guest.invited', '[{"email": "a@test.example", "subject": %s}]',
  jsonb_build_object('podcast_id', tests.id('show'))) $$, subject), null, null, 'a subject cannot name ' || title)
from (values ('{"table": "nowhere", "id": "8f9b1f4e-0000-4000-8000-000000000000"}', 'an unknown table')
) v (subject, title);
select private.notify('guest.invited', jsonb_build_array(jsonb_build_object('email', 'a@test.example',
  'subject', subject::jsonb)), '{}')
from unnest(array['{"table": "a b", "id": "8f9b1f4e-0000-4000-8000-000000000000"}', '{"table": "podcasts", "id": "x"}',
  '{"table": "podcasts"}', '[]']) subject;
select is((select sum(invalid_count) from private.events), 4::bigint,
  'notify counts recipients with a malformed subject as invalid');

-- titles of emails to strangers
select is_empty($$
  select t.locale, t.key, m.name from private.texts t
  join public.notification_types k on (k.channels = '{}' or exists (
      select from private.texts a where a.key = k.type || '.address.title'))
    and k.type <> 'automation.email'  -- a template of the podcast
    and (t.key = k.type || '.title' or t.key like k.type || '.address%.title')
  cross join lateral (select (regexp_matches(t.text, '\{(\w+)\}', 'g'))[1]) m (name)
  where m.name <> 'podcast' and not (t.key = k.type || '.title' and exists (
    select from private.texts o where o.locale = t.locale and o.key like k.type || '.address%.title')) $$,
  'the subject of an email to an address names nothing but the podcast');

select * from tests.finish();
rollback;
