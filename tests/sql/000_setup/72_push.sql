-- Push subscriptions and deliveries.

-- What a browser's PushSubscription.toJSON() returns; the key is the base point of P-256.
create function tests.browser_subscription(endpoint text default 'https://fcm.googleapis.com/fcm/send/a')
  returns jsonb language sql as $$
  select jsonb_build_object('endpoint', endpoint, 'expirationTime', null, 'keys', jsonb_build_object(
    'auth', repeat('A', 22), 'p256dh',
    'BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU'))
$$;

-- An active subscription of a user, remembered by name.
create function tests.push_subscription(name text, who text) returns uuid language plpgsql security definer as $$
declare created uuid;
begin
  insert into public.push_subscriptions (user_id, endpoint)
  values (tests.id(who), 'https://fcm.googleapis.com/fcm/send/' || name) returning id into created;
  insert into private.push_subscription_keys (subscription_id, p256dh, auth)
  select created, k ->> 'p256dh', k ->> 'auth' from (select tests.browser_subscription() -> 'keys') s (k);
  return tests.remember(name, created);
end $$;

-- A notification of a user and its push delivery, queued; remembered as <name>/notification and <name>.
create function tests.push_delivery(name text, who text, link text default '/inbox') returns uuid
  language plpgsql security definer as $$
declare created uuid;
begin
  insert into public.notifications (user_id, type, category, priority, title, body, link)
  values (tests.id(who), 'import.failed', 'system', 'immediate', 'Title of ' || name, 'Body of ' || name, link)
  returning id into created;
  perform tests.remember(name || '/notification', created);
  insert into public.notification_deliveries (notification_id, user_id, type, channel, priority, status, queued_at)
  values (created, tests.id(who), 'import.failed', 'push', 'immediate', 'queued', now()) returning id into created;
  return tests.remember(name, created);
end $$;

-- a TAP report, as each file of a pg_prove run has
select unnest(array['1..1', 'ok 1 - the factories of push subscriptions and deliveries are created']);
