-- Transfers: the owner offers, the member accepts, and no one pays for storage without agreeing to it.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.upload_audio('pilot', 5000);
create function pg_temp.offered() returns uuid language plpgsql security definer as $$
begin
  return (select t.id from public.podcast_transfers t where t.podcast_id = tests.id('show') order by t.status, t.created_at desc limit 1);
end $$;
grant execute on function pg_temp.offered to authenticated;
create function pg_temp.offer(to_name text, owner text default 'ola') returns text language sql as $$
  select tests.result_of($2, format('select public.offer_podcast_transfer(tests.id(''show''), tests.id(%L))', $1))
$$;
create function pg_temp.answer(who text, verb text) returns text language sql as $$
  select tests.result_of($1, format('select public.%s_podcast_transfer(%L)', $2, pg_temp.offered()))
$$;

-- Offering
select is(pg_temp.offer('vic', who), outcome, format('offer_podcast_transfer gives %s %s', who, outcome))
from (values ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('ana', 'PT403'), ('service', '42501')) v (who, outcome);
select is(tests.result_of('ola', $$ select public.offer_podcast_transfer(gen_random_uuid(), tests.id('vic')) $$), 'PT404', 'offer_podcast_transfer returns 404 for an unknown podcast');
select is(pg_temp.offer('stranger'), 'PT404', 'offer_podcast_transfer returns 404 for a user who is not a member');
select is(pg_temp.offer('ola'), 'PT409', 'offer_podcast_transfer returns 409 for the owner');
select tests.act_as('ola');
create temp table transfer as select t.* from public.offer_podcast_transfer(tests.id('show'), tests.id('vic')) t;
select is(current_setting('response.status'), '201', 'offer_podcast_transfer returns 201');
select tests.act_as('postgres');
select is((select (user_id = tests.id('vic'), offered_by = tests.id('ola'), storage_bytes, status)::text from transfer), '(t,t,5000,pending)', 'an offer holds the parties and the stored bytes');
select is((select payload from private.events where type = 'podcast.transfer_offered'),
  (select jsonb_build_object('transfer_id', id, 'podcast_id', podcast_id, 'user_id', user_id, 'actor_id', offered_by) from transfer), 'offer_podcast_transfer announces podcast.transfer_offered to the member');
select is((select owner_id from public.podcasts where id = tests.id('show')), tests.id('ola'), 'an offer moves nothing');
select tests.act_as('ola');
select throws_ok($$ select public.offer_podcast_transfer(tests.id('show'), tests.id('ana')) $$, 'PT409', 'The podcast is already offered; withdraw that offer first', 'offer_podcast_transfer returns 409 while an offer is open');
select tests.act_as('postgres');

-- Who reads and who answers
select is(tests.result_of(who, 'select from public.podcast_transfers'), outcome, format('%s reading transfers: %s', who, outcome))
from (values ('anon', '42501'), ('stranger', 'ok 0'), ('ana', 'ok 0'), ('vic', 'ok 1'), ('ola', 'ok 1'), ('service', 'ok 1')) v (who, outcome);
select is(pg_temp.answer(who, verb), outcome, format('%s_podcast_transfer gives %s %s', verb, who, outcome))
from unnest(array['accept', 'decline', 'withdraw']) verb, (values ('anon', '42501'), ('stranger', 'PT404'), ('ana', 'PT404'), ('service', '42501')) v (who, outcome);
select is(pg_temp.answer('vic', 'withdraw'), 'PT404', 'withdraw_podcast_transfer returns 404 to the member');
select is(pg_temp.answer('ola', verb), 'PT404', format('%s_podcast_transfer returns 404 to the owner', verb)) from unnest(array['accept', 'decline']) verb;
select is(tests.result_of('vic', format('select public.%s_podcast_transfer(gen_random_uuid())', verb)), 'PT404', verb || '_podcast_transfer returns 404 for an unknown id') from unnest(array['accept', 'decline', 'withdraw']) verb;
select is(tests.result_of('ola', statement), '42501', statement || ' is not granted') from unnest(array[
  $$ insert into public.podcast_transfers (podcast_id, user_id, offered_by) values (tests.id('show'), tests.id('vic'), tests.id('ola')) $$,
  $$ update public.podcast_transfers set status = 'accepted' $$, $$ delete from public.podcast_transfers $$]) statement;

