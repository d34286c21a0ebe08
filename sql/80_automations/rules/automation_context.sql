-- What an execution knows: the ids and tags of its occurrence.
create function private.first_name(full_name text) returns text
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select split_part(regexp_replace($1, '^((dr|prof|mr|mrs|ms|mx|mag|ing|dipl\.-ing|rev)\.|(dr|prof|mr|mrs|ms|mx|miss|'
    'herr|frau|sir|dame)(?=\s)|\s+)+(?=\S)', '', 'i'), ' ', 1)
$$;
comment on function private.first_name is
  'The first name in a full name, behind titles such as "Prof. Dr."; a name of one word is its own.';

-- Anyone may have typed the answers, up to 40,000 characters, and each rule keeps its copy.
create function private.booking_answer_tags(booking public.bookings) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select coalesce(jsonb_object_agg('booking_answer:' || a.label, private.shorten_text(a.answer, 1000) order by a.n)
      || jsonb_build_object('booking_answers',
        private.shorten_text(string_agg(a.label || ': ' || a.answer, e'\n' order by a.n), 5000)), '{}')
  from private.labelled_answers($1) a
$$;
comment on function private.booking_answer_tags is
  'The answers of a booking as tags: booking_answer:<question> each, and booking_answers, a line per question. Long '
  'ones are cut.';

create function private.without_strangers_texts(tags jsonb) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
as $$
  select coalesce(jsonb_object_agg(t.key, t.value), '{}') from jsonb_each($1) t
  where t.key <> 'booking_notes' and t.key not like 'booking\_answer%'
$$;
comment on function private.without_strangers_texts is
  'Tags without the texts that anyone may have typed on the booking page, for an email to an address that anyone may '
  'have typed there.';

create function private.automation_context(
  podcast_id uuid, booking_id uuid, episode_id uuid, at timestamptz, _episode_guest_id uuid default null,
  _import_id uuid default null, _previous_start timestamptz default null)
returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'podcast_id', p.id, 'booking_id', b.id, 'episode_id', e.id, 'episode_guest_id', o.id, 'import_id', i.id,
    'podcast_guest_id', coalesce(o.podcast_guest_id, (
      select d.id from public.podcast_guests d where d.podcast_id = p.id and d.email = b.guest_email)),
    'occurred_at', private.format_timestamp($4),
    'timezone', private.timezone_or_utc(coalesce(l.timezone, f.timezone)),
    'tags', jsonb_strip_nulls(jsonb_build_object(
      'podcast_title', p.title, 'podcast_url', private.listen_url(p.slug), 'podcast_cover_url', p.cover_image_url,
      'feed_url', case when p.hosting_type = 'native' then private.feed_url(p.slug) end,
      'host_name', coalesce(f.display_name, p.author, p.title), 'host_email', private.confirmed_email_of(f.id),
      'episode_title', e.title, 'episode_number', e.episode_number::text,
      'episode_url', case when e.id is not null then private.listen_url(p.slug, e.slug) end,
      'episode_cover_url', case when e.id is not null then coalesce(e.cover_image_url, p.cover_image_url) end,
      'episode_audio_url', case when e.status = 'published' then e.audio_url end,
      'episode_scheduled_at', private.format_timestamp(e.scheduled_at),
      'episode_published_at', private.format_timestamp(e.published_at),
      'guest_first_name', private.first_name(coalesce(b.guest_name, g.display_name)),
      'guest_full_name', coalesce(b.guest_name, g.display_name),
      'guest_email', coalesce(b.guest_email, g.email))
    || jsonb_build_object(
      'booking_start', private.format_timestamp(b.start_time), 'booking_end', private.format_timestamp(b.end_time),
      'booking_previous_start', case when b.id is not null then private.format_timestamp($7) end,
      'booking_timezone', case when b.id is not null then coalesce(l.timezone, b.guest_timezone) end,
      'booking_link_name', b.name, 'recording_start', private.format_timestamp(b.start_time),
      'booking_location', case when b.id is not null then private.guest_location(b) ->> 'value' end,
      'booking_notes', private.shorten_text(b.notes, 2000), 'booking_status_message', b.status_message,
      'cancelled_by', b.cancelled_by,
      'import_episode_count', i.completed_count::text, 'import_failed_count', i.failed_count::text)
    || case when b.id is not null then private.booking_answer_tags(b) else '{}' end))
  from public.podcasts p
  left join public.bookings b on b.id = $2 and b.podcast_id = p.id
  left join public.podcast_members m on m.podcast_id = p.id and m.user_id = b.confirmed_by and m.role >= 'admin'
  join public.profiles f on f.id = coalesce(m.user_id, p.owner_id)
  left join public.booking_links l on l.id = b.booking_link_id
  left join public.episode_guests o on o.id = $5 and o.podcast_id = p.id
  left join public.podcast_imports i on i.id = $6 and i.podcast_id = p.id
  -- a booking may be linked with another episode since it was confirmed
  left join public.episodes e on e.id = coalesce(b.episode_id, $3, o.episode_id) and e.podcast_id = p.id
  left join lateral (
    select d.display_name, d.email from public.episode_guests n
    join public.podcast_guests d on d.id = n.podcast_guest_id
    where b.id is null and case when o.id is not null then n.id = o.id
      else n.episode_id = e.id and n.status = 'active' end
    order by n.invited_at, n.id limit 1) g on true
  where p.id = $1
$$;
comment on function private.automation_context is
  'The context_data of an occurrence: {podcast_id, booking_id, episode_id, episode_guest_id, import_id, '
  'podcast_guest_id, occurred_at, timezone, tags}, with the values of now. podcast_guest_id is the record of the '
  'booking''s address or of the episode guest. The host is the admin who confirmed the booking, or the owner. Moments '
  'are in UTC.';

create function private.current_automation_context(context jsonb, at timestamptz) returns jsonb
language sql stable security invoker set search_path = ''
return case when $1 ? 'is_sample' then $1
  else private.automation_context(($1 ->> 'podcast_id')::uuid, ($1 ->> 'booking_id')::uuid,
      ($1 ->> 'episode_id')::uuid, $2, ($1 ->> 'episode_guest_id')::uuid, ($1 ->> 'import_id')::uuid,
      ($1 #>> '{tags,booking_previous_start}')::timestamptz)
    || jsonb_strip_nulls(jsonb_build_object('occurred_at', $1 -> 'occurred_at', 'tested_by', $1 -> 'tested_by')) end;
comment on function private.current_automation_context is
  'The context_data of an execution with the facts of now, also of the episode that its booking is linked with now; '
  'occurred_at and booking_previous_start stay. A sample has no facts.';

create function private.missing_tags(template public.automation_templates, tags jsonb) returns text[]
language sql stable security invoker set search_path = ''
as $$
  select coalesce(array_agg(u.tag order by u.tag), '{}')
  from unnest(private.used_tags(concat_ws(' ', $1.subject, $1.body_html, $1.body_text))) u (tag)
  where not $2 ? u.tag
$$;
comment on function private.missing_tags is 'The tags of a template that have no value.';
