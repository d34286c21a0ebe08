create function private.reject_owned_podcasts() returns void
language plpgsql stable security invoker set search_path = ''
as $$
declare
  podcast_count int;
  podcasts      jsonb;
begin
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
end $$;
comment on function private.reject_owned_podcasts is 'Raises 409 if the caller owns podcasts.';

-- Deletes the caller's user of Auth with what belongs to the user alone. Foreign keys to profiles, and triggers on it,
-- decide for each table what is deleted and what stays without the user.
-- Lock order: podcasts, episodes, user, profile, then the user's rows, messages before notifications before deliveries.
-- Others lock a podcast or an episode first, too.
create function private.delete_account(at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients may not delete users
set search_path = ''
as $$
declare
  episode_ids uuid[];
begin
  perform private.require_user();
  perform private.delete_due_podcast(p.id) from public.podcasts p  -- deleted for the user already
  where p.owner_id = auth.uid() and p.is_being_deleted;
  perform private.reject_owned_podcasts();
  perform private.require_fresh_sign_in(at);
  episode_ids := array(  -- with rows of the user
    select e.id from public.episodes e where e.created_by = auth.uid()
    union select m.episode_id from public.episode_messages m where m.sender_user_id = auth.uid()
    union select p.episode_id from public.episode_people p where p.user_id = auth.uid());
  perform from public.podcasts p
  where p.id in (
    select m.podcast_id from public.podcast_members m where m.user_id = auth.uid()
    union select e.podcast_id from public.episodes e where e.id = any (episode_ids))
  order by p.id for key share;
  perform from public.episodes e where e.id = any (episode_ids) order by e.id for no key update;
  perform from auth.users u where u.id = auth.uid() for update;
  if not found then
    raise sqlstate 'PT404' using message = 'The account was deleted';
  end if;
  perform from public.profiles f where f.id = auth.uid() for update;
  perform private.reject_owned_podcasts();  -- again, under the lock
  delete from auth.users u where u.id = auth.uid();
  return jsonb_build_object('id', auth.uid());
end $$;
grant execute on function private.delete_account to authenticated;

create function public.delete_account() returns jsonb
language sql volatile security invoker set search_path = ''
return private.delete_account();
comment on function public.delete_account is
  'DELETE /api/account: {id}. Ends all sessions. Requires a sign-in of the last ten minutes. 401, 403 ANONYMOUS_USER '
  'or REAUTHENTICATION_REQUIRED, 404 if it was deleted before, 409 ACCOUNT_OWNS_PODCASTS with podcasts, the first 20 '
  'as {id, slug, title, status}, and podcast_count; podcasts pending deletion count.';
grant execute on function public.delete_account to authenticated;
