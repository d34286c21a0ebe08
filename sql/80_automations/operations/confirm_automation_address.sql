-- Confirms an address: its holder agrees to the emails of a podcast's automations.
create function private.confirm_automation_address(_access_token text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- anonymous callers may not read tokens
set search_path = ''
as $$
declare
  token   private.access_tokens;
  address public.automation_addresses;
begin
  token := private.find_access_token(_access_token, 'automation_address', at);
  select a.* into address from public.automation_addresses a where a.id = token.subject_id;
  -- the newest word of the holder; before the address, as who unsubscribes locks both
  perform private.lift_unsubscription(
    private.email_digest(address.email), 'automation.email', address.podcast_id, at) where found;
  update public.automation_addresses a
  set confirmed_at = case when address.status = 'confirmed' then a.confirmed_at else at end, unsubscribed_at = null
  where a.id = address.id returning * into address;
  if not found then
    raise sqlstate 'PT401' using message = 'The link is invalid or has expired; ask the podcast for a new one';
  end if;
  return jsonb_build_object('email', address.email, 'podcast', (
    select jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title) from public.podcasts p
    where p.id = address.podcast_id));
end $$;
grant execute on function private.confirm_automation_address to anon, authenticated;

create function public.confirm_automation_address(access_token text) returns jsonb
language sql volatile security invoker set search_path = ''
return private.confirm_automation_address(access_token);
comment on function public.confirm_automation_address is
  'POST /api/automations/addresses/confirm: {email, podcast: {id, slug, title}}; safe to repeat. Turns the emails on '
  'again for a holder who unsubscribed. For anyone with the token of the email. 401.';
grant execute on function public.confirm_automation_address to anon, authenticated;
