-- send_podcast_invitation: the notice and the email of an invitation, its limits, its state, and blocks.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.person('eve'), tests.member('ana', 'show', 'admin');
create function pg_temp.emails(email text default 'eve@test.example') returns bigint language sql as $$
  select count(*) from private.delivery_addresses a where a.email = emails.email $$;
create function pg_temp.state(name text) returns text language sql as $$
  select concat_ws(' ', i.email_status, private.format_timestamp(i.email_due_at))
  from public.podcast_invitations i where i.id = tests.id(name) $$;
create function pg_temp.resend(who text, name text) returns text language sql as $$
  select tests.result_of(who, format('select public.resend_podcast_invitation(tests.id(%L))', name)) $$;

select tests.invitation('show', 'eve@test.example', 'ola');
select is(pg_temp.state('show/eve@test.example'), 'queued', 'an invitation shows that its email is queued');
select results_eq($$ select n.title, n.link from public.notifications n where n.user_id = tests.id('eve') $$,
  $$ values ('Join the team of show', '/invitations/' || tests.id('show/eve@test.example')) $$,
  'an invitation of an address with an account shows in the app');
select results_eq($$ select email, title, url, is_essential, sender_id, subject from private.delivery_addresses $$,
  $$ values ('eve@test.example', 'Join the team of show',
    'https://casts.test/invitations/' || tests.id('show/eve@test.example'), true, tests.id('ola'),
    jsonb_build_object('table', 'podcast_invitations', 'id', tests.id('show/eve@test.example'))) $$,
  'the email of an invitation leads to the invitation, and names its sender');
select matches((select body from private.delivery_addresses), '^Ola has invited you .* eve@test.example, .* until ',
  'the email of an invitation says who invited, which address to use, and until when');
select is(pg_temp.resend('ana', 'show/eve@test.example'), 'PT429',
  'resend_podcast_invitation returns 429 while the last email is on its way');
select tests.send_emails();
select is(pg_temp.state('show/eve@test.example'), 'sent', 'an invitation shows that its email was sent');

-- 3 emails per podcast and address in 30 days
select is(pg_temp.resend('ana', 'show/eve@test.example'), 'ok 1', 'resend_podcast_invitation sends a second email');
select tests.send_emails();
select is(pg_temp.resend('ola', 'show/eve@test.example'), 'ok 1', 'resend_podcast_invitation sends a third email');
select tests.send_emails();
select is(pg_temp.resend('ana', 'show/eve@test.example'), 'PT429',
  'resend_podcast_invitation returns 429 for a fourth email to an address in 30 days');
select is(pg_temp.emails(), 3::bigint, 'a podcast sends at most 3 invitation emails to one address in 30 days');
select is((select count(*) from public.notifications where user_id = tests.id('eve')), 1::bigint,
  'a resent invitation shows in the app once');
create function pg_temp.notices(name text) returns text language sql as $$
  select string_agg(case when n.read_at is null then 'unread' else 'read' end, ' ' order by n.created_at, n.read_at)
  from public.notifications n where n.group_key = 'podcast_invitation:' || tests.id(name) $$;
select tests.person('nia'), tests.invitation('show', 'nia@test.example', 'ola'), tests.send_emails();
update public.podcast_invitations set expires_at = now() where id = tests.id('show/nia@test.example');
select is(pg_temp.resend('ola', 'show/nia@test.example'), 'ok 1',
  'resend_podcast_invitation resends an invitation that expired');
select is(pg_temp.notices('show/nia@test.example'), 'read unread',
  'an invitation that is resent after it expired notifies again, and its first notification is read');
select tests.send_emails();
select is(pg_temp.resend('ola', 'show/nia@test.example'), 'ok 1',
  'resend_podcast_invitation resends an invitation that was renewed');
select is(pg_temp.notices('show/nia@test.example'), 'read unread',
  'an invitation that is resent again before it expires notifies once');
select is(tests.result_of('ana', $$ select public.withdraw_podcast_invitation(tests.id('show/eve@test.example')) $$),
  'ok 1', 'withdraw_podcast_invitation accepts an admin');
select is(tests.result_of('ana', $$ select public.invite_podcast_member(tests.id('show'), 'eve@test.example') $$),
  'PT429', 'the email limit of a podcast and address includes the emails of withdrawn invitations');
select lives_ok($$ select tests.invitation('show', 'fay@test.example', 'ana') $$,
  'the email limit of a podcast and address leaves other addresses untouched');

-- Strangers
select private.set_setting('max_emails_from_strangers_per_day', '4');
select tests.podcast('p' || n, 'olaf' || n), tests.invitation('p' || n, 'eve@test.example', 'olaf' || n)
from generate_series(1, 2) n;
select is(pg_temp.state('p1/eve@test.example'), 'queued', 'other podcasts'' invitations do not delay a day''s first');
select is(pg_temp.state('p2/eve@test.example'), 'waiting ' || private.format_timestamp(now() + interval '1 day'),
  'an invitation to an address that got many emails waits for the next day, and shows it');
select is((select count(*) from public.notifications where user_id = tests.id('eve')
    and metadata ->> 'invitation_id' = tests.id('p2/eve@test.example')::text and scheduled_for is null), 1::bigint,
  'an invitation whose email waits shows in the app at once');
select is(tests.error_of($$ select tests.act_as('olaf2'),
    private.resend_podcast_invitation(tests.id('p2/eve@test.example')) $$), 'PT429 RATE_LIMITED',
  'resend_podcast_invitation returns 429 while the email waits');
