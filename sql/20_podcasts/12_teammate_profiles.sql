-- Fellow members see each other's profiles. One policy on the accounts' table, because two cost twice.
create function private.my_teammate_ids() returns uuid[]
language plpgsql stable parallel safe security definer  -- reads memberships below the policy that calls it
set search_path = ''
as $$
begin
  return coalesce((
    select array_agg(distinct theirs.user_id)
    from public.podcast_members mine
    join public.podcast_members theirs using (podcast_id)
    where mine.user_id = auth.uid()), '{}');
end $$;
comment on function private.my_teammate_ids is 'Everyone who shares a podcast with the caller.';
grant execute on function private.my_teammate_ids to authenticated, service_role;

create policy users_read_own_and_teammates on public.profiles for select to authenticated
  using (id = (select auth.uid()) or id = any ((select private.my_teammate_ids())::uuid[]));
