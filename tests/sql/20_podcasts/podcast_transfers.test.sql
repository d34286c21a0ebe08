-- The table podcast_transfers: who reads it, and when an offer ends by itself.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.transfer('show', 'vic');
create function pg_temp.status() returns text language sql as $$
  select t.status::text from public.podcast_transfers t where t.id = tests.id('show/transfer')
$$;

-- Who
select tests.access('reading podcast_transfers', 'select from public.podcast_transfers',
  '42501: anon; ok 0: stranger ana; ok 1: vic ola service');

-- After
update public.podcast_members set role = 'admin' where user_id = tests.id('vic');
select tests.set_status('show', 'paused');
select is(pg_temp.status(), 'pending', 'an offer stays open when the member''s role changes and the podcast is paused');
select is(tests.result_of('vic', $$ delete from public.podcast_members where user_id = tests.id('vic') $$), 'ok 1',
  'a member with an offer may leave the team');
select is(pg_temp.status(), 'ended', 'an offer ends when the member leaves the team');
select is(tests.result_of('vic', $$ select public.accept_podcast_transfer(tests.id('show/transfer')) $$), 'PT409',
  'accept_podcast_transfer returns 409 after the member left the team');
select tests.member('vic', 'show'), tests.transfer('show', 'vic'), tests.set_status('show', 'pending_deletion');
select is(pg_temp.status(), 'ended', 'an offer ends when the podcast is pending deletion');
select tests.set_status('show', 'active'), tests.transfer('show', 'vic');
update public.podcasts set owner_id = tests.id('ana') where id = tests.id('show');
select is(pg_temp.status(), 'ended', 'an offer ends when the podcast gets another owner');

select * from tests.finish();
rollback;
