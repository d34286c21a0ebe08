-- send_email: one email per recipient, through the deliveries of notifications.
create function private.automation_email(
  context jsonb, template public.automation_templates, recipient record, text_locale text) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  tags constant jsonb := private.localize_tags(case when recipient.has_agreed then context -> 'tags'
      else private.without_strangers_texts(context -> 'tags') end, recipient.timezone, text_locale)
    || case when recipient.guest_name is null then '{}' else jsonb_build_object(
      'guest_full_name', recipient.guest_name, 'guest_first_name', private.first_name(recipient.guest_name),
      'guest_email', recipient.email) end;
begin
  return private.render_template(template.subject, template.body_html, template.body_text, tags);
end $$;
comment on function private.automation_email is
  'The email of a template to a recipient, as {subject, body_html, body_text}; moments are in the recipient''s time '
  'zone, for the locale of texts.';

create function private.max_email_bytes() returns int
language sql immutable parallel safe security invoker set search_path = ''
return 262144;
comment on function private.max_email_bytes is 'The maximum size of an automation''s email with its values.';

create function private.unsendable_result(action public.automation_actions, recipient_count int) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  max_recipients constant int := private.max_automation_units('send_email');
begin
  return case
    when recipient_count > max_recipients then private.action_result(action, 'failed', jsonb_build_object('error',
      format('The email has %s recipients; at most %s an hour are allowed', recipient_count, max_recipients)))
    when recipient_count > 0 then null
    when action.action_config ->> 'to' in ('guest', 'host', 'team')
      then private.action_result(action, 'skipped', '{"reason": "The occurrence has no such recipient"}')
    else private.action_result(action, 'failed',
      '{"error": "The address is no longer a member, a guest who accepted an invitation or a confirmed address"}') end;
end $$;
comment on function private.unsendable_result is
  'The result of an email that cannot be sent to so many recipients; null if it can.';

create function private.run_send_email(
  execution public.automation_executions, action public.automation_actions, at timestamptz) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  context         constant jsonb := execution.context_data;
  target          constant text := action.action_config ->> 'to';
  template        public.automation_templates;
  text_locale     text;
  listed          record;
  recipient       jsonb;
  email           jsonb;
  emails          jsonb[] := '{}';
  send_at         timestamptz;
  last_send_at    timestamptz := at;
  recipient_count int;
  outcome         jsonb;
  reset_at        timestamptz;
begin
  select t.* into strict template from public.automation_templates t where t.id = action.template_id;
  select private.text_locale_of(p.language) into text_locale from public.podcasts p where p.id = execution.podcast_id;
  select count(*) into recipient_count from private.automation_recipients(context, target) r
  where r.skip_reason is null;
  outcome := private.unsendable_result(action, recipient_count);
  if outcome is not null then
    return outcome;
  end if;
  if target = 'guest' and exists (
    select from public.bookings b where b.id = (context ->> 'booking_id')::uuid and b.guest_verified_at is null
      and (b.guest_told_at <= at) is not true)
  then
    return private.action_result(action, 'failed',
      '{"error": "Many wrote to the guest, who could not be told of the booking yet; try again later"}');
  end if;
  reset_at := private.consume_automation_limit(execution.podcast_id, 'send_email', recipient_count, at, execution.id);
  if reset_at is not null then
    return private.rate_limited_result(action, reset_at, at);
  end if;
  for listed in select * from private.automation_recipients(context, target) r where r.skip_reason is null loop
    email := private.automation_email(context, template, listed, text_locale);
    if octet_length(email::text) > private.max_email_bytes() then  -- before one is sent
      return private.action_result(action, 'failed', '{"error": "The email is too long with its values"}');
    end if;
    send_at := case when not listed.is_guest then at else (private.take_guest_email(
      execution.podcast_id, listed.email, listed.has_agreed, false, at)).send_at end;
    continue when send_at is null;
    last_send_at := greatest(last_send_at, send_at);
    emails := emails || jsonb_build_object('email', email, 'send_at', send_at, 'recipient',
      jsonb_strip_nulls(jsonb_build_object('email', listed.email, 'name', listed.name,
        'locale', listed.locale, 'timezone', listed.timezone,
        'audience', listed.audience,
        'url', coalesce(context #>> '{tags,episode_url}', context #>> '{tags,podcast_url}'))));
  end loop;
  if emails = '{}' then
    return private.action_result(action, 'failed',
      '{"error": "The guest got too many emails today; try again tomorrow"}');
  end if;
  for recipient, email, send_at in
    select e -> 'recipient', e -> 'email', (e ->> 'send_at')::timestamptz
    from unnest(emails) with ordinality u (e, n) order by u.n
  loop
    perform private.notify('automation.email', jsonb_build_array(recipient),
      jsonb_strip_nulls(jsonb_build_object('podcast_id', execution.podcast_id,
        'params', jsonb_build_object('subject', email -> 'subject', 'body', nullif(email ->> 'body_text', ''),
          'html', nullif(email ->> 'body_html', '')))),
      _dedupe_key => format('automation:%s:%s', execution.occurrence_id, action.id),
      _group_key => coalesce('booking:' || (context ->> 'booking_id'), 'episode:' || (context ->> 'episode_id')),
      _scheduled_for => nullif(send_at, at), at => at);
  end loop;
  return private.action_result(action, 'completed', jsonb_build_object('template_id', action.template_id,
      'recipient_count', cardinality(emails), 'missing_tags', private.missing_tags(template, context -> 'tags'))
    || case when cardinality(emails) < recipient_count
      then jsonb_build_object('left_out_count', recipient_count - cardinality(emails)) else '{}' end
    || case when last_send_at > at
      then jsonb_build_object('delayed_until', private.format_timestamp(last_send_at)) else '{}' end);
end $$;
comment on function private.run_send_email is
  'Enqueues the emails of an action, and returns its result, which counts the recipients without naming them.';