select tests.act_as('postgres'), tests.send_emails();

-- joining resets the podcast's count
select is(tests.result_of('eve', $$ select public.accept_podcast_invitation(tests.id('p1/eve@test.example')) $$),
  'ok 1', 'accept_podcast_invitation accepts an invitation');
select is_empty($$ select from private.rate_limits
    where key = private.podcast_invitation_email_key(tests.id('p1'), 'eve@test.example') $$,
  'joining the team resets the number of invitation emails');

-- blocked
select is(tests.result_of('eve', $$ select public.decline_podcast_invitation(tests.id('p2/eve@test.example'),
  block => true) $$), 'ok 1', 'decline_podcast_invitation accepts block');
select tests.invitation('p2', 'eve@test.example', 'olaf2');
select is(pg_temp.state('p2/eve@test.example'), 'suppressed',
  'an invitation to an address that blocked the podcast shows that the address gets no email');
select is((select count(*) from private.delivery_addresses where subject ->> 'id'
    = tests.id('p2/eve@test.example')::text), 0::bigint,
  'an address that blocked the podcast gets no invitation email');
select is((select count(*) from public.notifications
    where metadata ->> 'invitation_id' = tests.id('p2/eve@test.example')::text), 0::bigint,
  'an invitation after a block does not show in the app');
select is(tests.result_of('eve', $$ select from public.podcast_invitations where podcast_id = tests.id('p2')
  and status = 'pending' $$), 'ok 0', 'an invitation after a block is not shown to its recipient');
select is(tests.result_of('eve', $$ select public.accept_podcast_invitation(tests.id('p2/eve@test.example')) $$),
  'PT404', 'an invitation after a block cannot be accepted');
select is(tests.result_of('eve', format('select public.decline_podcast_invitation(%L)', i.id)), 'ok 1',
  'decline_podcast_invitation accepts an invitation that is already declined')
from public.podcast_invitations i where i.podcast_id = tests.id('p2') and i.status = 'declined';
select is(tests.result_of('eve', $$ select from public.podcast_invitations where podcast_id = tests.id('p2')
  and status = 'pending' $$), 'ok 1', 'decline_podcast_invitation without block lifts an earlier block');
select is(tests.result_of('olaf2', $$ select public.withdraw_podcast_invitation(tests.id('p2/eve@test.example')) $$),
  'ok 1', 'withdraw_podcast_invitation accepts an invitation');
select is(tests.result_of('eve', $$ select public.decline_podcast_invitation(tests.id('p2/eve@test.example'), true) $$),
  'ok 1', 'a withdrawn invitation still lets its recipient block the podcast');
select isnt((select blocked_at from private.podcast_invitation_blocks where podcast_id = tests.id('p2')), null,
  'decline_podcast_invitation records the block of a withdrawn invitation');

-- at the attempt
create function pg_temp.problem() returns text language sql as $$
  select private.email_problem(d, a.email, now()) from public.notification_deliveries d
  join private.delivery_addresses a on a.delivery_id = d.id
  where a.subject ->> 'id' = tests.id('show/gil@test.example')::text order by d.created_at desc, d.id desc limit 1 $$;
select tests.invitation('show', 'gil@test.example', 'ola');
select is(pg_temp.problem(), null, 'the email of an open invitation may be sent');
select tests.set_status('show', 'pending_deletion');
select is(pg_temp.problem(), 'The invitation is no longer open',
  'the email of an invitation is not sent while the podcast is pending deletion');
select tests.set_status('show', 'paused');
select private.suppress_email(private.email_digest('gil@test.example'), 'complaint');
select is(pg_temp.problem(), 'The address is suppressed',
  'the email of an invitation is not sent to an address that complained');
delete from private.email_suppressions;
update public.podcast_invitations set expires_at = now() where id = tests.id('show/gil@test.example');
select is(pg_temp.problem(), 'The invitation is no longer open',
  'the email of an invitation is not sent once it has expired');
update public.podcast_invitations set expires_at = now() + interval '1 day'
where id = tests.id('show/gil@test.example');
select is(tests.result_of('ola', $$ select public.withdraw_podcast_invitation(tests.id('show/gil@test.example')) $$),
  'ok 1', 'withdraw_podcast_invitation accepts the owner');
select is(pg_temp.problem(), 'The invitation is no longer open',
  'the email of an invitation is not sent once it is withdrawn');
update public.podcasts set language = 'de-AT' where id = tests.id('show');
select tests.invitation('show', 'hal@test.example', 'ola');
select is((select title from private.delivery_addresses where email = 'hal@test.example'),
  'Einladung ins Team von show', 'an address without an account gets the email in the podcast''s language');

-- A stranger's texts
update public.podcasts set title = 'URGENT: verify at https://evil.example now', language = 'en'
where id = tests.id('show');
update public.profiles set display_name = 'Stripe Support https://evil.example/login' where id = tests.id('ola');
select tests.invitation('show', 'ivy@test.example', 'ola');
select is((select title from private.delivery_addresses where email = 'ivy@test.example'),
  'Join the team of URGENT: verify at now', 'the subject of an invitation has no links of the podcast''s title');
select is((select count(*) from private.delivery_addresses a where a.email = 'ivy@test.example'
    and concat_ws(' ', a.title, a.body, a.podcast_title) ~ 'evil'), 0::bigint,
  'the email of an invitation has no links of names and titles');

select * from tests.finish();
rollback;
