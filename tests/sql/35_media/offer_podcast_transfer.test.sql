-- offer_podcast_transfer: the owner offers the podcast to a member.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.upload_audio('pilot', 5000);
create function pg_temp.offer(member text, caller text default 'ola') returns text language sql as $$
  select tests.result_of($2, format('select public.offer_podcast_transfer(tests.id(''show''), tests.id(%L))', $1))
$$;

select is(pg_temp.offer('vic', who), outcome, format('offer_podcast_transfer returns %s to %s', outcome, who))
from (values
  ('anon', '42501'), ('stranger', 'PT403'), ('vic', 'PT403'), ('ana', 'PT403'), ('service', '42501')) v (who, outcome);
select is(pg_temp.offer('stranger'), 'PT404', 'offer_podcast_transfer returns 404 for a user who is not a member');
select is(pg_temp.offer('ola'), 'PT409', 'offer_podcast_transfer returns 409 for the owner');

select tests.act_as('ola');
create temp table transfer as select t.* from public.offer_podcast_transfer(tests.id('show'), tests.id('vic')) t;
select is(current_setting('response.status'), '201', 'offer_podcast_transfer returns 201');
select tests.act_as('postgres');
select is(
  (select (user_id = tests.id('vic'), offered_by = tests.id('ola'), storage_bytes, status)::text from transfer),
  '(t,t,5000,pending)', 'offer_podcast_transfer records the parties and the stored bytes');
select is((select payload from private.events where type = 'podcast.transfer_offered'),
  (select jsonb_build_object('transfer_id', id, 'podcast_id', podcast_id, 'user_id', user_id, 'actor_id', offered_by)
   from transfer), 'offer_podcast_transfer records the event podcast.transfer_offered for the member');
select is((select owner_id from public.podcasts where id = tests.id('show')), tests.id('ola'),
  'offer_podcast_transfer does not change the owner');
select tests.act_as('ola');
select throws_ok($$ select public.offer_podcast_transfer(tests.id('show'), tests.id('ana')) $$, 'PT409',
  'The podcast is already offered; withdraw that offer first',
    'offer_podcast_transfer returns 409 while an offer is open');
select tests.act_as('postgres');
select tests.set_status('show', 'pending_deletion'), tests.set_status('show', 'active');
select is(pg_temp.offer('vic'), 'ok 1', 'offer_podcast_transfer accepts a podcast whose deletion was canceled');

-- Rate limit
select tests.podcast('busy', 'pat'), tests.member('paul', 'busy');
create function pg_temp.offers(times int) returns jsonb language plpgsql as $$
declare
  counts  jsonb := '{}';
  outcome text;
begin
  for n in 1 .. times loop
    outcome := tests.result_of('pat', $s$ select public.offer_podcast_transfer(tests.id('busy'), tests.id('paul')) $s$);
    counts := counts || jsonb_build_object(outcome, coalesce((counts ->> outcome)::int, 0) + 1);
    delete from public.podcast_transfers t where t.podcast_id = tests.id('busy');
  end loop;
  return counts;
end $$;
select is(pg_temp.offers(22), '{"ok 1": 20, "PT429": 2}', 'offer_podcast_transfer accepts 20 offers an hour');

select * from tests.finish();
rollback;
