-- To whom an automation sends, and who is left out.
create function private.has_declined_invitations(podcast_id uuid, email text) returns boolean
language sql stable security invoker set search_path = ''
as $$
  select exists (
    select from public.podcast_guests g
    where g.podcast_id = $1 and g.email = $2 and not private.has_accepted_invitation(g.id)
      and exists (
        select from public.episode_guests e
        where e.podcast_guest_id = g.id and e.status in ('declined', 'removed')))
$$;
comment on function private.has_declined_invitations is
  'Whether an address is that of a guest who declined or was removed, and has no accepted invitation of the podcast.';

create function private.email_skip_reason(email text, podcast_id uuid) returns text
language sql stable security invoker set search_path = ''
as $$
  select case s.reason when 'bounce' then 'bounced' when 'complaint' then 'suppressed' else s.reason end
  from private.suppressions_of($1, 'automation.email', $2) s order by s.reason limit 1  -- a bounce stops most
$$;
comment on function private.email_skip_reason is
  'Why an address gets no automatic emails of a podcast: bounced, suppressed (after a complaint) or unsubscribed; null '
  'if it gets them.';

create function private.automation_recipients(context jsonb, target text)
returns table (email text, name text, locale text, timezone text, guest_name text, is_guest boolean,
  has_agreed boolean, audience jsonb, skip_reason text)
language plpgsql stable rows 5 security invoker set search_path = ''
as $$
declare
  podcast  public.podcasts;
  zone     constant text := context ->> 'timezone';
  address  constant text := private.normalize_email(target);
  to_guest constant boolean := target = 'guest';
  guest_id constant uuid := context ->> 'episode_guest_id';  -- of an occurrence that is about one guest
begin
  select p.* into strict podcast from public.podcasts p where p.id = (context ->> 'podcast_id')::uuid;
  if context ? 'tested_by' then  -- only the tester gets the email, not the recipients
    return query
      select lower(u.email), f.display_name, coalesce(f.locale, podcast.language),
        private.timezone_or_utc(coalesce(f.timezone, zone)), null::text, false, true,
        jsonb_build_object('tests', target), private.email_skip_reason(lower(u.email), podcast.id)
      from auth.users u join public.profiles f on f.id = u.id
      where u.id = (context ->> 'tested_by')::uuid and u.email_confirmed_at is not null;
    return;
  end if;
  return query
    select distinct on (r.email) r.email, r.name, r.locale, private.timezone_or_utc(r.timezone),
      max(r.guest_name) over (partition by r.email), r.rank > 2, r.has_agreed, r.audience,
      case when r.has_declined then 'declined' else private.email_skip_reason(r.email, podcast.id) end
    from (
      -- Anyone may have typed the name and the address. A guest who verified the booking wants it, even after
      -- declining an invitation; without that, the declined invitation counts.
      select b.guest_email, n.name, b.guest_locale, b.guest_timezone, coalesce(n.name, '…'), 3 as rank,
        b.guest_verified_at is not null as has_agreed, null::jsonb as audience,
        b.guest_verified_at is null and private.has_declined_invitations(podcast.id, b.guest_email) as has_declined
      from public.bookings b
      cross join lateral (select case when b.guest_verified_at is not null then b.guest_name
        else private.without_links(b.guest_name) end) n (name)
      where to_guest and b.id = (context ->> 'booking_id')::uuid
      union all
      -- people who did not answer, or were removed, are not guests of the episode
      select g.email, g.display_name, coalesce(f.locale, podcast.language), coalesce(f.timezone, zone),
        g.display_name, 4, true, jsonb_build_object('podcast_guest_id', g.id, 'episode_id', e.episode_id),
        e.status = 'declined'
      from public.episode_guests e
      join public.podcast_guests g on g.id = e.podcast_guest_id
      left join public.profiles f on f.id = g.user_id
      where to_guest and context ->> 'booking_id' is null and e.podcast_id = podcast.id
        and e.episode_id = (context ->> 'episode_id')::uuid and e.id = coalesce(guest_id, e.id)
        and e.status in ('active', 'declined')
      union all
      select g.email, g.display_name, coalesce(f.locale, podcast.language), coalesce(f.timezone, zone),
        -- in an occurrence that is about one guest, the guest's name is that one's
        case when num_nonnulls(context ->> 'booking_id', guest_id) = 0 then g.display_name end,
        4, true, jsonb_build_object('podcast_guest_id', g.id), not private.has_accepted_invitation(g.id)
      from public.podcast_guests g
      left join public.profiles f on f.id = g.user_id
      where g.podcast_id = podcast.id and g.email = address
        and exists (select from public.episode_guests e where e.podcast_guest_id = g.id)
      union all
      select lower(u.email), f.display_name, coalesce(f.locale, podcast.language),
        coalesce(f.timezone, zone), null, 1, true, jsonb_build_object('user_id', u.id), false
      from public.podcast_members m
      join public.profiles f on f.id = m.user_id
      join auth.users u on u.id = m.user_id
      where m.podcast_id = podcast.id and u.email_confirmed_at is not null
        and (target = 'team' or target = 'host' and m.role = 'owner' or u.email = address and not u.is_sso_user)
      union all
      select a.email, null, podcast.language, zone, null, 2, true, null, false from public.automation_addresses a
      where a.podcast_id = podcast.id and a.email = address and a.confirmed_at is not null
    ) r (email, name, locale, timezone, guest_name, rank, has_agreed, audience, has_declined)
    order by r.email, r.rank;
end $$;
comment on function private.automation_recipients is
  'To whom send_email sends, each address once: guest (of the booking, or those of the episode who accepted), host '
  '(the owner), team, or an address that is a member, a guest of the podcast, or confirmed by its holder. has_agreed '
  'is false for the guest of a booking who is not verified: anyone could have entered the address. audience is that of '
  'private.is_in_audience; {tests: target} is that of the user who asked for a test, its only recipient. '
  'skip_reason says who gets none: declined (declined, was removed or did not accept), '
  'unsubscribed, bounced, or suppressed after a complaint; null for recipients.';
