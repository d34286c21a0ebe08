-- Prices: what Stripe charges for a paid plan. Operators write the rows. No price is ever forgotten, because customers
-- keep theirs when another one is offered.
create type public.billing_interval as enum ('day', 'week', 'month', 'year');  -- Stripe's

create table public.plan_prices (
  stripe_price_id text primary key,
  plan_code       text not null references public.plans,
  interval        public.billing_interval not null,
  currency        text not null,
  unit_amount     bigint,                   -- in the currency's smallest unit; null: front ends show no amount
  is_offered      boolean not null,         -- a checkout may choose it
  constraint stripe_price_id_is_1_to_255_chars
    check (char_length(stripe_price_id) <= 255 and not private.is_blank(stripe_price_id)),
  constraint currency_is_three_letters check (currency ~ '^[a-z]{3}$'),
  constraint unit_amount_is_not_negative check (unit_amount >= 0)
);
comment on table public.plan_prices is
  'The price list: the prices of plans at Stripe, offered ones and earlier ones. Offers are readable without an '
  'account.';
comment on constraint stripe_price_id_is_1_to_255_chars on public.plan_prices is
  'The id of a price must be 1 to 255 characters';
comment on constraint currency_is_three_letters on public.plan_prices is
  'The currency must be three lower-case letters, such as "eur"';
comment on constraint unit_amount_is_not_negative on public.plan_prices is 'The amount must be 0 or more';
create index plan_prices_plan_code_idx on public.plan_prices (plan_code);
create unique index plan_prices_offer_idx on public.plan_prices (plan_code, interval, currency) where is_offered;

-- Who
alter table public.plan_prices enable row level security;
create policy anyone_reads_offers on public.plan_prices for select to anon, authenticated
  using (is_offered);  -- anonymous callers read the price list; former and negotiated prices are not in it
grant select on public.plan_prices to anon, authenticated, service_role;
-- No write grants: operators connect as the owner.

-- Always
create function private.max_plan_offers() returns int language sql immutable security invoker set search_path = ''
return 200;
comment on function private.max_plan_offers is 'The largest number of prices that are offered, because lists have all.';

create function private.guard_plan_price() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    raise sqlstate 'PT409' using
      message = 'A price is never deleted, because customers keep it; set is_offered to false instead';
  elsif tg_op = 'UPDATE' and new.stripe_price_id <> old.stripe_price_id then
    raise sqlstate 'PT409' using
      message = 'The id of a price cannot change, because customers keep the price; add the other price instead';
  elsif not exists (select from public.plans p where p.code = new.plan_code and p.is_paid) then
    raise sqlstate 'PT400' using message = format('Only a paid plan has prices; %L is none', new.plan_code);
  elsif new.is_offered and private.max_plan_offers() <= (
    select count(*) from public.plan_prices p where p.is_offered and p.stripe_price_id <> new.stripe_price_id)
  then
    raise sqlstate 'PT409' using message = format('At most %s prices can be offered; set is_offered of others to false',
      private.max_plan_offers());
  end if;
  return new;
end $$;
create trigger t300_guard before insert or update or delete on public.plan_prices
  for each row execute function private.guard_plan_price();

create function private.guard_priced_plan() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if exists (select from public.plan_prices p where p.plan_code = new.code) then
    raise sqlstate 'PT409' using message = format('The plan %L has prices, so it stays a paid plan', new.code);
  end if;
  return new;
end $$;
create trigger t300_guard before update of is_paid on public.plans
  for each row when (old.is_paid and not new.is_paid) execute function private.guard_priced_plan();

create function private.offer_plan_price(
  _stripe_price_id text, _plan_code text, _interval public.billing_interval, _currency text,
  _unit_amount bigint default null)
returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update public.plan_prices p set is_offered = false
  where (p.plan_code, p.interval, p.currency) = (_plan_code, _interval, _currency)
    and p.is_offered and p.stripe_price_id <> _stripe_price_id;
  insert into public.plan_prices as p (stripe_price_id, plan_code, interval, currency, unit_amount, is_offered)
  values (_stripe_price_id, _plan_code, _interval, _currency, _unit_amount, true)
  on conflict on constraint plan_prices_pkey do update
    set unit_amount = coalesce(excluded.unit_amount, p.unit_amount), is_offered = true
    where (p.plan_code, p.interval, p.currency) = (excluded.plan_code, excluded.interval, excluded.currency);
  if not found then
    raise sqlstate 'PT409' using message =
      format('The price %L has another plan, interval or currency; create one at Stripe for this offer',
        _stripe_price_id);
  end if;
end $$;
comment on function private.offer_plan_price is
  'For operators: offers a price, and withdraws the one that was offered for the same plan, interval and currency. '
  'Without an amount, a known price keeps its own. PT400 for a plan that is not paid, PT409 for a price that has '
  'another plan, interval or currency.';
