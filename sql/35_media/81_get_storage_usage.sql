-- What the caller's account stores, and may store.
create function private.get_storage_usage() returns jsonb
language plpgsql stable security definer  -- the ledger is not the caller's; shows the caller's own account only
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('usedBytes', a.storage_bytes_used + of_podcasts.staged, 'limitBytes', private.storage_allowance_bytes(a.user_id),
      'stagedBytes', of_podcasts.staged, 'podcasts', of_podcasts.entries,
      'temporaryBytes', coalesce((select sum(m.bytes) from private.media_objects m
        where m.account_id = a.user_id and m.usage = 'temporary' and m.released_at is null), 0))
    from public.billing_accounts a
    cross join lateral (
      select coalesce(sum(p.staged), 0) as staged,
        coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'usedBytes', p.used) order by p.used desc, p.id), '[]') as entries
      from (
        select o.id, o.slug, o.title, s.staged, coalesce(m.bytes, 0) + s.staged as used
        from public.podcasts o
        cross join lateral private.staged_bytes(o.id) s (staged)
        left join (
          select m.podcast_id, sum(m.bytes) as bytes from private.media_objects m
          where m.account_id = a.user_id and m.released_at is null group by m.podcast_id) m on m.podcast_id = o.id
        where o.owner_id = a.user_id) p
    ) of_podcasts
    where a.user_id = auth.uid());
end $$;
comment on function private.get_storage_usage is 'get_storage_usage''s half behind the grants.';
grant execute on function private.get_storage_usage to authenticated;

create function public.get_storage_usage() returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.get_storage_usage();
end $$;
comment on function public.get_storage_usage is
  'The caller''s own account, in bytes: {usedBytes, limitBytes, stagedBytes, temporaryBytes, podcasts: [{id, slug, title, usedBytes}]}, the largest first. usedBytes is the podcasts'' sum, with what is staged for them, and the temporary imports.';
grant execute on function public.get_storage_usage to authenticated;
