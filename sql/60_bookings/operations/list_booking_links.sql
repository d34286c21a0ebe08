-- Lists a podcast's booking links, oldest first.
create function public.list_booking_links(podcast_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  perform private.require_role(list_booking_links.podcast_id, 'admin');
  return (
    select coalesce(jsonb_agg(private.booking_link_json(l) order by l.created_at, l.id), '[]')
    from public.booking_links l where l.podcast_id = list_booking_links.podcast_id);
end $$;
comment on function public.list_booking_links is
  'GET /api/booking-links: all links of a podcast, inactive ones too, oldest first. Requires admin. 403, 404.';
grant execute on function public.list_booking_links to authenticated;
