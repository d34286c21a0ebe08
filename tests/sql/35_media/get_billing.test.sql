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
  "usedBytes": 0, "limitBytes": 1073741824, "price": null, "offers": []}',
  'get_billing returns the free plan of an admin, not the owner''s account');
update public.billing_accounts set plan_code = 'pro', subscription_status = 'active', collection_paused = true,
  cancel_at_period_end = true, current_period_end = '2027-01-02 03:04:05Z' where user_id = tests.id('ola');
select is(pg_temp.billing('ola'), '{"planCode": "pro", "planName": "Pro", "isPaidPlan": true,
  "subscriptionStatus": "active", "collectionPaused": true, "cancelAtPeriodEnd": true,
  "currentPeriodEnd": "2027-01-02T03:04:05.000Z",
  "usedBytes": 5000, "limitBytes": 107374182400, "price": null, "offers": []}',
  'get_billing returns plan, subscription and storage of the caller');
insert into private.direct_uploads (podcast_id, episode_id, staged_path, path, content_type, declared_bytes)
values (tests.id('show'), tests.id('pilot'), 'uploads/a', 'podcasts/a', 'audio/mpeg', 1);
select is(pg_temp.billing('ola') -> 'usedBytes', tests.get_storage_usage('ola') -> 'usedBytes',
  'get_billing counts the same bytes as get_storage_usage');

-- offers, and the price of the account
insert into public.plans (code, name, is_paid, storage_gb_per_account) values ('plus', 'Plus', true, 20);
select private.offer_plan_price('price_year', 'pro', 'year', 'eur', 15000),
  private.offer_plan_price('price_usd', 'pro', 'month', 'usd'),
  private.offer_plan_price('price_first', 'pro', 'month', 'eur', 1200),
  private.offer_plan_price('price_month', 'pro', 'month', 'eur', 1500),
  private.offer_plan_price('price_plus', 'plus', 'year', 'usd', 900);
select is(pg_temp.billing('ana') -> 'offers', '[
  {"planCode": "plus", "planName": "Plus", "interval": "year", "currency": "usd", "unitAmount": 900, "storageGb": 20},
  {"planCode": "pro", "planName": "Pro", "interval": "month", "currency": "eur", "unitAmount": 1500, "storageGb": 100},
  {"planCode": "pro", "planName": "Pro", "interval": "month", "currency": "usd", "unitAmount": null, "storageGb": 100},
  {"planCode": "pro", "planName": "Pro", "interval": "year", "currency": "eur", "unitAmount": 15000, "storageGb": 100}
]', 'get_billing lists the offers by storage, interval and currency, without withdrawn ones');
select tests.subscription('ola');
create function pg_temp.price_after(changes text) returns jsonb language plpgsql as $$
begin
  execute 'update private.subscriptions set ' || changes;
  return pg_temp.billing('ola') -> 'price';
end $$;
select is(pg_temp.price_after($$ known_price_id = 'price_first' $$),
  '{"interval": "month", "currency": "eur", "unitAmount": 1200}',
  'get_billing returns the price of the subscription, also if it is no longer offered');
select is(pg_temp.price_after($$ unknown_price_id = 'price_new' $$), 'null',
  'get_billing returns no price while the price of the subscription is unknown');
update public.billing_accounts set plan_code = 'free', subscription_status = 'unpaid' where user_id = tests.id('ola');
select is(pg_temp.price_after('unknown_price_id = null'), 'null',
  'get_billing returns no price of a subscription that is not paid for');

select * from tests.finish();
rollback;
