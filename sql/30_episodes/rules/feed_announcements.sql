-- Who announces changes of episodes to their feed: triggers, unless an operation does it itself.
create function private.announce_feed_elsewhere(is_elsewhere boolean) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform set_config('castbase.announces_feed', case when is_elsewhere then 'no' else '' end, true);
end $$;
comment on function private.announce_feed_elsewhere is
  'Decides whether changes need no message for the rest of the transaction, because the caller renders the feed '
  'itself, or announces episodes together.';

create function private.is_feed_announced_elsewhere() returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return current_setting('castbase.announces_feed', true) = 'no';
end $$;
comment on function private.is_feed_announced_elsewhere is
  'Whether the changes of this transaction need no message (announce_feed_elsewhere).';
