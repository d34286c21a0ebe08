-- Lists the chat of the guest's episode, newest first, with names and avatars but without emails and ids of people.
create function private.list_guest_messages(
  _access_token text, _cursor text, page_size int, at timestamptz default now()
) returns jsonb
language plpgsql volatile security definer  -- anonymous callers have no grants; the access token authorizes the call
set search_path = ''
as $$
declare
  guest  public.episode_guests := private.authenticate_guest(_access_token, at => at);
  before record;
  page   record;
begin
  perform private.require_not_declined(guest);
  perform private.require_page_size(page_size, 100);
  select c.at, c.id into before from private.decode_cursor(_cursor) c;
  select
    coalesce(jsonb_agg(private.guest_message_json(m.message, guest.id) order by m.n)
      filter (where m.n <= page_size), '[]') as data,
    max(private.encode_cursor((m.message).created_at, (m.message).id)) filter (where m.n = page_size) as next_cursor,
    count(*) > page_size as has_more
  into page
  from (
    select m as message, row_number() over (order by m.created_at desc, m.id desc) as n
    from public.episode_messages m
    where m.episode_id = guest.episode_id and (m.created_at, m.id) < (before.at, before.id)
    order by m.created_at desc, m.id desc
    limit page_size + 1
  ) m;
  return jsonb_build_object(
    'data', page.data, 'pagination', private.pagination_json(page.next_cursor, page.has_more));
end $$;
grant execute on function private.list_guest_messages to anon, authenticated;

create function public.list_guest_messages(access_token text, cursor text default null, "limit" int default 50)
returns jsonb
language sql volatile security invoker  -- volatile: records the visit
set search_path = ''
return private.list_guest_messages(access_token, cursor, "limit");
comment on function public.list_guest_messages is
  'POST /api/guests/messages/list: {data, pagination: {nextCursor, hasMore}}, newest first; limit 1 to 100. '
  'Requires the access token, no login. 400, 401 INVALID or EXPIRED, 403 GUEST_INVITATION_DECLINED.';
grant execute on function public.list_guest_messages to anon, authenticated;
