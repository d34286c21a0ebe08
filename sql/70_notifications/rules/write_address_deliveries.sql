-- Writes what the addresses of events of one type receive: an email each, with its texts, because no notification has
-- them.
create function private.write_address_deliveries(event_ids bigint[], kind public.notification_types)
returns table (event_id bigint, notified int, deduped int, invalid int)
language plpgsql volatile security invoker set search_path = ''
set plan_cache_mode = force_generic_plan  -- planning costs more than a small fan-out, and no plan depends on values
as $$
begin
  return query
  with address as materialized (
    select distinct on (e.id, f.email) e.id as event_id, gen_random_uuid() as id, f.email,
      case when f.is_unsolicited then private.without_links(a.name) else a.name end as name,
      coalesce(a.locale, 'en') as locale, private.timezone_or_utc(a.timezone) as timezone, a.url, f.reply_to,
      f.attachments, f.access, f.calendar_event, f.subject, a.sender_id, a.source_id, f.is_unsolicited,
      coalesce(a.is_essential, kind.is_essential or kind.is_essential_to_addresses) as is_essential,
      private.is_address_recipient(f.email, a.name, a.url, f.reply_to, f.attachments)
        and (f.access is null or private.is_access(f.access) and a.url is not null)
        and coalesce(private.is_calendar_event(f.calendar_event), true)
        and coalesce(private.is_email_subject(f.subject), true) as is_valid,
      e.type, e.payload, e.dedupe_key, private.email_thread_key(e.group_key, e.payload) as thread_key, e.created_at,
      coalesce(e.priority::public.notification_priority, kind.priority) as priority,
      greatest(e.created_at, e.scheduled_for) as due_at
    from private.events e
    cross join lateral jsonb_to_recordset(e.recipients) a (email text, name text, locale text, timezone text, url text,
      reply_to text, attachments jsonb, access jsonb, calendar_event jsonb, subject jsonb, sender_id uuid,
      source_id uuid, is_essential boolean, is_unsolicited boolean)
    cross join lateral (
      select private.normalize_email(a.email) as email, private.normalize_email(a.reply_to) as reply_to,
        coalesce(a.is_unsolicited, false) as is_unsolicited, coalesce(a.attachments, '[]') as attachments,
        nullif(a.access, 'null') as access,
        nullif(a.calendar_event, 'null') as calendar_event, nullif(a.subject, 'null') as subject) f
    where e.id = any (event_ids) and e.type = kind.type and a.email is not null
  ), written as (
    insert into private.delivery_addresses as d (delivery_id, email, name, locale, timezone, podcast_id, podcast_title,
      thread_key, title, body, url, reply_to, attachments, access, calendar_event, is_essential, is_unsolicited,
      dedupe_key, subject, source_id, sender_id)
    select a.id, a.email, a.name, a.locale, a.timezone, (a.payload ->> 'podcast_id')::uuid,
      case when a.is_unsolicited then private.without_links(p.title) else p.title end, a.thread_key, t.title, t.body,
      a.url, a.reply_to, a.attachments, a.access, a.calendar_event,
      a.is_essential, a.is_unsolicited, a.dedupe_key, a.subject, a.source_id,
      (select f.id from public.profiles f where f.id = a.sender_id)
    from address a
    cross join lateral private.podcast_title_of(a.payload) p (title)
    cross join lateral private.notification_texts(
      a.type, a.payload, private.text_locale_of(a.locale), a.timezone, true, a.is_unsolicited) t
    where a.is_valid
    order by a.email, a.event_id  -- concurrent transactions write the same keys in the same order
    on conflict (dedupe_key, email) where dedupe_key is not null do nothing
    returning d.delivery_id
  ), delivery as (
    insert into public.notification_deliveries (id, type, channel, priority, due_at, created_at)
    select a.id, a.type, 'email', a.priority, a.due_at, a.created_at
    from written w join address a on a.id = w.delivery_id
  )
  select a.event_id, count(w.delivery_id)::int, (count(*) filter (where a.is_valid) - count(w.delivery_id))::int,
    count(*) filter (where not a.is_valid)::int
  from address a left join written w on w.delivery_id = a.id
  group by a.event_id;
end $$;
comment on function private.write_address_deliveries is
  'Writes the deliveries of recipients that are only an address, for events of one type. Invalid ones are left out and '
  'counted.';
