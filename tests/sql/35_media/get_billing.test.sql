-- get_billing: the caller's own account only.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.person('new', confirmed => false);
select tests.episode('pilot', 'show'), tests.upload_audio('pilot', 5000);
create function pg_temp.billing(who text) returns jsonb language sql as $$
  select tests.value_as(who, 'select public.get_billing()')::jsonb
$$;

select tests.access('get_billing', 'select public.get_billing()', '42501: anon service; PT403: new; ok 1: ana ola');
select is(pg_temp.billing('ana'), '{"planCode": "free", "planName": "Free", "isPaidPlan": false,
  "subscriptionStatus": "none", "collectionPaused": false, "cancelAtPeriodEnd": false, "currentPeriodEnd": null,
  "usedBytes": 0, "limitBytes": 1073741824}',
  'get_billing returns the free plan of an admin, not the owner''s account');
update public.billing_accounts set plan_code = 'pro', subscription_status = 'active', collection_paused = true,
  cancel_at_period_end = true, current_period_end = '2027-01-02 03:04:05Z' where user_id = tests.id('ola');
select is(pg_temp.billing('ola'), '{"planCode": "pro", "planName": "Pro", "isPaidPlan": true,
  "subscriptionStatus": "active", "collectionPaused": true, "cancelAtPeriodEnd": true,
  "currentPeriodEnd": "2027-01-02T03:04:05.000Z", "usedBytes": 5000, "limitBytes": 107374182400}',
  'get_billing returns plan, subscription and storage of the caller');
insert into private.direct_uploads (podcast_id, episode_id, staged_path, path, content_type, declared_bytes)
values (tests.id('show'), tests.id('pilot'), 'uploads/a', 'podcasts/a', 'audio/mpeg', 1);
select is(pg_temp.billing('ola') -> 'usedBytes', tests.get_storage_usage('ola') -> 'usedBytes',
  'get_billing counts the same bytes as get_storage_usage');

select * from tests.finish();
rollback;
