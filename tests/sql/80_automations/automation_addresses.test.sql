-- Addresses that agreed to the emails of a podcast's automations: the table, its readers and writers.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'),
  tests.podcast('theirs', 'otto'), tests.podcast('leaving', 'ola'), tests.episode('pilot', 'show'),
  tests.guest('gus', 'pilot', 'declined');
insert into public.automation_addresses (podcast_id, email, requested_by, confirmed_at) values
  (tests.id('show'), 'list@mail.example', tests.id('ada'), now()),
  (tests.id('show'), 'asked@mail.example', tests.id('ada'), null),
  (tests.id('leaving'), 'last@mail.example', tests.id('ola'), null);

-- Who
select tests.access('reading addresses',
  $$ select from public.automation_addresses where podcast_id = tests.id('show') $$,
  '42501: anon; ok 0: otto vic; ok 2: ada ola service');
select tests.access('deleting an address',
  $$ delete from public.automation_addresses where email = 'asked@mail.example' $$,
  '42501: anon; ok 0: otto vic; ok 1: ada');
select is(tests.result_of(who, $$ delete from public.automation_addresses where ctid = (
  select min(ctid) from public.automation_addresses) $$), 'ok 1', format('%s deletes an address', who))
from unnest('{ola,service}'::text[]) who;
insert into public.automation_addresses (podcast_id, email, requested_by, confirmed_at)
values (tests.id('show'), 'list@mail.example', tests.id('ada'), now());

-- Rows
select throws_ok(format($$ insert into public.automation_addresses (podcast_id, email) values (tests.id('show'), %L) $$,
  email), state, null, format('the address %L gives %s', email, state))
from (values ('list@mail.example', '23505'), ('list', '23514'), ('List <list@mail.example>', '23514'),
  ('a@mail.example, b@mail.example', '23514'), ('', '23514')) v (email, state);
select lives_ok($$ insert into public.automation_addresses (podcast_id, email)
  values (tests.id('theirs'), 'list@mail.example') $$, 'two podcasts may have the same address');
insert into public.automation_addresses (podcast_id, email)
select tests.id('show'), n || '@mail.example' from generate_series(2, 50) n;
select is(tests.describe_error($$ insert into public.automation_addresses (podcast_id, email)
    values (tests.id('show'), '51@mail.example') $$),
  'PT409 / A podcast can have at most 50 addresses for automations; delete one first / TOO_MANY_AUTOMATIONS',
  'a podcast has at most 50 addresses');

-- Holders who unsubscribe and return, for one podcast or all
insert into public.automation_addresses (podcast_id, email, confirmed_at) values
  (tests.id('theirs'), '2@mail.example', now());
update public.automation_addresses set confirmed_at = now() where email in ('2@mail.example', '3@mail.example');
create function pg_temp.unsubscribed() returns text language sql as $$
  select coalesce(string_agg(concat_ws(' ', split_part(a.email, '@', 1), i.name, a.unsubscribed_at::date), ', '
    order by a.email, i.name), 'none')
  from public.automation_addresses a join tests.ids i on i.id = a.podcast_id where a.status = 'unsubscribed'
$$;
create function pg_temp.unsubscribed_after(statement text) returns text language plpgsql as $$
begin
  execute format('select private.%s', replace(statement, 'two', $q$private.email_digest('2@mail.example')$q$));
  return pg_temp.unsubscribed();
end $$;
select is(pg_temp.unsubscribed_after(statement), expected, format('%s shows as unsubscribed: %s', what, expected))
from (values
  ($$suppress_email(two, 'unsubscribed', 'automation.email', podcast_id => tests.id('show'), at => '2026-01-01Z')$$,
    '2 show 2026-01-01', 'an address whose holder ended the emails of its podcast'),
  ($$suppress_email(two, 'unsubscribed', 'automation.email', at => '2026-02-02Z')$$,
    '2 show 2026-01-01, 2 theirs 2026-02-02', 'an address whose holder ended the emails of all podcasts'),
  ($$lift_unsubscription(two, 'automation.email', tests.id('show'))$$, '2 theirs 2026-02-02',
    'an address whose holder wants the emails of another podcast'),
  ($$lift_unsubscription(two, 'automation.email')$$, 'none', 'an address whose holder wants emails again'),
  ($$suppress_email(two, 'unsubscribed', 'chat.message')$$, 'none', 'an address whose holder ended other emails'),
  ($$suppress_email(two, 'complaint')$$, 'none', 'an address whose holder complained')) v (statement, expected, what);
select throws_ok($$ update public.automation_addresses set confirmed_at = null, unsubscribed_at = now() $$, '23514',
  null, 'an address that is not confirmed is not unsubscribed');
select pg_temp.unsubscribed_after($$suppress_email(two, 'unsubscribed', 'automation.email')$$);
select is(private.is_automation_address(tests.id('show'), '2@mail.example'), true,
  'a rule may name an address whose holder unsubscribed, so that it can be saved');
select public.lift_email_suppression('2@mail.example');
select is(pg_temp.unsubscribed(), 'none', 'lift_email_suppression makes an address confirmed again');
delete from public.automation_addresses where email in ('2@mail.example', '3@mail.example');
insert into public.automation_addresses (podcast_id, email) values (tests.id('show'), '2@mail.example');

-- To whom automations may send
create function pg_temp.may_send(email text, podcast text default 'show') returns boolean language sql as $$
  select private.is_automation_address(tests.id(podcast), email)
$$;
select is(pg_temp.may_send(email, podcast), expected, format('automations of %s may send to %s: %s', podcast, email,
  expected))
from (values ('list@mail.example', 'show', true), (' LIST@mail.example', 'show', true), ('2@mail.example', 'show',
  false),
  ('list@mail.example', 'theirs', false), ('gus@test.example', 'show', false),
  ('vic@test.example', 'show', true), ('otto@test.example', 'show', false), ('otto@test.example', 'theirs', true))
  v (email, podcast, expected);
delete from public.podcast_members where user_id = tests.id('vic');
select is(pg_temp.may_send('vic@test.example'), false, 'automations may not send to a member who left');
create function pg_temp.podcasts_that_may_send(answer text) returns text language sql as $$
  update public.episode_guests e set status = answer::public.episode_guest_status from public.podcast_guests g
  where g.id = e.podcast_guest_id and g.email = 'gus@test.example';
  select coalesce(string_agg(p, ' '), 'none') from unnest('{show,theirs}'::text[]) p
  where pg_temp.may_send('gus@test.example', p);
$$;
select is(pg_temp.podcasts_that_may_send(status), expected, format('automations of %s may send to a guest %s', expected,
  status)) from (values ('invited', 'none'), ('active', 'show'), ('declined', 'none'), ('removed', 'none'))
  v (status, expected);
delete from auth.users where id = tests.id('ada');
select is((select count(*) from public.automation_addresses where email = 'list@mail.example' and requested_by is null
  and confirmed_at is not null), 1::bigint, 'an address stays when the account that requested it is deleted');

select * from tests.finish();
rollback;
