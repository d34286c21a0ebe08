-- An automation's email when it is sent: rule, template, occurrence and recipient are those of now.
create function private.skip_text(skip_reason text) returns text
language sql immutable parallel safe security invoker set search_path = ''
return case skip_reason
  when 'declined' then 'The guest declined, was removed, or did not answer the invitation'
  when 'unsubscribed' then 'The recipient unsubscribed from these emails'
  when 'bounced' then 'The address does not receive email'
  when 'suppressed' then 'The recipient gets no automatic emails'
  when 'daily_limit' then 'The daily limit of emails to the guest, or to all unverified guests, is reached'
  when 'repeated' then 'The occurrence has an email to this recipient already'
  else skip_reason end;
comment on function private.skip_text is 'Why a recipient gets no email of an automation, for admins.';

create function private.automation_email_content(_email_id uuid, at timestamptz) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  execution public.automation_executions;
  rule      public.automation_rules;
  action    public.automation_actions;
  template  public.automation_templates;
  podcast   public.podcasts;
  address   private.delivery_addresses;
  context   jsonb;
  recipient record;
  is_held   boolean;  -- resuming the rule sends what is still true
  problem   text;
  email     jsonb;
  button    jsonb;
  access    jsonb;  -- null: the email has no link with a token
  -- The worker replaces it in each place. No author of a template knows it, and in another link it is encoded, so the
  -- token cannot become part of an address that tells the author, such as that of an image.
  place     text;
  title     text;
begin
  select a.* into address from private.delivery_addresses a where a.source_id = _email_id;
  place := '#token=' || address.delivery_id;
  select x.* into execution from private.automation_emails e
  join public.automation_executions x on x.id = e.execution_id where e.id = _email_id;
  select r.* into rule from public.automation_rules r where r.id = execution.rule_id;
  is_held := rule.is_enabled and rule.is_paused and not execution.is_test;
  select a.* into action from private.automation_emails e
  join public.automation_actions a on a.id = e.action_id and a.rule_id = rule.id and a.action_type = 'send_email'
  where e.id = _email_id;
  problem := case
    when rule.id is null then 'The rule was deleted'
    when action.id is null then 'The email was removed from the rule'
    when not is_held then private.rule_problem(rule, (execution.context_data ->> 'tested_by')::uuid)
    when at >= execution.created_at + interval '7 days' then 'The rule was paused for a week' end;
  if problem is null then
    context := private.current_automation_context(execution.context_data, at);
    problem := private.reason_to_skip(execution, rule, at);
  end if;
  if problem is null then
    select r.* into recipient from private.automation_recipients(context, action.action_config ->> 'to') r
    where r.email = address.email;
    problem := case when not found then 'The rule no longer sends to this recipient'
      else private.skip_text(recipient.skip_reason) end;
  end if;
  if problem is null and is_held then
    return jsonb_build_object('wait_until', at + interval '10 minutes');
  elsif problem is null then
    select t.* into strict template from public.automation_templates t where t.id = action.template_id;
    select p.* into strict podcast from public.podcasts p where p.id = execution.podcast_id;
    email := private.automation_email(context, template, recipient, private.text_locale_of(podcast.language),
      access_token => address.delivery_id::text);
    problem := case when octet_length(email::text) > private.max_email_bytes()
      then 'The email is too long with its values' end;
  end if;
  if problem is not null then
    return jsonb_build_object('problem', problem);
  end if;
  button := case when template.has_button
    then private.automation_email_button(podcast, (context ->> 'episode_id')::uuid) end;
  if private.is_booker(recipient) and strpos(email::text, place) > 0 then
    select jsonb_build_object('kind', 'booking', 'subject_id', b.id,
      'expires_at', private.format_timestamp(greatest(b.end_time, at) + interval '7 days')) into access
    from public.bookings b where b.id = (context ->> 'booking_id')::uuid;
  end if;
  title := case when recipient.has_agreed then podcast.title else private.without_links(podcast.title) end;
  return jsonb_build_object(
    'title', private.shorten_text(case when execution.is_test
      then private.render_text(private.get_text(private.language_of(address.locale), 'automation.email.test'),
        jsonb_build_object('subject', email -> 'subject'))
      else email ->> 'subject' end, 300), 'body', nullif(email ->> 'body_text', ''),
    'html', nullif(email ->> 'body_html', ''), 'url', button -> 'url',
    'access', access,
    'content', jsonb_build_object(
      'fromName', title,
      'replyTo', private.automation_reply_to(rule, (context ->> 'booking_id')::uuid),
      'action', private.get_text(private.language_of(address.locale), coalesce(button ->> 'text',
        'automation.email.action')),
      'reason', private.automation_email_reason(recipient, coalesce(title, ''), rule.name,
        private.language_of(address.locale)),
      'hasAccess', false,  -- the button leads to a public page
      'accessFragment', case when access is not null then place end));
end $$;
comment on function private.automation_email_content is
  'Renders automation.email: what the email of a row of private.automation_emails says now, as '
  'private.render_source() returns it. {problem} if its rule, occurrence, conditions or recipient no longer hold; '
  '{wait_until} while its rule is paused, for a week at most.';
