-- Returns what the caller's account stores and may store.
create function private.get_storage_usage() returns jsonb
language plpgsql stable security definer  -- clients may not read the ledger
set search_path = ''
as $$
begin
  perform private.require_account();
  return (
    select jsonb_build_object(
      'usedBytes', private.account_used_bytes(a.user_id, owned.staged),
      'limitBytes', private.storage_allowance_bytes(a.user_id),
      'stagedBytes', owned.staged,
      'temporaryBytes', coalesce((select sum(m.bytes) from private.media_objects m
        where m.account_id = a.user_id and m.usage = 'temporary' and m.released_at is null), 0),
      'podcasts', owned.entries)
    from public.billing_accounts a
    cross join lateral (
      select coalesce(sum(p.staged), 0)::bigint as staged,
        coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'usedBytes', p.used)
          order by p.used desc, p.id), '[]') as entries
      from (
        select o.id, o.slug, o.title, s.staged, coalesce(m.bytes, 0) + s.staged as used
        from public.podcasts o
        cross join lateral private.staged_bytes(o.id) s (staged)
        left join (
          select m.podcast_id, sum(m.bytes) as bytes from private.media_objects m
          where m.account_id = a.user_id and m.released_at is null group by m.podcast_id) m on m.podcast_id = o.id
        where o.owner_id = a.user_id) p
    ) owned
    where a.user_id = auth.uid());
end $$;
grant execute on function private.get_storage_usage to authenticated;

create function public.get_storage_usage() returns jsonb
language sql stable security invoker set search_path = ''
return private.get_storage_usage();
comment on function public.get_storage_usage is
  'Returns the caller''s account: {usedBytes, limitBytes, stagedBytes, temporaryBytes, podcasts: [{id, slug, title, '
  'usedBytes}]}, the largest podcast first. usedBytes is the sum of the podcasts, staged bytes included, and temporary '
  'imports. 401, 403 ACCOUNT_REQUIRED.';
grant execute on function public.get_storage_usage to authenticated;