-- Declining and withdrawing
select is(pg_temp.answer('vic', 'decline'), 'ok 1', 'decline_podcast_transfer accepts the member');
select is((select status::text from public.podcast_transfers), 'declined', 'a declined transfer is declined');
select is(pg_temp.answer('vic', verb), 'PT409', verb || '_podcast_transfer returns 409 after declining') from unnest(array['accept', 'decline']) verb;
select is(pg_temp.answer('ola', 'withdraw'), 'PT409', 'withdraw_podcast_transfer returns 409 after declining');
select is(pg_temp.offer('vic'), 'ok 1', 'a podcast is offered again after declining');
select is(pg_temp.answer('ola', 'withdraw'), 'ok 1', 'withdraw_podcast_transfer accepts the owner');
select is((select array_agg(status::text order by status) from public.podcast_transfers), '{declined,withdrawn}', 'a withdrawn transfer is withdrawn');
delete from public.podcast_transfers;

-- An offer ends with the membership of its member, with the owner's account and with the podcast's deletion
select is(pg_temp.offer('vic'), 'ok 1', 'a podcast is offered again after withdrawing');
select is(tests.result_of('vic', $$ delete from public.podcast_members where user_id = tests.id('vic') $$), 'ok 1', 'a member with an offer may leave');
select is((select status::text from public.podcast_transfers), 'ended', 'an offer ends when the member leaves the team');
select is(pg_temp.answer('vic', 'accept'), 'PT409', 'accept_podcast_transfer returns 409 after the member left the team');
select tests.member('vic', 'show');
delete from public.podcast_transfers;
select is(pg_temp.offer('vic'), 'ok 1', 'a podcast is offered to a member who came back');
update public.podcast_members set role = 'admin' where user_id = tests.id('vic');
update public.podcasts set status = 'paused' where id = tests.id('show');
select is((select status::text from public.podcast_transfers), 'pending', 'an offer stays open when the role changes or the podcast is paused');
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is((select status::text from public.podcast_transfers), 'ended', 'an offer ends when the podcast is to be deleted');
select is(pg_temp.offer('vic'), 'PT409', 'offer_podcast_transfer returns 409 while the podcast is pending deletion');
update public.podcasts set status = 'active' where id = tests.id('show');
delete from public.podcast_transfers;
select is(pg_temp.offer('vic'), 'ok 1', 'a podcast is offered after its deletion was canceled');
update public.podcasts set owner_id = tests.id('ana') where id = tests.id('show');
select is((select status::text from public.podcast_transfers), 'ended', 'an offer ends when the podcast gets another owner');
update public.podcasts set owner_id = tests.id('ola') where id = tests.id('show');
delete from public.podcast_transfers;

-- Accepting
select is(pg_temp.offer('vic'), 'ok 1', 'a podcast is offered to an admin');
select tests.episode('second', 'show'), tests.upload_audio('second', 300);
select tests.act_as('vic');
select is(public.accept_podcast_transfer(pg_temp.offered()) - 'error', '{"code": "TRANSFER_GREW", "storage_bytes": 5300}', 'accept_podcast_transfer returns the new size when the podcast has grown since the offer');
select is(current_setting('response.status'), '409', 'accept_podcast_transfer returns 409 when the podcast has grown since the offer');
select tests.act_as('postgres');
select is((select (storage_bytes, status)::text from public.podcast_transfers), '(5300,pending)', 'the offer holds the new size and stays open');
select tests.act_as('vic');
select set_config('response.status', '', true);
select is(public.accept_podcast_transfer(pg_temp.offered()) - '{id,created_at,updated_at}'::text[],
  jsonb_build_object('podcast_id', tests.id('show'), 'user_id', tests.id('vic'), 'offered_by', tests.id('ola'), 'storage_bytes', 5300, 'status', 'accepted'), 'accept_podcast_transfer returns the accepted transfer');
select tests.act_as('postgres');
select is((select jsonb_object_agg(i.name, m.role) from public.podcast_members m join tests.ids i on i.id = m.user_id where m.podcast_id = tests.id('show')),
  '{"ola":"admin","ana":"admin","vic":"owner"}', 'the member becomes the owner and the previous owner an admin');
