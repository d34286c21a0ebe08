-- Turns emails of one type off, or on again, for the recipient of an email.
create function private.unsubscribe_email(_token text, _undo boolean default false, at timestamptz default now())
returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants; the token authorizes the call
set search_path = ''
as $$
declare
  found_token   private.email_tokens := private.find_email_token(_token, 'unsubscribe', at);
  delivery      public.notification_deliveries;
  preference    text;
  recipient     record;
  account_id    uuid;
  is_subscribed boolean := _undo;
begin
  select d.* into delivery from public.notification_deliveries d where d.id = found_token.delivery_id;
  select t.preference into preference from public.notification_types t
  where t.type = delivery.type and not t.is_essential
    and ('email' = any (t.channels) or num_nonnulls(delivery.user_id, delivery.episode_guest_id) = 0);
  if not found then
    raise sqlstate 'PT404' using
      message = 'This link is unknown or has expired; change your notification settings in the app';
  end if;
  recipient := private.email_recipient(delivery.id);
  account_id := private.account_of(delivery);
  if account_id is not null then
    execute format('update public.notification_preferences p set %1$I = $1 where p.user_id = $2 and p.%1$I <> $1',
      'email_' || preference) using is_subscribed, account_id;
  elsif not is_subscribed then
    perform private.suppress_email(private.email_digest(recipient.email), 'unsubscribed', delivery.type, at => at);
  end if;
  if is_subscribed and delivery.user_id is null then  -- also of a guest who unsubscribed before having an account
    delete from private.email_suppressions s
    where (s.digest, s.type, s.reason) = (private.email_digest(recipient.email), delivery.type, 'unsubscribed');
  end if;
  -- a complaint or a bounce also stops emails that the recipient turns on
  is_subscribed := is_subscribed and not private.is_email_suppressed(recipient.email);
  return jsonb_build_object('type', delivery.type, 'isSubscribed', is_subscribed)
    || private.unsubscribe_texts(private.language_of(recipient.locale), delivery,
      case when is_subscribed then 'on' when _undo then 'blocked' else 'off' end);
end $$;
grant execute on function private.unsubscribe_email to anon, authenticated;

create function private.unsubscribe_texts(
  language text, delivery public.notification_deliveries, outcome text) returns jsonb
language sql stable security invoker set search_path = ''
return jsonb_build_object('language', language,
  'title', private.get_text(language, 'unsubscribe.' || outcome || '_title'),
  'message', private.render_text(private.get_text(language, 'unsubscribe.' || outcome || '_body'),
    jsonb_build_object('label', private.type_text(
      delivery.type, 'label', language, num_nonnulls(delivery.user_id, delivery.episode_guest_id) = 0))),
  'action', case when outcome <> 'blocked' then
    private.get_text(language, 'unsubscribe.' || outcome || '_action') end);
comment on function private.unsubscribe_texts is
  'What the page tells a delivery''s recipient, whose emails of its type are off, on, or blocked by a suppression: '
  '{language, title, message, action}; action is the label of its button, null if there is none.';

create function public.unsubscribe_email(token text, undo boolean default false) returns jsonb
language sql volatile security invoker set search_path = ''
return private.unsubscribe_email(token, undo);
comment on function public.unsubscribe_email is
  'GET and POST /api/notifications/email/unsubscribe/{token}: turns emails of the delivery''s type off for its '
  'recipient; with undo, on again. {type, isSubscribed, language, title, message, action}, the texts in the '
  'recipient''s language. Requires a token for unsubscribing, no login. Safe to repeat. 404.';
grant execute on function public.unsubscribe_email to anon, authenticated;
