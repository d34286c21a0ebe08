-- Returns what guests may know about a booking link before they choose a slot.
create function private.get_public_booking_link(_booking_link_id uuid, _podcast_slug text, _link_slug text)
returns jsonb
language plpgsql stable security definer  -- anonymous callers have no table grants; returns what guests may know
set search_path = ''
as $$
declare
  link public.booking_links;
begin
  if num_nonnulls(_podcast_slug, _link_slug) <> (case when _booking_link_id is null then 2 else 0 end) then
    raise sqlstate 'PT400' using message = 'Invalid request',
      detail = 'Provide either the ID of the booking link, or the slugs of its podcast and of the link';
  end if;
  link := private.require_offered_link(coalesce(_booking_link_id, (
    select l.id from public.booking_links l join public.podcasts p on p.id = l.podcast_id
    where p.slug = _podcast_slug and l.slug = _link_slug)));
  return (
    select jsonb_build_object(
      'bookingLink', jsonb_build_object('id', link.id, 'slug', link.slug, 'name', link.name,
        'description', link.description, 'duration_minutes', link.duration_minutes, 'timezone', link.timezone,
        'questions', link.questions, 'location', link.location - 'value',
        'requires_confirmation', link.requires_confirmation),
      'podcast', jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'coverImageUrl', p.cover_image_url))
    from public.podcasts p where p.id = link.podcast_id);
end $$;
grant execute on function private.get_public_booking_link to anon, authenticated, service_role;

create function public.get_public_booking_link(
  booking_link_id uuid default null, podcast_slug text default null, link_slug text default null) returns jsonb
language sql stable security invoker set search_path = ''
return private.get_public_booking_link(booking_link_id, podcast_slug, link_slug);
comment on function public.get_public_booking_link is
  'GET /api/availability/link: {bookingLink, podcast} of an active booking link, by its ID or by the slugs of its '
  'podcast and its own, with the questions to guests and the type of the place. Requires no login. 400, 404.';
grant execute on function public.get_public_booking_link to anon, authenticated, service_role;
