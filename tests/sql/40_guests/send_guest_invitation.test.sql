-- send_guest_invitation: the email with its link, 3 per episode and guest until they accept, 1 after they decline.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin');
select tests.episode('pilot', 'show'), tests.episode('second', 'show');
create function tests.invite(
  email text, episode text default 'pilot', who text default 'ana', message text default 'Do come') returns text
language plpgsql as $$
declare response jsonb;
begin
  perform tests.act_as(who);
  response := public.invite_guest(tests.id(episode), email, 'Eve', message);
  perform tests.act_as('postgres');
  return response #>> '{episodeGuest,emailStatus}';
exception when others then
  return sqlstate;
end $$;
create function pg_temp.invited(email text, episode text default 'pilot') returns public.episode_guests
language sql as $$
  select e from public.episode_guests e join public.podcast_guests g on g.id = e.podcast_guest_id
  where g.email = $1 and e.episode_id = tests.id($2) $$;
create function pg_temp.emails(email text) returns bigint language sql as $$
  select count(*) from private.delivery_addresses a where a.email = $1 $$;
-- The guest responds with a token that is the email address here.
create function pg_temp.answer(email text, verb text) returns text language plpgsql as $$
begin
  insert into private.access_tokens (digest, kind, subject_id, expires_at)
  values (sha256(convert_to(email, 'UTF8')), 'guest_invitation', (pg_temp.invited(email)).id, 'infinity')
  on conflict do nothing;
  return tests.result_of('anon', format('select public.%I(%L)', verb, email));
end $$;

select is(tests.invite('eve@test.example'), 'queued', 'invite_guest returns that the email is queued');
select results_eq($$ select a.email, a.name, a.title, a.url, a.is_essential, a.sender_id, a.access - 'expires_at',
    (a.access ->> 'expires_at')::timestamptz, a.subject from private.delivery_addresses a $$,
  $$ select 'eve@test.example', 'Eve', 'Guest invitation from show', 'https://casts.test/functions/v1/public/guest',
    true, tests.id('ana'), jsonb_build_object('kind', 'guest_invitation', 'subject_id', i.id),
    date_trunc('milliseconds', now() + interval '90 days'), jsonb_build_object('table', 'episode_guests', 'id', i.id)
    from pg_temp.invited('eve@test.example') i $$,
  'the email of an invitation has a link that opens it for 90 days, and names its sender');
select matches((select body from private.delivery_addresses), '^Ana has invited you .*“pilot”.* show.*> Do come$',
  'the email of an invitation says who invited, to what, and quotes the message');
select is(tests.invite('eve@test.example'), 'PT429', 'invite_guest returns 429 while the last email is on its way');
select tests.send_emails();
select is((pg_temp.invited('eve@test.example')).email_status::text, 'sent',
  'an episode guest shows that the email was sent');

-- per episode
select is(tests.invite('eve@test.example'), 'queued', 'invite_guest sends a second email');
select tests.send_emails();
select is(tests.invite('eve@test.example', who => 'ola'), 'queued', 'invite_guest sends a third email');
select tests.send_emails();
select is(tests.invite('eve@test.example'), 'PT429',
  'invite_guest returns 429 for a fourth email to a guest of an episode in 30 days');
select is(tests.invite('eve@test.example', 'second'), 'queued', 'each episode has its own number of invitation emails');
select is(pg_temp.emails('eve@test.example'), 4::bigint, 'an invitation that returns 429 sends nothing');

-- answers
select is(pg_temp.answer('eve@test.example', 'accept_guest_invitation'), 'ok 1', 'a guest accepts the invitation');
select is(tests.invite('eve@test.example'), 'queued',
  'accepting an invitation resets its number of emails, so that an active guest gets another link');
