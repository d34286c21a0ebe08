-- State machines: the trigger `t310_guard_status` of a table lists the allowed changes of its status. A function checks
-- the state first and says what to do; the trigger holds for every writer. docs/front_ends.md draws two machines, and
-- a test compares them.
create function private.guard_status() returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  transitions text;
begin
  foreach transitions in array tg_argv[1:] loop
    if split_part(transitions, ': ', 1) = old.status::text
       and new.status::text = any (string_to_array(split_part(transitions, ': ', 2), ' ')) then
      return new;
    end if;
  end loop;
  raise sqlstate 'PT409' using hint = 'INVALID_STATUS_CHANGE',
    message = format('%s cannot change from %s to %s', tg_argv[0], old.status, new.status);
end $$;
comment on function private.guard_status is
  'Trigger arguments: the noun of the message, then lines such as ''pending: preview canceled''. PT409.';
