-- plan_prices: who reads and writes the price list, and what it keeps.
begin;
select tests.start();

select tests.person('ola'), tests.person('new', confirmed => false);
insert into public.plans (code, name, is_paid, storage_gb_per_account) values ('studio', 'Studio', true, 500);
select private.offer_plan_price('price_month', 'pro', 'month', 'eur', 1500);

-- who
select tests.access('the price list', 'select stripe_price_id from public.plan_prices',
  'ok 1: anon service ola new');
select tests.access('an insert into plan_prices',
  $$ insert into public.plan_prices (stripe_price_id, plan_code, interval, currency, is_offered)
    values ('price_mine', 'pro', 'month', 'usd', true) $$,
  '42501: anon service ola');
select tests.access('an update of plan_prices', 'update public.plan_prices set unit_amount = 1',
  '42501: anon service ola');
select tests.access('a delete from plan_prices', 'delete from public.plan_prices', '42501: anon service ola');
select tests.access('offer_plan_price', $$ select private.offer_plan_price('price_mine', 'pro', 'month', 'usd') $$,
  '42501: anon service ola');

-- always
create function pg_temp.add(_changes jsonb) returns text language plpgsql as $$
begin
  insert into public.plan_prices select * from jsonb_populate_record(null::public.plan_prices,
    '{"stripe_price_id": "price_new", "plan_code": "pro", "interval": "year", "currency": "eur", "unit_amount": 1,
      "is_offered": false}' || _changes);
  return 'none';
exception when others then
  return sqlstate || ' ' || (case when sqlstate like 'PT%' then sqlerrm
    else substring(sqlerrm from 'constraint "(.*?)"') end);
end $$;
select is(pg_temp.add(changes), wanted, format('plan_prices rejects %s', what))
from (values
  ('a price of the free plan', '{"plan_code": "free"}'::jsonb, 'PT400 Only a paid plan has prices; ''free'' is none'),
  ('a price of an unknown plan', '{"plan_code": "gold"}', 'PT400 Only a paid plan has prices; ''gold'' is none'),
  ('a currency of two letters', '{"currency": "eu"}', '23514 currency_is_three_letters'),
  ('a currency in upper case', '{"currency": "EUR"}', '23514 currency_is_three_letters'),
  ('a negative amount', '{"unit_amount": -1}', '23514 unit_amount_is_not_negative'),
  ('a blank id', '{"stripe_price_id": " "}', '23514 stripe_price_id_is_1_to_255_chars'),
  ('an id twice', '{"stripe_price_id": "price_month"}', '23505 plan_prices_pkey'),
  ('a second offer of a plan, interval and currency', '{"interval": "month", "is_offered": true}',
    '23505 plan_prices_offer_idx')) v (what, changes, wanted);
select is(tests.describe_error(statement), 'PT409 / ' || wanted, format('plan_prices rejects %s', what))
from (values
  ('the deletion of a price', 'delete from public.plan_prices',
    'A price is never deleted, because customers keep it; set is_offered to false instead'),
  ('another id of a price', $$ update public.plan_prices set stripe_price_id = 'price_other' $$,
    'The id of a price cannot change, because customers keep the price; add the other price instead'),
  ('that its plan is no longer paid', $$ update public.plans set is_paid = false where code = 'pro' $$,
    'The plan ''pro'' has prices, so it stays a paid plan')) v (what, statement, wanted);
select is(tests.describe_error($$ update public.plans set is_paid = false where code = 'studio' $$), 'none',
  'a plan without prices can become free');
update public.plans set is_paid = true where code = 'studio';

-- offers
create function pg_temp.prices() returns text language sql as $$
  select string_agg(concat_ws(' ', stripe_price_id, interval, currency, unit_amount,
    case when is_offered then 'offered' end), ', ' order by stripe_price_id) from public.plan_prices $$;
select private.offer_plan_price('price_dear', 'pro', 'month', 'eur', 1800);
select is(pg_temp.prices(), 'price_dear month eur 1800 offered, price_month month eur 1500',
  'offer_plan_price withdraws the earlier offer for the same plan, interval and currency');
select private.offer_plan_price('price_year', 'pro', 'year', 'eur'),
  private.offer_plan_price('price_usd', 'pro', 'month', 'usd', 2000),
  private.offer_plan_price('price_studio', 'studio', 'month', 'eur', 9000);
select is(pg_temp.prices(), 'price_dear month eur 1800 offered, price_month month eur 1500, '
  'price_studio month eur 9000 offered, price_usd month usd 2000 offered, price_year year eur offered',
  'offer_plan_price keeps the offers for another plan, interval or currency');
select private.offer_plan_price('price_month', 'pro', 'month', 'eur', 1400);
select is(pg_temp.prices(), 'price_dear month eur 1800, price_month month eur 1400 offered, '
  'price_studio month eur 9000 offered, price_usd month usd 2000 offered, price_year year eur offered',
  'offer_plan_price offers an earlier price again');
select tests.access('a price that is not offered', $$ select from public.plan_prices where not is_offered $$,
  'ok 0: anon ola new; ok 1: service');
select private.offer_plan_price('price_month', 'pro', 'month', 'eur');
select is((select unit_amount from public.plan_prices where stripe_price_id = 'price_month'), 1400::bigint,
  'offer_plan_price without an amount keeps the stored one');
select is(tests.describe_error($$ select private.offer_plan_price('price_year', 'pro', 'month', 'eur') $$),
  'PT409 / The price ''price_year'' has another plan, interval or currency; create one at Stripe for this offer',
  'offer_plan_price rejects a price that is known with another interval');
select is(pg_temp.prices(), 'price_dear month eur 1800, price_month month eur 1400 offered, '
  'price_studio month eur 9000 offered, price_usd month usd 2000 offered, price_year year eur offered',
  'offer_plan_price withdraws nothing when it fails');
insert into public.plan_prices (stripe_price_id, plan_code, interval, currency, is_offered)
select 'price_' || a || b, 'studio', 'day', 'x' || a || b, true
from (select chr(97 + n) from generate_series(0, 25) n) x (a), (select chr(97 + n) from generate_series(0, 25) n) y (b)
order by 1 limit private.max_plan_offers() - 4;
select is(tests.describe_error($$ select private.offer_plan_price('price_last', 'pro', 'week', 'eur') $$),
  'PT409 / At most 200 prices can be offered; set is_offered of others to false',
  'plan_prices rejects more offers than a list returns');

select * from tests.finish();
rollback;
