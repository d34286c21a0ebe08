-- Deletes the caller's user of Auth with what belongs to the user alone. Foreign keys to profiles, and triggers on it,
-- decide for each table what is deleted and what stays without the user.
-- Lock order: user, profile. Operations that make the user an owner or a member lock the profile after the podcast.
create function private.delete_account() returns jsonb
language plpgsql volatile security definer  -- clients may not delete users
set search_path = ''
as $$
declare
  podcast_count int;
  podcasts      jsonb;
begin
  perform private.require_user();
  perform from auth.users u where u.id = auth.uid() for update;
  if not found then
    raise sqlstate 'PT404' using message = 'The account was deleted';
  end if;
  perform from public.profiles f where f.id = auth.uid() for update;
  select count(*), jsonb_agg(jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'status', p.status)
    order by p.n) filter (where p.n <= 20)
  into podcast_count, podcasts
  from (
    select o.id, o.slug, o.title, o.status, row_number() over (order by o.created_at, o.id) as n
    from public.podcasts o where o.owner_id = auth.uid()) p;
  if podcast_count > 0 then
    raise sqlstate 'PT409' using message = 'You still own podcasts; delete or transfer them first',
      hint = 'ACCOUNT_OWNS_PODCASTS',
      detail = jsonb_build_object('podcasts', podcasts, 'podcast_count', podcast_count)::text;
  end if;
  delete from auth.users u where u.id = auth.uid();
  return jsonb_build_object('id', auth.uid());
end $$;
comment on function private.delete_account is
  'Implementation of delete_account (security definer). Deletes the caller only.';
grant execute on function private.delete_account to authenticated;

create function public.delete_account() returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.delete_account();
end $$;
comment on function public.delete_account is
  'DELETE /api/account: {id}. Ends all sessions. 401, 404 if it was deleted before, 409 ACCOUNT_OWNS_PODCASTS with '
  'podcasts, the first 20 as {id, slug, title, status}, and podcast_count; podcasts pending deletion count.';
grant execute on function public.delete_account to authenticated;
