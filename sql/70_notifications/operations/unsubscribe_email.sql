-- Turns emails of one type off, or on again, for the recipient of an email. Emails of a type of which each podcast is
-- another sender end for one podcast, or for all.
create function private.unsubscribe_email(
  _token text, _undo boolean default false, _all_podcasts boolean default false, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants; the token authorizes the call
set search_path = ''
as $$
declare
  found_token   private.email_tokens := private.find_email_token(_token, 'unsubscribe', at);
  delivery      public.notification_deliveries;
  kind          public.notification_types;
  address       private.delivery_addresses;  -- null for users and guests
  recipient     record;
  digest        bytea;
  account_id    uuid;
  sender_id     uuid;  -- the podcast whose emails end; null: all emails of the type
  is_subscribed boolean;
begin
  select d.* into delivery from public.notification_deliveries d where d.id = found_token.delivery_id;
  select t.* into kind from public.notification_types t
  where t.type = delivery.type and not t.is_essential
    and ('email' = any (t.channels) or num_nonnulls(delivery.user_id, delivery.episode_guest_id) = 0);
  if not found then
    raise sqlstate 'PT404' using
      message = 'This link is unknown or has expired; change your notification settings in the app';
  end if;
  recipient := private.email_recipient(delivery.id);
  digest := private.email_digest(recipient.email);
  account_id := private.account_of(delivery);
  if kind.is_unsubscribed_per_podcast then
    select a.* into address from private.delivery_addresses a where a.delivery_id = delivery.id;
    select p.id into sender_id from public.podcasts p where p.id = address.podcast_id for key share;
  end if;
  if account_id is not null then
    execute format('update public.notification_preferences p set %1$I = $1 where p.user_id = $2 and p.%1$I <> $1',
      'email_' || kind.preference) using _undo, account_id;
  end if;
  if sender_id is null and address.podcast_id is not null and not _all_podcasts then
    null;  -- the podcast was deleted, and sends nothing
  elsif _undo and delivery.user_id is null then  -- also of a guest who unsubscribed before having an account
    perform private.lift_unsubscription(digest, delivery.type, case when not _all_podcasts then sender_id end, at);
  elsif not _undo and account_id is null then
    perform private.suppress_email(digest, 'unsubscribed', delivery.type, at => at,
      podcast_id => case when not _all_podcasts then sender_id end);
  end if;
  -- a complaint or a bounce also stops emails that the recipient turns on
  is_subscribed := _undo and not private.is_email_suppressed(recipient.email)
    and (sender_id is null or not private.is_email_suppressed(recipient.email, delivery.type, sender_id));
  return private.email_subscription_json(delivery, address, recipient.email,
    is_subscribed, _undo, _all_podcasts and address.podcast_id is not null)
    || jsonb_build_object('locale', recipient.locale);
end $$;
grant execute on function private.unsubscribe_email to anon, authenticated;

create function private.email_subscription_json(
  delivery public.notification_deliveries, address private.delivery_addresses, email text,
  is_subscribed boolean, is_undo boolean, is_about_all boolean) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  is_blocked constant boolean := is_undo and private.is_email_suppressed(email);
  is_address constant boolean := num_nonnulls(delivery.user_id, delivery.episode_guest_id) = 0;
  -- without a podcast, what stops the emails of the type stops those of all podcasts
  scope      constant text := case
    when address.podcast_id is null then 'type'
    when not is_subscribed and exists (
      select from private.suppressions_of(email, delivery.type) s where s.reason = 'unsubscribed') then 'all_podcasts'
    else 'podcast' end;
begin
  return jsonb_build_object('type', delivery.type, 'scope', scope, 'isSubscribed', is_subscribed,
    'state', case
      when is_subscribed and scope = 'type' then 'on'
      when is_subscribed and is_about_all then 'all_on'
      when is_subscribed then 'podcast_on'
      when is_blocked then 'blocked'
      when scope = 'type' then 'off'
      when is_undo then 'rest_on'  -- all podcasts are on again, except this one
      when scope = 'all_podcasts' then 'all_off'
      else 'podcast_off' end,
    'podcastTitle', address.podcast_title,
    'emails', (
      select coalesce(t.preference, replace(t.type, '.', '_'))
        || case when is_address and t.type = 'booking.requested' then '_address' else '' end
      from public.notification_types t where t.type = delivery.type));
end $$;
comment on function private.email_subscription_json is
  'What a page tells a delivery''s recipient, whose emails are off, on, or blocked by a complaint or bounce: {type, '
  'scope, isSubscribed, state, podcastTitle, emails}.';

create function public.unsubscribe_email(token text, undo boolean default false, all_podcasts boolean default false)
returns jsonb
language sql volatile security invoker set search_path = ''
return private.unsubscribe_email(token, undo, all_podcasts);
comment on function public.unsubscribe_email is
  'GET and POST /api/notifications/email/unsubscribe/{token}: turns emails of the delivery''s type off for its '
  'recipient; with undo, on again. Automatic emails: those of the delivery''s podcast, or with all_podcasts those of '
  'all; undo of these leaves off what was ended for one podcast. {type, scope: type | podcast | all_podcasts, '
  'isSubscribed, state: off | podcast_off | all_off | on | podcast_on | all_on | rest_on | blocked, podcastTitle, '
  'emails, locale}: emails names the kind of emails by its preference, locale is the recipient''s. Pages write the '
  'texts. Requires a token for unsubscribing, no login. Safe to repeat. 404.';
grant execute on function public.unsubscribe_email to anon, authenticated;
