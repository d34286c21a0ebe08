-- The email of a delivery: whether its recipient may get it, and its content, with all texts in the recipient's
-- language.
create function private.is_essential_email(delivery public.notification_deliveries) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select exists (select from public.notification_types t where t.type = $1.type and t.is_essential)
    or exists (select from private.delivery_addresses a where a.delivery_id = $1.id and a.is_essential)
$$;
comment on function private.is_essential_email is
  'Whether the email of a delivery ignores complaints and unsubscriptions.';

create function private.is_email_off(delivery public.notification_deliveries, email text, _type text) returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  delivery.type := _type;
  return private.is_turned_off(delivery) or delivery.user_id is null and private.is_email_suppressed(email, _type,
    (select a.podcast_id from private.delivery_addresses a where a.delivery_id = delivery.id));
end $$;
comment on function private.is_email_off is
  'Whether the recipient of a delivery turned off emails of a type: users by their preferences, addresses by a '
  'suppression, which can be of one podcast, guests by either.';

create function private.is_open_subject(subject jsonb, at timestamptz) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select case $1 ->> 'table'
    when 'podcast_invitations' then exists (
      select from public.podcast_invitations i join public.podcasts p on p.id = i.podcast_id
      where i.id = ($1 ->> 'id')::uuid and i.status = 'pending' and i.expires_at > $2
        and p.status in ('active', 'paused')
        and not exists (select from private.podcast_invitation_blocks b
          where b.podcast_id = i.podcast_id and b.email = i.email))
    when 'episode_guests' then exists (
      select from public.episode_guests g join public.podcasts p on p.id = g.podcast_id
      where g.id = ($1 ->> 'id')::uuid and g.status in ('invited', 'active') and p.status in ('active', 'paused'))
    else true end
$$;
comment on function private.is_open_subject is
  'Whether the record that an email is about still asks for it: an invitation that waits for an answer, of a podcast '
  'that is not being deleted.';

create function private.is_collapsing(delivery public.notification_deliveries) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select $1.collapse_key is not null
    and exists (select from public.notification_types t where t.type = $1.type and t.collapses)
$$;
comment on function private.is_collapsing is
  'Whether a delivery lists several notifications of a group and has the type of one of them; a digest has its own.';

create function private.email_problem(delivery public.notification_deliveries, email text, at timestamptz) returns text
language plpgsql stable security invoker set search_path = ''
as $$
declare
  about        text := private.delivery_problem(delivery, at);
  is_essential boolean := private.is_essential_email(delivery);
  address      private.delivery_addresses;  -- null for users and guests
begin
  select * into address from private.delivery_addresses a where a.delivery_id = delivery.id;
  return case
    when email is null then 'The recipient has no email address'
    when delivery.user_id is not null and not private.is_reachable_user(delivery.user_id, at)
      then 'The recipient is unconfirmed or banned'
    when about is not null then about
    when not private.is_open_subject(address.subject, at) then 'The invitation is no longer open'
    when delivery.type = 'booking.reminder' and address.delivery_id is not null
      and not private.is_session_ahead((address.access ->> 'subject_id')::uuid, at)
      then 'The session has begun, or is canceled'
    when address.is_unsolicited and private.is_email_suppressed(email) then 'The address is suppressed'
    when is_essential then case when exists (
      select from private.email_suppressions s where s.digest = private.email_digest(email) and s.reason = 'bounce')
      then 'The address bounced' end
    when private.is_email_suppressed(email) then 'The address is suppressed'
    -- a collapsed email that is not begun leaves out what its recipient turned off
    when private.is_email_off(delivery, email, delivery.type) and (not private.is_collapsing(delivery) or exists (
      select from private.delivery_sends s where s.delivery_id = delivery.id and s.content is not null))
      then 'The recipient turned these emails off' end;
end $$;
comment on function private.email_problem is 'Why a delivery''s email must not be sent; null if it may be.';

create function private.listed_title(notification public.notifications, language text) returns text
language sql stable security invoker set search_path = ''
as $$
  select coalesce((
    select private.render_text(private.get_text($2, $1.type || '.listed'), jsonb_build_object('actor', coalesce(
      m.sender_name, p.display_name, g.display_name, private.get_text($2, 'name.member'))))
    from public.episode_messages m
    left join public.profiles p on p.id = m.sender_user_id
    left join public.episode_guests e on e.id = m.sender_guest_id
    left join public.podcast_guests g on g.id = e.podcast_guest_id
    where m.id = ($1.metadata ->> 'message_id')::uuid), $1.title)