select is((pg_temp.invited('eve@test.example')).status::text, 'active', 'inviting an active guest keeps the status');
select tests.send_emails();
select is(pg_temp.answer('eve@test.example', 'decline_guest_invitation'), 'ok 1', 'an active guest can decline');
select is(tests.invite('eve@test.example'), 'queued', 'a guest who declined gets one more email for the episode');
select tests.send_emails();
select is(pg_temp.answer('eve@test.example', 'decline_guest_invitation'), 'ok 1', 'a guest can decline again');
select is(tests.invite('eve@test.example'), 'PT429',
  'a guest who declined twice gets no further email for the episode');

-- Strangers do not silence a team
select private.set_setting('max_emails_from_strangers_per_day', '3');
select tests.podcast('p' || n, 'olaf' || n), tests.episode('e' || n, 'p' || n) from generate_series(1, 3) n;
select is(tests.invite('gus@test.example', 'e' || n, 'olaf' || n), 'queued', 'a stranger invites the guest: ' || n)
from generate_series(1, 3) n;
select is(tests.invite('gus@test.example'), 'waiting',
  'invite_guest returns that the email waits if many wrote to the guest');
select is((pg_temp.invited('gus@test.example')).email_due_at, now() + interval '1 day',
  'an email that waits is sent the next day');
select is(tests.invite('gus@test.example'), 'PT429', 'invite_guest returns 429 while the email waits');

-- at the attempt
create function pg_temp.problem(email text) returns text language sql as $$
  select private.email_problem(d, a.email, now()) from public.notification_deliveries d
  join private.delivery_addresses a on a.delivery_id = d.id
  where a.email = $1 order by d.created_at desc, d.id desc limit 1 $$;
select is(tests.invite('ida@test.example', message => null), 'queued', 'invite_guest needs no message');
select unalike((select body from private.delivery_addresses where email = 'ida@test.example'), '%> %',
  'the email of an invitation without a message quotes none');
select is(pg_temp.problem('ida@test.example'), null, 'the email of an open invitation may be sent');
select tests.set_status('show', 'pending_deletion');
select is(pg_temp.problem('ida@test.example'), 'The invitation is no longer open',
  'the email of a guest invitation is not sent while the podcast is pending deletion');
select tests.set_status('show', 'active');
select private.suppress_email(private.email_digest('ida@test.example'), 'bounce');
select is(pg_temp.problem('ida@test.example'), 'The address is suppressed',
  'the email of a guest invitation is not sent to an address that bounced');
delete from private.email_suppressions;
update public.episode_guests set status = 'removed' where id = (pg_temp.invited('ida@test.example')).id;
select is(pg_temp.problem('ida@test.example'), 'The invitation is no longer open',
  'the email of a guest invitation is not sent to a removed guest');

-- A stranger's texts
update public.podcasts set title = 'Win at https://evil.example' where id = tests.id('show');
update public.episodes set title = 'www.evil.example' where id = tests.id('pilot');
update public.profiles set display_name = 'PayPal https://evil.example' where id = tests.id('ana');
select is(tests.invite('kim@test.example', message => 'Log in at https://evil.example/login'), 'queued',
  'invite_guest accepts names and messages with links');
select is((select title from private.delivery_addresses where email = 'kim@test.example'),
  'Guest invitation from Win at', 'the subject of a guest invitation has no links');
select unalike((select body from private.delivery_addresses where email = 'kim@test.example'), '%://evil.example%',
  'the email of a guest invitation has no text that email programs link');
select alike((select translate(body, U&'\2060', '') from private.delivery_addresses where email = 'kim@test.example'),
  '%> Log in at https://evil.example/login', 'the links of a message stay readable');
update public.podcasts set title = 'https://evil.example' where id = tests.id('show');
select is(tests.invite('lea@test.example'), 'queued', 'invite_guest accepts a podcast whose title is a link');
select is((select title from private.delivery_addresses where email = 'lea@test.example'),
  'Guest invitation from a podcast', 'the subject of a guest invitation names no podcast whose title is a link');

select * from tests.finish();
rollback;
