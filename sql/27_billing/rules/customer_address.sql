-- The customer at Stripe has the user's confirmed address: receipts, reminders and checkout pages use it. Metadata of
-- the customer names the version of the address that the worker wrote. So an edit at Stripe stays until the user's
-- address changes, and when Stripe runs an earlier request late, the next reading shows it.
create function private.address_request(subscription private.subscriptions, stripe_customer jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if stripe_customer is null or subscription.user_id is null
     or coalesce(stripe_customer #>> '{metadata,castbase_address_version}' = subscription.address_version::text, false)
  then
    return null;
  end if;
  return private.billing_request('update_customer', subscription.stripe_customer_id, jsonb_build_object(
    'email', private.customer_email(subscription.user_id),
    'metadata', jsonb_build_object('castbase_address_version', subscription.address_version::text)));
end $$;
comment on function private.address_request is
  'The request that writes the user''s address to the customer. Deleted accounts and customers have none.';

create function private.customer_email(_user_id uuid) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return (select coalesce(u.email, '') from auth.users u where u.id = _user_id);
end $$;
comment on function private.customer_email is
  'The confirmed address of a user with an account; empty, which Stripe takes for none, if the user has none.';

-- Auth writes a new address when it is confirmed; until then it is in another column. private.install() adds the
-- trigger on auth.users, because schema diffs omit it. It runs on every update of a user.
create function private.announce_address() returns trigger
language plpgsql security definer  -- supabase_auth_admin may not write subscriptions
set search_path = ''
as $$
begin
  if new.email_confirmed_at is not null
     and (new.email, true) is distinct from (old.email, old.email_confirmed_at is not null) then
    update private.subscriptions s set address_version = s.address_version + 1 where s.user_id = new.id;
  end if;
  return null;
end $$;
comment on function private.announce_address is
  'Trigger: raises the version of the address in the user''s subscription, whose own triggers enqueue billing_sync.';