$$;
comment on function private.listed_title is
  'What introduces a chat message in an email that lists several: its title without the episode, which the heading '
  'names.';

create function private.email_thread_key(group_key text, payload jsonb) returns text
language sql immutable parallel safe security invoker set search_path = ''
return coalesce($1, 'booking:' || ($2 ->> 'booking_id'), 'import:' || ($2 ->> 'import_id'),
  'episode:' || ($2 ->> 'episode_id'), 'podcast:' || ($2 ->> 'podcast_id'));
comment on function private.email_thread_key is
  'The subject whose emails are one thread in mail programs: the group of notifications, else what the payload is '
  'about.';

create function private.collapsed_title(notification public.notifications, type text, count int, language text)
returns text
language sql stable security invoker set search_path = ''
as $$
  select private.render_text(private.get_text($4, $2 || '.collapsed'), jsonb_build_object('count', $3, 'episode', (
    select e.title from public.episodes e where e.id = ($1.metadata ->> 'episode_id')::uuid)))
$$;
comment on function private.collapsed_title is 'The title of several notifications like this one.';

create function private.email_items(
  delivery public.notification_deliveries, language text, at timestamptz,
  out items jsonb, out title text, out newest public.notifications)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  is_digest constant boolean := delivery.collapse_key is not null and not private.is_collapsing(delivery);
  max_items constant int := case when is_digest then 50 else 20 end;
  listed    record;
begin
  with sent as materialized (
    select d.notification, d.total_count, d.n, t.quotes_people,
      -- a digest lists a group that collapses as one
      case when is_digest and t.collapses then (d.notification).group_key end as thread
    from private.delivery_notifications(delivery.id, case when is_digest then 200 else max_items end, at)
      with ordinality d (notification, total_count, n)
    join public.notification_types t on t.type = (d.notification).type
  ), item as (
    select i.*, count(*) over () as item_count
    from (
      select o.*, count(*) over (partition by coalesce(o.thread, o.n::text)) as thread_count,
        row_number() over (partition by coalesce(o.thread, o.n::text) order by o.n desc) as age_in_thread
      from sent o) i
    where i.age_in_thread = 1
    order by i.n desc limit max_items
  ), placed as (
    select i.*, p.id as podcast_id, p.title as podcast, row_number() over (partition by p.id order by i.n) as place
    from item i
    left join public.podcasts p on is_digest and p.id = ((i.notification).metadata ->> 'podcast_id')::uuid
  )
  select array_agg(l.notification order by l.n desc) as notifications, max(l.total_count)::int as total_count,
    (max(case when is_digest then l.item_count else l.total_count end) - count(*))::int as more_count,
    jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'heading', case when is_digest and l.total_count > 1 and l.place = 1 then coalesce(l.podcast, 'Castbase') end,
      'title', case when l.thread_count > 1
          then private.collapsed_title(l.notification, (l.notification).type, l.thread_count::int, language)
        when l.total_count > 1 and not is_digest then private.listed_title(l.notification, language)
        else (l.notification).title end,
      'isQuoted', l.quotes_people))
      || jsonb_build_object('body', case when l.thread_count = 1 then (l.notification).body end)
      order by case when is_digest then l.podcast end, case when is_digest then l.podcast_id end, l.n) as items
  into listed
  from placed l;
  items := listed.items;
  newest := listed.notifications[1];
  title := newest.title;
  if listed.total_count > 1 then
    title := private.collapsed_title(newest, delivery.type, listed.total_count, language);
  end if;
  if listed.more_count > 0 then
    items := items || jsonb_build_object('body', null, 'isQuoted', false, 'title', private.render_text(
      private.get_text(language, 'email.more'), jsonb_build_object('count', listed.more_count)));
  end if;
  if is_digest then
    newest := null;  -- of what the email is about, which is the inbox
  end if;
end $$;
comment on function private.email_items is
  'The notifications that a delivery''s email lists, as {title, body, isQuoted}, with the email''s title and the '
  'newest one. Items of a digest are in the order of their podcasts, the messages of a chat are one of them, and the '
  'first of each podcast has its title as `heading`, if there are several notifications. Null without any.';

