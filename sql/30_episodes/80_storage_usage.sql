-- What the caller's account stores, and may store.
create function private.my_storage() returns jsonb
language plpgsql stable security definer  -- the ledger is not the caller's; shows the caller's own account only
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('used', a.storage_bytes_used, 'allowed', private.allowed_bytes(a.user_id),
      'temporary', coalesce((select sum(m.bytes) from private.media_objects m
        where m.account_id = a.user_id and m.purpose = 'temporary' and m.released_at is null), 0),
      'podcasts', coalesce((
        select jsonb_agg(jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'used', coalesce(m.bytes, 0)) order by m.bytes desc nulls last, p.id)
        from public.podcasts p
        left join (
          select o.podcast_id, sum(o.bytes) as bytes from private.media_objects o
          where o.account_id = a.user_id and o.released_at is null group by o.podcast_id) m on m.podcast_id = p.id
        where p.owner_id = a.user_id), '[]'))
    from public.billing_accounts a where a.user_id = auth.uid());
end $$;
comment on function private.my_storage is 'storage_usage''s half behind the grants.';
revoke all on function private.my_storage from public, anon, authenticated, service_role;
grant execute on function private.my_storage to authenticated;

create function public.storage_usage() returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.my_storage();
end $$;
comment on function public.storage_usage is
  'The caller''s own account, in bytes: {used, allowed, temporary, podcasts: [{id, slug, title, used}]}, the largest first. `used` is the podcasts'' sum and the temporary imports.';
revoke all on function public.storage_usage from public, anon, authenticated, service_role;
grant execute on function public.storage_usage to authenticated;
