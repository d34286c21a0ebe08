-- What an execution knows: the ids and tags of its occurrence, and the recipients of its emails.
create function private.automation_context(podcast_id uuid, booking_id uuid, episode_id uuid, at timestamptz)
returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'podcast_id', p.id, 'booking_id', b.id, 'episode_id', e.id, 'occurred_at', private.format_timestamp($4),
    'timezone', private.timezone_or_utc(coalesce(l.timezone, f.timezone)),
    'tags', jsonb_strip_nulls(jsonb_build_object(
      'podcast_title', p.title, 'podcast_url', private.listen_url(p.slug),
      'host_name', coalesce(f.display_name, p.author, p.title),
      'episode_title', e.title, 'episode_number', e.episode_number::text,
      'episode_url', case when e.id is not null then private.listen_url(p.slug, e.slug) end,
      'episode_published_at', private.format_timestamp(e.published_at),
      'guest_first_name', split_part(coalesce(b.guest_name, g.display_name), ' ', 1),
      'guest_full_name', coalesce(b.guest_name, g.display_name),
      'guest_email', coalesce(b.guest_email, g.email),
      'booking_start', private.format_timestamp(b.start_time), 'booking_end', private.format_timestamp(b.end_time),
      'booking_timezone', case when b.id is not null then coalesce(l.timezone, b.guest_timezone) end,
      'booking_link_name', b.name, 'recording_start', private.format_timestamp(b.start_time))))
  from public.podcasts p
  join public.profiles f on f.id = p.owner_id
  left join public.bookings b on b.id = $2 and b.podcast_id = p.id
  left join public.booking_links l on l.id = b.booking_link_id
  left join public.episodes e on e.id = coalesce($3, b.episode_id) and e.podcast_id = p.id
  left join lateral (
    select d.display_name, d.email from public.episode_guests o
    join public.podcast_guests d on d.id = o.podcast_guest_id
    where o.episode_id = e.id and o.status = 'active' and b.id is null order by o.invited_at, o.id limit 1) g on true
  where p.id = $1
$$;
comment on function private.automation_context is
  'The context_data of an occurrence: {podcast_id, booking_id, episode_id, occurred_at, timezone, tags}, with the '
  'values of now. Moments are in UTC.';

create function private.current_automation_context(context jsonb, at timestamptz) returns jsonb
language sql stable security invoker set search_path = ''
return private.automation_context(($1 ->> 'podcast_id')::uuid, ($1 ->> 'booking_id')::uuid,
  ($1 ->> 'episode_id')::uuid, $2) || jsonb_build_object('occurred_at', $1 -> 'occurred_at');
comment on function private.current_automation_context is
  'The context_data of an execution with the facts of now; occurred_at stays.';

create function private.localize_tags(tags jsonb, zone text, text_locale text) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select $1 || coalesce((
    select jsonb_object_agg(t.tag, format('%s, %s',
      private.format_local_date(($1 ->> t.tag)::timestamptz, $2, f.formats),
      private.format_local_time(($1 ->> t.tag)::timestamptz, $2, f.formats)))
    from public.automation_tags t cross join (select private.date_formats($3) as formats offset 0) f
    where t.kind = 'moment' and $1 ? t.tag), '{}')
    || case when $1 ? 'booking_timezone' then jsonb_build_object('booking_timezone', $2) else '{}' end
$$;
comment on function private.localize_tags is
  'Tags as an email shows them: moments in a time zone, for a locale of texts, and the zone as booking_timezone.';

create function private.automation_recipients(context jsonb, target text)
returns table (email text, name text, locale text, timezone text, guest_name text, is_guest boolean,
  has_agreed boolean, audience jsonb)
language plpgsql stable rows 5 security invoker set search_path = ''
as $$
declare
  podcast  public.podcasts;
  zone     constant text := context ->> 'timezone';
  address  constant text := private.normalize_email(target);
  to_guest constant boolean := target = 'guest';
begin
  select p.* into strict podcast from public.podcasts p where p.id = (context ->> 'podcast_id')::uuid;
  return query
    select distinct on (r.email) r.email, r.name, r.locale, private.timezone_or_utc(r.timezone),
      max(r.guest_name) over (partition by r.email), r.rank > 2, r.has_agreed,
      r.audience
    from (
      -- anyone may have typed the name
      select b.guest_email, n.name, b.guest_locale, b.guest_timezone, coalesce(n.name, '…'), 3 as rank,
        b.guest_verified_at is not null as has_agreed, null::jsonb as audience
      from public.bookings b
      cross join lateral (select case when b.guest_verified_at is not null then b.guest_name
        else private.without_links(b.guest_name) end) n (name)
      where to_guest and b.id = (context ->> 'booking_id')::uuid
      union all
      select g.email, g.display_name, coalesce(f.locale, podcast.language), coalesce(f.timezone, zone),
        g.display_name, 4, true, jsonb_strip_nulls(jsonb_build_object('podcast_guest_id', g.id,
          'episode_id', case when to_guest then context -> 'episode_id' end))
      from public.podcast_guests g left join public.profiles f on f.id = g.user_id
      where g.podcast_id = podcast.id and (g.email = address and private.has_accepted_invitation(g.id)
        or to_guest and context ->> 'booking_id' is null and g.id in (
          select o.podcast_guest_id from public.episode_guests o
          where o.episode_id = (context ->> 'episode_id')::uuid and o.status = 'active'))
      union all
      select lower(u.email), f.display_name, coalesce(f.locale, podcast.language),
        coalesce(f.timezone, zone), null, 1, true,
        jsonb_build_object('user_id', u.id)
      from public.podcast_members m
      join public.profiles f on f.id = m.user_id
      join auth.users u on u.id = m.user_id
      where m.podcast_id = podcast.id and u.email_confirmed_at is not null
        and (target = 'team' or target = 'host' and m.role = 'owner' or u.email = address and not u.is_sso_user)
      union all
      select a.email, null, podcast.language, zone, null, 2, true, null from public.automation_addresses a
      where a.podcast_id = podcast.id and a.email = address and a.confirmed_at is not null
    ) r (email, name, locale, timezone, guest_name, rank, has_agreed, audience)
    order by r.email, r.rank;
end $$;
comment on function private.automation_recipients is
  'To whom send_email sends: guest (of the booking, or the active guests of the episode), host (the owner), team, or '
  'an address that is a member, a guest of the podcast who accepted an invitation, or confirmed by its holder. '
  'has_agreed is false for the guest of a booking who is not verified: anyone could have entered the address. '
  'audience is that of private.is_in_audience.';

create function private.missing_tags(template public.automation_templates, tags jsonb) returns text[]
language sql stable security invoker set search_path = ''
as $$
  select coalesce(array_agg(u.tag order by u.tag), '{}')
  from unnest(private.used_tags(concat_ws(' ', $1.subject, $1.body_html, $1.body_text))) u (tag)
  where not $2 ? u.tag
$$;
comment on function private.missing_tags is 'The tags of a template that have no value.';
