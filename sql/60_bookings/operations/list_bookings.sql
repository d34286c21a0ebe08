-- Lists a podcast's bookings by the time of their sessions.
create function private.list_bookings(
  _podcast_id uuid, _status public.booking_status, from_time timestamptz, to_time timestamptz, _episode_id uuid,
  _cursor text, page_size int, at timestamptz default now()
) returns jsonb
language plpgsql stable security definer  -- distinguishes a missing podcast from a forbidden one
set search_path = ''
set plan_cache_mode = 'force_custom_plan'  -- each set of filters has its own index
as $$
declare
  after record;
  page  record;
begin
  perform private.require_role(_podcast_id, 'admin');
  perform private.require_page_size(page_size, 100);
  select c.at, c.id into after from private.decode_cursor(_cursor) c
  where _cursor is not null;
  select
    coalesce(jsonb_agg(private.host_booking_json(r.booking, at) order by r.n)
      filter (where r.n <= page_size), '[]') as data,
    max(private.encode_cursor((r.booking).start_time, (r.booking).id)) filter (where r.n = page_size) as next_cursor,
    count(*) > page_size as has_more
  into page
  from (
    select b as booking, row_number() over (order by b.start_time, b.id) as n
    from public.bookings b
    where b.podcast_id = _podcast_id
      and (_status is null or b.status = _status)
      and (_episode_id is null or b.episode_id = _episode_id)
      and b.start_time >= coalesce(from_time, '-infinity') and b.start_time < coalesce(to_time, 'infinity')
      and (b.start_time, b.id) > (coalesce(after.at, '-infinity'),
        coalesce(after.id, '00000000-0000-0000-0000-000000000000'))
    order by b.start_time, b.id
    limit page_size + 1
  ) r;
  return jsonb_build_object(
    'data', page.data, 'pagination', private.pagination_json(page.next_cursor, page.has_more));
end $$;
grant execute on function private.list_bookings to authenticated;

create function public.list_bookings(
  podcast_id uuid, status public.booking_status default null, "from" timestamptz default null,
  "to" timestamptz default null, episode_id uuid default null, cursor text default null, "limit" int default 50)
returns jsonb
language sql stable security invoker set search_path = ''
return private.list_bookings(podcast_id, status, "from", "to", episode_id, cursor, "limit");
comment on function public.list_bookings is
  'GET /api/bookings: {data, pagination: {nextCursor, hasMore}}, by start_time; from is included, to is not. limit 1 '
  'to 100. Requires admin. 400, 403, 404.';
grant execute on function public.list_bookings to authenticated;
