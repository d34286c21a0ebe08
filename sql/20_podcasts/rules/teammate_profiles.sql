-- Members of a podcast read each other's profiles. One policy covers a user's own profile and those of teammates,
-- because every policy of a table adds to the cost of a read.
create function private.my_teammate_ids() returns uuid[]
language plpgsql stable parallel safe security definer  -- callers may not read all members
set search_path = ''
as $$
begin
  return coalesce((
    select array_agg(distinct teammate.user_id)
    from public.podcast_members mine
    join public.podcast_members teammate using (podcast_id)
    where mine.user_id = auth.uid()), '{}');
end $$;
comment on function private.my_teammate_ids is 'Returns the users who share a podcast with the caller.';
grant execute on function private.my_teammate_ids to authenticated, service_role;

create policy users_read_own_and_teammates on public.profiles for select to authenticated
  using (id = (select auth.uid()) or id = any ((select private.my_teammate_ids())::uuid[]));