create function private.email_reason(
  delivery public.notification_deliveries, is_essential boolean, podcast_title text, language text) returns text
language sql stable security invoker set search_path = ''
return private.render_text(private.get_text(language, case
    when delivery.episode_guest_id is not null then 'email.guest'
    when delivery.user_id is null
      then case when podcast_title is null then 'email.address' else 'email.podcast_address' end
    when is_essential then case when podcast_title is null then 'email.essential_account' else 'email.essential' end
    when exists (select from public.notification_types t where t.type = delivery.type and t.quotes_people)
      then 'email.chat' else 'email.settings' end),
  jsonb_build_object('podcast', podcast_title));
comment on function private.email_reason is 'Why the recipient of a delivery gets its email.';

create function private.email_content(delivery public.notification_deliveries, at timestamptz default now())
returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
declare
  recipient    record := private.email_recipient(delivery.id);
  language     text := private.language_of(recipient.locale);
  is_essential boolean := private.is_essential_email(delivery);
  address      private.delivery_addresses;
  listed       record;
  about        record;
  more         jsonb := '{}';
begin
  select * into address from private.delivery_addresses a where a.delivery_id = delivery.id;
  if address.delivery_id is null then
    listed := private.email_items(delivery, language, at);
  else
    select jsonb_build_array(jsonb_build_object(
        'title', address.title, 'body', address.body, 'html', address.html, 'isQuoted', false))
        as items, address.title as title, null::public.notifications as newest into listed;
  end if;
  if listed.items is null then
    return null;
  end if;
  select coalesce(p.display_name, g.display_name, address.name, '') as name,
    coalesce(i.podcast_id, address.podcast_id) as podcast_id,
    coalesce(podcast.title, address.podcast_title, (listed.newest).metadata ->> 'podcast_title') as podcast
  into about
  from (select) always
  left join public.profiles p on p.id = delivery.user_id
  left join public.episode_guests eg on eg.id = delivery.episode_guest_id
  left join public.podcast_guests g on g.id = eg.podcast_guest_id
  cross join lateral (
    select coalesce(g.podcast_id, ((listed.newest).metadata ->> 'podcast_id')::uuid) as podcast_id) i
  left join public.podcasts podcast on podcast.id = i.podcast_id;
  if delivery.user_id is not null and delivery.type like 'booking.%' then
    more := private.booking_host_email(delivery.type,
      ((listed.newest).metadata ->> 'booking_id')::uuid, delivery.user_id, language);
  elsif address.access ->> 'kind' = 'booking' then
    more := jsonb_build_object('replyTo', private.booking_reply_to((address.access ->> 'subject_id')::uuid));
  end if;
  return jsonb_build_object(
    'to', jsonb_build_object('name', about.name, 'address', recipient.email),
    'language', language,
    'subject', listed.title,
    'items', listed.items,
    'action', private.type_text(delivery.type, 'action', language, address.delivery_id is not null),
    'url', case
      when address.delivery_id is not null then address.url
      when delivery.user_id is not null
        then rtrim(private.get_setting('app_url'), '/') || coalesce((listed.newest).link, '')
      else private.get_setting('guest_url') end,
    'reason', private.email_reason(delivery, is_essential, about.podcast, language),
    'unsubscribe', case when not is_essential then private.get_text(language, 'email.unsubscribe') end,
    'tokenUrl', private.get_setting('base_url') || '/api/notifications/email',
    'replyTo', coalesce(address.reply_to, more ->> 'replyTo'),
    'details', more -> 'details',
    'attachments', coalesce(address.attachments, '[]'),
    'hasAccess', address.access is not null or delivery.episode_guest_id is not null,
    'hasSession', more -> 'hasSession',
    'calendarEvent', coalesce(address.calendar_event, nullif(more -> 'calendarEvent', 'null'))
      || jsonb_build_object('createdAt', delivery.created_at),
    'topic', jsonb_build_object('type', delivery.type, 'podcastId', about.podcast_id, 'podcast', about.podcast,
      'thread', coalesce(address.thread_key,
        private.email_thread_key((listed.newest).group_key, (listed.newest).metadata))));
end $$;
comment on function private.email_content is
  'The content of a delivery''s email, without tokens; null if it has no notification to list.';
