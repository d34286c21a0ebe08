-- Tables whose t100 trigger normalizes more set updated_at in their own function.
create function private.touch_updated_at() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;
comment on function private.touch_updated_at is 'Trigger: sets updated_at of the written row.';
