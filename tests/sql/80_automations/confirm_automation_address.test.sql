-- confirm_automation_address: the holder of an address agrees by the token of the email.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('theirs', 'otto');
-- An address of a podcast, with the access token `name`
create function pg_temp.address(name text, podcast text, expires_at timestamptz default 'infinity',
  kind text default 'automation_address') returns void language sql as $$
  with created as (
    insert into public.automation_addresses (podcast_id, email, requested_by)
    values (tests.id(podcast), name || '@mail.example', tests.id('ola')) returning id)
  insert into private.access_tokens (digest, kind, subject_id, expires_at)
  select sha256(convert_to(name, 'UTF8')), kind, tests.remember(name, c.id), expires_at from created c
$$;
select pg_temp.address('list', 'show'), pg_temp.address('late', 'show', now() + interval '1 day'),
  pg_temp.address('booked', 'show', kind => 'booking'), pg_temp.address('gone', 'show'),
  pg_temp.address('other', 'theirs');
delete from public.automation_addresses where id = tests.id('gone');
insert into private.access_tokens (digest, kind, subject_id, expires_at)
values (sha256('podcast'), 'automation_address', tests.id('show'), 'infinity');

create function pg_temp.confirm(token text, at timestamptz default now()) returns text language sql as $$
  select tests.describe_error(format('select private.confirm_automation_address(%L, %L)', token, at))
$$;
select is(pg_temp.confirm(token, at), 'PT401 / The link is invalid or has expired; ask the podcast for a new one',
  format('confirm_automation_address returns 401 for %s', what))
from (values ('unknown', now(), 'an unknown token'), (null, now(), 'no token'), ('', now(), 'an empty token'),
  ('booked', now(), 'a token of another kind'), ('gone', now(), 'the token of a deleted address'),
  ('podcast', now(), 'a token of another record'), ('late', now() + interval '1 day', 'an expired token'),
  (tests.id('list')::text, now(), 'the id of an address')) v (token, at, what);
select is_empty('select from public.automation_addresses where confirmed_at is not null',
  'a rejected confirm_automation_address confirms nothing');
select is(pg_temp.confirm('late', now() + interval '23:59:59'), 'none',
  'confirm_automation_address accepts a token until it expires');

select is(tests.value_as(who, $$ select public.confirm_automation_address('list') $$)::jsonb,
  jsonb_build_object('email', 'list@mail.example', 'podcast', jsonb_build_object('id', p.id, 'slug', p.slug,
    'title', 'show')), format('confirm_automation_address returns the email and the podcast to %s', who))
from unnest('{anon,otto,ola}'::text[]) who, public.podcasts p where p.id = tests.id('show');
select results_eq($$ select email from public.automation_addresses where confirmed_at is not null order by email $$,
  $$ values ('late@mail.example'), ('list@mail.example') $$,
    'confirm_automation_address confirms only the named address');
select is(private.is_automation_address(tests.id(podcast), 'list@mail.example'), expected,
  format('automations of %s may send to the confirmed address: %s', podcast, expected))
from (values ('show', true), ('theirs', false)) v (podcast, expected);
select pg_temp.confirm('list', now() + interval '1 day');
select is((select confirmed_at from public.automation_addresses where id = tests.id('list')), now(),
  'a repeated confirm_automation_address keeps the time of the first');
select tests.value_as('ola', $$ select public.delete_automation_address(tests.id('list')) $$);
select tests.value_as('ola', $$ select public.request_automation_address(tests.id('show'), 'list@mail.example') $$);
select is(pg_temp.confirm('list'), 'PT401 / The link is invalid or has expired; ask the podcast for a new one',
  'the link of a deleted address does not confirm the same address that is requested again');

-- A holder who unsubscribed
select pg_temp.address('back', 'show'), pg_temp.address('open', 'show');
create function pg_temp.state(name text) returns text language sql as $$
  select format('%s, %s, %s', a.status, coalesce(a.confirmed_at::text, 'never'),
    coalesce(string_agg(p, ' ' order by p) filter (
      where private.is_email_suppressed(a.email, 'automation.email', tests.id(p))), 'none'))
  from public.automation_addresses a cross join unnest('{show,theirs}'::text[]) p
  where a.id = tests.id(name) group by a.id
$$;
create function pg_temp.unsubscribe(name text, podcast text default null) returns void language sql as $$
  select private.suppress_email(private.email_digest(name || '@mail.example'), 'unsubscribed', 'automation.email',
    podcast_id => case when podcast is not null then tests.id(podcast) end)
$$;
select pg_temp.confirm('back', '2026-01-01Z');
select pg_temp.unsubscribe('back', 'show');
select is(pg_temp.state('back'), format('unsubscribed, %s, show', timestamptz '2026-01-01Z'),
  'an address shows that its holder unsubscribed');
select pg_temp.confirm('back', '2026-02-02Z');
select is(pg_temp.state('back'), format('confirmed, %s, none', timestamptz '2026-02-02Z'),
  'confirm_automation_address turns the emails on for a holder who unsubscribed');
select pg_temp.unsubscribe('back');
select is(pg_temp.state('back'), format('unsubscribed, %s, show theirs', timestamptz '2026-02-02Z'),
  'an address shows that its holder ended the emails of all podcasts');
select pg_temp.confirm('back', '2026-03-03Z');
select is(pg_temp.state('back'), format('confirmed, %s, theirs', timestamptz '2026-03-03Z'),
  'confirm_automation_address turns the emails of its podcast alone on for a holder who ended all');
select pg_temp.unsubscribe('open');
select is(pg_temp.state('open'), 'pending, never, show theirs',
  'an address that is not confirmed does not show what its holder told others');
select pg_temp.confirm('open', '2026-03-03Z');
select is(pg_temp.state('open'), format('confirmed, %s, theirs', timestamptz '2026-03-03Z'),
  'confirm_automation_address counts more than an earlier end of all emails');
select private.suppress_email(private.email_digest('back@mail.example'), reason)
from unnest('{bounce,complaint}'::text[]) reason;
select pg_temp.confirm('back', '2026-04-04Z');
select is(pg_temp.state('back'), format('confirmed, %s, show theirs', timestamptz '2026-03-03Z'),
  'confirm_automation_address lifts no bounce and no complaint');

-- A podcast that is being deleted
update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(), deletion_scheduled_at = now()
where id = tests.id('theirs');
select is(pg_temp.confirm('other'), 'none', 'a holder can confirm an address while the podcast is pending deletion');

select * from tests.finish();
rollback;
