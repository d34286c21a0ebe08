-- send_email: one email per recipient, through the deliveries of notifications. It decides who gets one and when;
-- automation_email_content renders it when it is sent.
create function private.unsendable_result(
  action public.automation_actions, recipient_count int, skipped jsonb default '[]') returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  max_recipients constant int := private.max_automation_units('send_email');
  list           constant jsonb := case when skipped = '[]' then '{}' else jsonb_build_object(
    'template_id', action.template_id, 'recipient_count', 0, 'skipped_count', jsonb_array_length(skipped),
    'recipients', private.first_recipients(skipped)) end;
begin
  return case
    when recipient_count > max_recipients then private.action_result(action, 'failed', jsonb_build_object('error',
      format('The email has %s recipients; at most %s an hour are allowed', recipient_count, max_recipients)))
    when recipient_count > 0 then null
    when skipped @> '[{"code": "daily_limit"}]' then private.action_result(action, 'failed', list ||
      jsonb_build_object('error', private.skip_text('daily_limit') || '; try again tomorrow'))
    when skipped <> '[]' then private.action_result(action, 'skipped', list ||
      jsonb_build_object('reason', 'No recipient may get the email: ' || (skipped #>> '{0,reason}')))
    when action.action_config ->> 'to' in ('guest', 'host', 'team')
      then private.action_result(action, 'skipped', '{"reason": "The occurrence has no such recipient"}')
    else private.action_result(action, 'failed',
      '{"error": "The address is no longer a member, a guest who accepted an invitation or a confirmed address"}') end;
end $$;
comment on function private.unsendable_result is
  'The result of an email that cannot be sent to so many recipients, after others were skipped; null if it can.';

create function private.first_recipients(recipients jsonb) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
return jsonb_path_query_array(recipients, '$[0 to 99]');
comment on function private.first_recipients is 'The recipients that a result lists: the first 100.';

create function private.skipped_recipient(email text, skip_reason text) returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('recipient', private.mask_email(email), 'status', 'skipped', 'code', skip_reason,
    'reason', private.skip_text(skip_reason));
end $$;
comment on function private.skipped_recipient is 'A recipient who gets no email, as the result of an action shows it.';

create function private.run_send_email(
  execution public.automation_executions, action public.automation_actions, at timestamptz) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  context      constant jsonb := private.current_automation_context(execution.context_data, at);
  target       constant text := action.action_config ->> 'to';
  text_locale  constant text := (
    select private.text_locale_of(p.language) from public.podcasts p where p.id = execution.podcast_id);
  -- a reminder of a session today cannot wait for tomorrow
  is_urgent    constant boolean := execution.trigger_type = 'time.before_recording'
    and (context #>> '{tags,recording_start}')::timestamptz < at + interval '1 day';
  template     public.automation_templates;
  recipients   record;
  listed       record;
  budget       record;
  email_id     uuid;
  sending      jsonb := '[]';
  skipped      jsonb;
  last_send_at timestamptz := at;
  outcome      jsonb;
  reset_at     timestamptz;
begin
  select t.* into strict template from public.automation_templates t where t.id = action.template_id;
  select count(*) filter (where r.skip_reason is null) as count,
    bool_or(octet_length(private.automation_email(context, template, r, text_locale)::text)
      > private.max_email_bytes()) as are_too_long,
    coalesce(jsonb_agg(private.skipped_recipient(r.email, r.skip_reason)) filter (where r.skip_reason is not null),
      '[]') as skipped
  into recipients from private.automation_recipients(context, target) r;
  skipped := recipients.skipped;
  outcome := private.unsendable_result(action, recipients.count::int, skipped);
  if outcome is not null then
    return outcome;
  elsif recipients.are_too_long then
    return private.action_result(action, 'failed', '{"error": "The email is too long with its values"}');
  elsif target = 'guest' and not execution.is_test and exists (
    select from public.bookings b where b.id = (context ->> 'booking_id')::uuid and b.guest_verified_at is null
      and (b.guest_told_at <= at) is not true)
  then
    return private.action_result(action, 'failed',
      '{"error": "Many wrote to the guest, who could not be told of the booking yet; try again later"}');
  end if;
  reset_at := private.consume_automation_limit(execution.podcast_id, 'send_email', recipients.count::int, at,
    execution.id);
  if reset_at is not null then
    return private.rate_limited_result(action, reset_at, at);
  end if;
  for listed in select r.* from private.automation_recipients(context, target) r where r.skip_reason is null loop
    if listed.is_guest then
      select t.send_at, t.skip_reason into budget from private.take_guest_email(
        execution.podcast_id, listed.email, listed.has_agreed, is_urgent, at) t;
    else
      select at as send_at, null::text as skip_reason into budget;
    end if;
    if budget.skip_reason is null then
      insert into private.automation_emails (execution_id, action_id) values (execution.id, action.id)
      returning id into email_id;
      perform private.notify('automation.email', jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
          'email', listed.email, 'name', listed.name, 'locale', listed.locale, 'timezone', listed.timezone,
          'is_unsolicited', not listed.has_agreed, 'source_id', email_id))),
        jsonb_build_object('podcast_id', execution.podcast_id),
        _dedupe_key => format('automation:%s:%s', execution.occurrence_id, action.id),
        _group_key => coalesce('booking:' || (context ->> 'booking_id'), 'episode:' || (context ->> 'episode_id')),
        _scheduled_for => nullif(budget.send_at, at), at => at);
      if not exists (select from private.delivery_addresses a where a.source_id = email_id) then
        delete from private.automation_emails e where e.id = email_id;
        budget.skip_reason := 'repeated';
      end if;
    end if;
    if budget.skip_reason is not null then
      skipped := skipped || private.skipped_recipient(listed.email, budget.skip_reason);
      continue;
    end if;
    last_send_at := greatest(last_send_at, budget.send_at);
    sending := sending || jsonb_strip_nulls(jsonb_build_object('id', email_id,
      'recipient', private.mask_email(listed.email), 'status', 'sending',
      'send_at', case when budget.send_at > at then private.format_timestamp(budget.send_at) end));
  end loop;
  if sending = '[]' then
    return private.unsendable_result(action, 0, skipped);
  end if;
  return private.action_result(action, 'completed', jsonb_build_object('template_id', action.template_id,
      'recipient_count', jsonb_array_length(sending), 'sent_count', 0, 'failed_count', 0,
      'skipped_count', jsonb_array_length(skipped), 'recipients', private.first_recipients(sending || skipped),
      'missing_tags', private.preview_automation_email(execution, action, at) -> 'missing_tags')
    || case when last_send_at > at
      then jsonb_build_object('delayed_until', private.format_timestamp(last_send_at)) else '{}' end);
end $$;
comment on function private.run_send_email is
  'Enqueues the emails of an action, and returns its result, which names the recipients with masked addresses: '
  '{template_id, recipient_count, sent_count, failed_count, skipped_count, missing_tags, delayed_until, recipients: '
  '[{id, recipient, status, send_at, code, reason}]}. Reports about the emails change it later.';
