-- Asks the holder of an address to confirm it for the automations of a podcast.
create function private.automation_address_json(address public.automation_addresses) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object('id', address.id, 'podcast_id', address.podcast_id, 'email', address.email,
    'status', address.status, 'confirmed_at', private.format_timestamp(address.confirmed_at),
    'unsubscribed_at', private.format_timestamp(address.unsubscribed_at), 'email_status', address.email_status,
    'email_due_at', private.format_timestamp(address.email_due_at),
    'created_at', private.format_timestamp(address.created_at))
$$;
comment on function private.automation_address_json is 'An address, for the admins of its podcast.';
grant execute on function private.automation_address_json to authenticated;

create function private.request_automation_address(_podcast_id uuid, _email text, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on addresses
set search_path = ''
as $$
declare
  new_email text := private.normalize_email(_email);
  address   public.automation_addresses;
  send_at   timestamptz;
begin
  perform private.require_role(_podcast_id, 'admin');
  perform private.require_email(new_email, 'email');
  perform private.require_writable_podcast(_podcast_id);
  perform private.consume_rate_limit('automation_addresses:' || auth.uid(),
    private.get_setting('max_automation_addresses_per_hour')::int, interval '1 hour', at);
  select a.* into address from public.automation_addresses a
  where a.podcast_id = _podcast_id and a.email = new_email;
  if not found then
    insert into public.automation_addresses as a (podcast_id, email, requested_by)
    values (_podcast_id, new_email, auth.uid())
    on conflict on constraint address_unique_per_podcast do update set email = a.email
    returning * into address;
  end if;
  if address.status <> 'confirmed' then
    perform private.consume_rate_limit(
      private.email_rate_limit_key('automation_address:' || address.podcast_id, new_email),
      private.get_setting('max_automation_address_emails_per_recipient')::int, interval '30 days', at);
    send_at := private.reserve_email(private.email_sender(), new_email, at);
    perform private.notify('automation.address_requested',
      jsonb_build_array(jsonb_build_object('email', new_email, 'is_unsolicited', true,
        'locale', (select p.language from public.podcasts p where p.id = address.podcast_id),
        'url', private.get_setting('automation_address_url'),
        'access', jsonb_build_object('kind', 'automation_address', 'subject_id', address.id,
          'expires_at', private.format_timestamp(send_at + interval '7 days')),
        'subject', jsonb_build_object('table', 'automation_addresses', 'id', address.id), 'sender_id', auth.uid())),
      jsonb_build_object('podcast_id', address.podcast_id), _scheduled_for => nullif(send_at, at), at => at);
    select a.* into address from public.automation_addresses a where a.id = address.id;  -- with its email_status
  end if;
  return jsonb_build_object('address', private.automation_address_json(address));
end $$;
grant execute on function private.request_automation_address to authenticated;

create function public.request_automation_address(podcast_id uuid, email text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.request_automation_address(podcast_id, email);
comment on function public.request_automation_address is
  'POST /api/automations/addresses: {address: {id, podcast_id, email, status: pending | confirmed | unsubscribed, '
  'confirmed_at, unsubscribed_at, email_status, email_due_at, created_at}}. Emails the holder a link to confirm it, a '
  'day later if many wrote to the address; one who unsubscribed is asked again. Requires admin. 400, 403, '
  'SENDING_STOPPED too, 404, 409 TOO_MANY_AUTOMATIONS or PODCAST_PENDING_DELETION, 429 with rate_limit_reset_at, such '
  'as for a fourth email of the podcast to the address in 30 days.';
grant execute on function public.request_automation_address to authenticated;
