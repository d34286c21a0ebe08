-- What the verbs of the inbox share. Each acts on the caller's own notifications only.
-- Verbs that write many rows of a user wait for each other, because two of them could lock the same rows in different
-- order. New notifications do not wait: they lock the profile for key share.
create function private.lock_inbox() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.require_user();
  perform from public.profiles f where f.id = auth.uid() for no key update;
  if not found then
    perform private.require_account_of(auth.uid());
  end if;
end $$;
comment on function private.lock_inbox is 'Locks the caller''s profile. PT401, PT403 ACCOUNT_REQUIRED.';

create function private.require_group_key(group_key text) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if char_length(require_group_key.group_key) between 1 and 200 then
    return;
  end if;
  raise sqlstate 'PT400' using message = 'group_key must be 1 to 200 characters';
end $$;
comment on function private.require_group_key is 'PT400 unless the key of a group has 1 to 200 characters.';

create function private.raise_notification_not_found(condition text default null) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  raise sqlstate 'PT404' using message = 'Notification not found', detail = coalesce(condition, '');
end $$;
comment on function private.raise_notification_not_found is 'PT404, with the condition that the verb requires.';
