-- The facts that decide a subscription's desired state: the statuses of the owner's podcasts. Only triggers count them:
-- after each change of podcasts, and when a subscription is inserted, both under the lock of the account. So a first
-- checkout and a change of a podcast at the same time see each other, and concurrent changes end in the right state.
create function private.lock_accounts(user_ids uuid[]) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform from public.billing_accounts a where a.user_id = any (user_ids) order by a.user_id for no key update;
end $$;
comment on function private.lock_accounts is 'Locks the billing accounts of these users, in their order.';

create function private.podcast_facts(user_ids uuid[]) returns table (user_id uuid, has_open boolean, is_void boolean)
language sql stable security invoker set search_path = ''
as $$
  select u.id, count(p.id) > 0, coalesce(bool_and(p.status = 'paused'), false)
  from (select distinct o.id from unnest(user_ids) o (id)) u
    left join public.podcasts p on p.owner_id = u.id and p.status in ('active', 'paused')
  group by u.id
$$;
comment on function private.podcast_facts is
  'Says of each of these users whether a podcast is open, and whether there is one and all are paused.';

create function private.derive_subscriptions(user_ids uuid[], at timestamptz default clock_timestamp()) returns void
language plpgsql volatile security definer  -- clients may not read or write subscriptions
set search_path = ''
as $$
begin
  -- a statement of its own: the next one then sees what was committed while this one waited
  perform private.lock_accounts(user_ids);
  update private.subscriptions s set
    has_open_podcasts = f.has_open,
    is_collection_void = f.is_void,
    collection_void_since = case when f.is_void then coalesce(s.collection_void_since, at)
      else s.collection_void_since end,
    podcasts_closed_at = case
      when f.has_open then null
      when s.has_open_podcasts then at
      else s.podcasts_closed_at end
  from private.podcast_facts(user_ids) f
  where s.user_id = f.user_id and (s.has_open_podcasts, s.is_collection_void) is distinct from (f.has_open, f.is_void);
end $$;
comment on function private.derive_subscriptions is
  'Derives the desired state of these users'' subscriptions from their podcasts. Users without one are skipped.';
-- No grant: the triggers on podcasts call it.

-- A pause is kept until its invoices are settled: what is voided later has another cause.
create function private.end_settled_pause(subscription private.subscriptions, stripe_subscriptions jsonb) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update private.subscriptions s set collection_void_since = null
  where s.id = subscription.id and s.collection_void_since is not null
    and s.has_open_podcasts and not s.is_collection_void
    and not exists (
      select from jsonb_array_elements(stripe_subscriptions) live
      where not private.is_ended_status(live ->> 'status')
        and private.is_period_voided(subscription, live));
end $$;
comment on function private.end_settled_pause is
  'Forgets the begin of a pause that has ended, unless it voided the current period of a subscription. The caller has '
  'found no void of ours to end, and the operator''s pause is of another cause.';

-- One call per statement: a statement that changes podcasts of several owners locks their accounts in the order of the
-- users, as transfers do.
create function private.derive_subscriptions_of_owners() returns trigger
language plpgsql security definer  -- clients may not execute derive_subscriptions
set search_path = ''
as $$
declare
  owner_ids uuid[];
begin
  if tg_op = 'UPDATE' then
    owner_ids := array(
      select owner.id from old_rows o join new_rows n using (id),
        lateral (values (o.owner_id), (n.owner_id)) owner (id)
      where (o.status, o.owner_id) is distinct from (n.status, n.owner_id));
  else
    owner_ids := array(select c.owner_id from changed_rows c);
  end if;
  perform private.derive_subscriptions(owner_ids) where owner_ids <> '{}';
  return null;
end $$;
create trigger t900_derive_subscriptions_insert after insert on public.podcasts
  referencing new table as changed_rows
  for each statement execute function private.derive_subscriptions_of_owners();
create trigger t900_derive_subscriptions_update after update on public.podcasts
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.derive_subscriptions_of_owners();
create trigger t900_derive_subscriptions_delete after delete on public.podcasts
  referencing old table as changed_rows
  for each statement execute function private.derive_subscriptions_of_owners();
