-- require_email: which addresses the operations that take one in accept, by the setting accepted_email_domains.
begin;
select tests.start();
select tests.person('ana'), tests.podcast('show', 'ana'), tests.episode('pilot', 'show'),
  tests.booking_link('open', 'show');

select is(private.is_public_domain(domain), is_public, format('is_public_domain of %s', to_json(domain)))
from (values ('casts.com', true), ('mail.casts.co.uk', true), ('例え.jp', true), ('xn--bcher-kva.de', true),
  ('latest', false), ('latest.com', true), ('myexample.com', true), ('example.com.au', true), ('example.fm', true),
  ('localhost', false), ('b', false), ('casts.local', false), ('casts.localhost', false), ('home.arpa', false),
  ('db.internal', false), ('a.test', false), ('a.example', false), ('a.invalid', false), ('abc.onion', false),
  ('example.com', false), ('mail.example.net', false), ('example.org', false), ('10.0.0.1', false), ('', false),
  (null, null)) v (domain, is_public);

create temp table entrances (name text, statement text);
insert into entrances values
  ('invite_guest', 'select public.invite_guest(tests.id(''pilot''), %L, ''Gus'')'),
  ('invite_podcast_member', 'select public.invite_podcast_member(tests.id(''show''), %L)'),
  ('request_automation_address', 'select public.request_automation_address(tests.id(''show''), %L)'),
  ('request_booking',
    'select public.request_booking(tests.id(''open''), now() + interval ''1 day'', ''Gus'', %L, ''UTC'')');
grant select on entrances to authenticated;
select tests.act_as('ana');
select isnt(tests.error_of(format(e.statement, e.name || '@' || domain)), 'PT400 UNDELIVERABLE_EMAIL',
  format('with accepted_email_domains any, %s accepts an address of %s', e.name, domain))
from entrances e, unnest('{example.com,casts.local,localhost}'::text[]) domain;
select tests.act_as('postgres');
select is(private.owner_email_of_channel('{"ownerEmail": "a@localhost"}'), 'a@localhost',
  'with accepted_email_domains any, an ownership code is sent to any address');
select private.set_setting('accepted_email_domains', 'public');
select tests.act_as('ana');
select is(tests.error_of(format(e.statement, 'a.' || e.name || '@' || domain)), 'PT400 UNDELIVERABLE_EMAIL',
  format('with accepted_email_domains public, %s rejects an address of %s', e.name, domain))
from entrances e, unnest('{example.com,casts.local,localhost}'::text[]) domain;
select isnt(tests.error_of(format(e.statement, 'a.' || e.name || '@casts.fm')), 'PT400 UNDELIVERABLE_EMAIL',
  format('with accepted_email_domains public, %s accepts an address of the internet', e.name)) from entrances e;
select is(tests.describe_error('select public.invite_podcast_member(tests.id(''show''), ''a@b'')'),
  'PT400 / email must be at a domain that receives email; check what follows the "@" / UNDELIVERABLE_EMAIL',
  'the error of an address that is not accepted says what to check');

select tests.act_as('postgres');
select is(private.owner_email_of_channel('{"lockedOwner": "a@localhost", "ownerEmail": "a@casts.fm"}'), 'a@casts.fm',
  'with accepted_email_domains public, no ownership code is sent to localhost');
update public.podcast_guests set display_name = 'Gus Ray' where email = 'invite_guest@example.com';
select is((select display_name from public.podcast_guests where email = 'invite_guest@example.com'), 'Gus Ray',
  'rows with an address that was accepted before stay valid');

select * from tests.finish();
rollback;