select is((select owner_id from public.podcasts where id = tests.id('show')), tests.id('vic'), 'owner_id is the new owner');
select is((select array_agg(storage_bytes_used order by user_id = tests.id('vic')) from public.billing_accounts where user_id in (tests.id('ola'), tests.id('vic'))), '{0,5300}', 'the stored bytes move to the new owner''s account');
select is((select payload from private.events where type = 'podcast.transfer_accepted') - 'transfer_id',
  jsonb_build_object('podcast_id', tests.id('show'), 'user_id', tests.id('ola'), 'actor_id', tests.id('vic')), 'accept_podcast_transfer announces podcast.transfer_accepted to the previous owner');
select is(pg_temp.answer('vic', 'accept'), 'PT409', 'accept_podcast_transfer returns 409 the second time');

-- The new owner's allowance
delete from private.media_objects where episode_id = tests.id('second');
update private.media_objects set bytes = 1073741824 where episode_id = tests.id('pilot');
insert into private.media_objects (path, account_id, podcast_id, usage, bytes, content_type) values ('x', tests.id('ana'), gen_random_uuid(), 'cover', 1, 'image/png');
select is(pg_temp.offer('ana', 'vic'), 'ok 1', 'a podcast that does not fit the member''s allowance may be offered');
select is(tests.result_of('ana', $$ select storage_bytes from public.podcast_transfers where status = 'pending' and storage_bytes = 1073741824 $$), 'ok 1', 'the member reads what will count on the allowance');
select is(tests.result_of('ana', format('select public.accept_podcast_transfer(%L)', id)), 'PT409', 'accept_podcast_transfer returns 409 over the member''s allowance') from public.podcast_transfers where status = 'pending';
select is((select (owner_id = tests.id('vic'))::text from public.podcasts where id = tests.id('show')), 'true', 'a transfer over the allowance moves nothing');
delete from private.media_objects where path = 'x';
select is(tests.result_of('ana', format('select public.accept_podcast_transfer(%L)', id)), 'ok 1', 'accept_podcast_transfer accepts what fits to the byte') from public.podcast_transfers where status = 'pending';

-- What clients staged for the podcast counts too
select is(pg_temp.offer('vic', 'ana'), 'ok 1', 'a podcast is offered back');
insert into storage.objects (bucket_id, name, metadata) values ('staging', 'uploads/' || tests.id('show') || '/staged.mp3', '{"size": 7}');
select tests.act_as('vic');
select is(public.accept_podcast_transfer((select t.id from public.podcast_transfers t where t.status = 'pending')) - 'error',
  '{"code": "TRANSFER_GREW", "storage_bytes": 1073741831}', 'accept_podcast_transfer returns the new size when a client has staged an upload since the offer');
select tests.act_as('postgres');
select is(tests.result_of('vic', format('select public.accept_podcast_transfer(%L)', id)), 'PT409', 'accept_podcast_transfer returns 409 when stored and staged bytes exceed the member''s allowance') from public.podcast_transfers where status = 'pending';
select is((select (owner_id = tests.id('ana'))::text from public.podcasts where id = tests.id('show')), 'true', 'a transfer that staged bytes prevent moves nothing');
update storage.objects set metadata = '{"size": 0}' where bucket_id = 'staging';
select is(tests.result_of('vic', format('select public.accept_podcast_transfer(%L)', id)), 'ok 1', 'accept_podcast_transfer accepts once staged bytes fit') from public.podcast_transfers where status = 'pending';

-- 20 an hour
select tests.podcast('busy', 'pat'), tests.member('paul', 'busy');
create function pg_temp.offers(times int) returns jsonb language plpgsql as $$
declare ended jsonb := '{}'; outcome text;
begin
  for n in 1 .. times loop
    outcome := tests.result_of('pat', $s$ select public.offer_podcast_transfer(tests.id('busy'), tests.id('paul')) $s$);
    ended := ended || jsonb_build_object(outcome, coalesce((ended ->> outcome)::int, 0) + 1);
    delete from public.podcast_transfers t where t.podcast_id = tests.id('busy');
  end loop;
  return ended;
end $$;
select is(pg_temp.offers(22), '{"ok 1": 20, "PT429": 2}', 'offer_podcast_transfer accepts 20 offers an hour');

select * from tests.finish();
rollback;
