-- Runs after the migrations at each start of the local stack, as postgres (local/README.md). Its ports may change, and
-- so may the URLs: the session settings local.url and local.worker_secret have the values of this start.

select private.set_setting('public_url', current_setting('local.url'));
select private.set_setting('worker_url', current_setting('local.url') || '/functions/v1/worker');

do $$
declare
  host text := regexp_replace(current_setting('local.url'), '^https?://', '');
  worker_secret text := current_setting('local.worker_secret');
  stored record;
begin
  -- The demo feed is on the loopback interface, which imports may fetch from only by this entry.
  update private.settings set value = concat_ws(',', nullif(value, ''), host)
  where key = 'fetch_allowed_hosts' and host <> all (regexp_split_to_array(coalesce(value, ''), '[\s,]+'));

  select s.id, s.decrypted_secret as value into stored from vault.decrypted_secrets s where s.name = 'worker_secret';
  if not found then
    perform vault.create_secret(worker_secret, 'worker_secret');
  elsif stored.value is distinct from worker_secret then
    perform vault.update_secret(stored.id, worker_secret);
  end if;
end $$;
