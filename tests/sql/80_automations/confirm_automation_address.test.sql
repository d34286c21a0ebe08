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
update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(), deletion_scheduled_at = now()
where id = tests.id('theirs');
select is(pg_temp.confirm('other'), 'none', 'a holder can confirm an address while the podcast is pending deletion');

select * from tests.finish();
rollback;
