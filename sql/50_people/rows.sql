-- The rows of this domain: queues.
create function private.install_people() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_queue('calendar_sync', 20, '5 seconds', '1 hour',
    'Makes the event in a host''s calendar agree with its booking', _fair_key => 'podcast_id');
end $$;
comment on function private.install_people is 'Part of private.install(): writes the rows of this domain.';
