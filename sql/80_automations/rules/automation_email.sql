-- What the email of an action says to one recipient.
create function private.is_booker(recipient record) returns boolean
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return recipient.is_guest and recipient.audience is null;
end $$;
comment on function private.is_booker is
  'Whether a row of private.automation_recipients() is the guest of the booking.';

create function private.automation_email_tags(
  context jsonb, recipient record, text_locale text, access_token text default '…') returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  tags jsonb := private.localize_tags(case when recipient.has_agreed then context -> 'tags'
    else private.without_strangers_texts(context -> 'tags') end, recipient.timezone, text_locale);
begin
  if recipient.guest_name is not null then
    tags := tags || jsonb_build_object('guest_full_name', recipient.guest_name,
      'guest_first_name', private.first_name(recipient.guest_name), 'guest_email', recipient.email);
  end if;
  if recipient.audience ->> 'tests' = 'guest' and tags ? 'booking_start' then
    tags := tags || jsonb_build_object('booking_manage_url', private.get_setting('booking_url'));  -- without a token
  elsif private.is_booker(recipient) then
    tags := tags || jsonb_build_object('booking_manage_url', private.get_setting('booking_url') || '#token='
      || access_token);
  end if;
  return tags;
end $$;
comment on function private.automation_email_tags is
  'The tags of a context as a recipient reads them: moments in the recipient''s time zone, the guest''s own name, and '
  'for the guest of the booking the link that manages it, with an access token or what is in its place.';

create function private.automation_email(
  context jsonb, template public.automation_templates, recipient record, text_locale text,
  access_token text default '…') returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  tags constant jsonb := private.automation_email_tags(context, recipient, text_locale, access_token);
begin
  return private.render_template(template.subject, template.body_html, template.body_text, tags)
    -- a subject must not have a secret
    || jsonb_build_object('subject',
      private.normalize_line(private.render_text(template.subject, tags - 'booking_manage_url')));
end $$;
comment on function private.automation_email is
  'The email of a template to a recipient, as {subject, body_html, body_text}.';

create function private.max_email_bytes() returns int
language sql immutable parallel safe security invoker set search_path = ''
return 262144;
comment on function private.max_email_bytes is 'The maximum size of an automation''s email with its values.';

create function private.automation_email_button(podcast public.podcasts, _episode_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  episode_slug constant text := (
    select e.slug from public.episodes e
    where e.id = _episode_id and e.podcast_id = podcast.id and e.status = 'published');
begin
  return case
    when episode_slug is not null
      then jsonb_build_object('url', private.listen_url(podcast.slug, episode_slug), 'text', 'automation.email.listen')
    when exists (select from public.episodes e where e.podcast_id = podcast.id and e.status = 'published')
      then jsonb_build_object('url', private.listen_url(podcast.slug), 'text', 'automation.email.action') end;
end $$;
comment on function private.automation_email_button is
  'The button of an automation''s email, {url, text}: to the page of the published episode, else to that of the '
  'podcast. Null if neither has one; the url is null while no pages are served.';

create function private.automation_reply_to(rule public.automation_rules, _booking_id uuid) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  owner_email constant text := (
    select private.confirmed_email_of(p.owner_id) from public.podcasts p where p.id = rule.podcast_id);
begin
  return case
    when rule.reply_to = 'none' then null
    when rule.reply_to = 'owner' then owner_email
    when rule.reply_to <> 'host' and private.is_reply_address(rule.podcast_id, rule.reply_to) then rule.reply_to
    else coalesce(private.booking_reply_to(_booking_id), owner_email) end;
end $$;
comment on function private.automation_reply_to is
  'The address to which recipients of a rule''s emails reply: the host who confirmed the booking, else the owner; or '
  'what the rule says. An address that is no longer permitted becomes the host''s.';

create function private.automation_email_reason(
  recipient record, podcast_title text, rule_name text, language text) returns text
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.render_text(private.get_text(language, case
      when recipient.audience ? 'tests' then 'automation.email.to_tester'
      when recipient.audience ? 'user_id' then 'automation.email.to_team'
      when recipient.audience is not null then 'automation.email.to_guest'
      when not recipient.is_guest then 'automation.email.to_address'
      when recipient.has_agreed then 'automation.email.to_booker'
      else 'automation.email.to_unverified_booker' end),
    jsonb_build_object('podcast', podcast_title, 'rule', rule_name));
end $$;
comment on function private.automation_email_reason is
  'Why a recipient gets an automation''s email. Only the team and testers read the name of the rule.';
