-- Members: the team of a podcast, with their roles.
create type public.podcast_role as enum ('member', 'admin', 'owner');  -- in rank order, so that >= works

create table public.podcast_members (
  podcast_id               uuid not null references public.podcasts on delete cascade,
  user_id                  uuid not null references public.profiles on delete cascade,
  role                     public.podcast_role not null default 'member',
  auto_add_to_new_episodes boolean not null default false,
  created_at               timestamptz not null default now(),
  primary key (podcast_id, user_id)
);
comment on table public.podcast_members is 'A podcast''s team. It has exactly one owner, podcasts.owner_id.';
create index podcast_members_user_id_idx on public.podcast_members (user_id, podcast_id, role);
create unique index podcast_members_one_owner_idx on public.podcast_members (podcast_id) where role = 'owner';

-- Policies evaluate it once per statement, as any ((select private.my_podcasts('admin'))::uuid[]).
create function private.my_podcasts(_role public.podcast_role) returns uuid[]
language plpgsql stable parallel safe security definer  -- the policies that call it protect podcast_members
set search_path = ''
as $$
begin
  return coalesce((
    select array_agg(m.podcast_id) from public.podcast_members m
    where m.user_id = auth.uid() and m.role >= _role
      and not exists (select from public.podcasts p where p.is_being_deleted and p.id = m.podcast_id)), '{}');
end $$;
comment on function private.my_podcasts is 'Returns the podcasts on which the caller has at least this role.';
grant execute on function private.my_podcasts to authenticated, service_role;

create function private.require_role(_podcast_id uuid, _role public.podcast_role) returns void
language plpgsql stable security definer  -- distinguishes a missing podcast from a forbidden one
set search_path = ''
as $$
declare
  callers_role public.podcast_role;
begin
  perform private.require_user();
  select m.role into callers_role
  from public.podcasts p
  left join public.podcast_members m on m.podcast_id = p.id and m.user_id = auth.uid()
  where p.id = _podcast_id and not p.is_being_deleted;
  if not found then
    raise sqlstate 'PT404' using message = 'Podcast not found';
  elsif callers_role is null or callers_role < _role then
    raise sqlstate 'PT403' using message = case _role
      when 'member' then 'You are not a member of this podcast'
      when 'admin' then 'Requires the admin or owner role on this podcast'
      else 'Requires the owner role on this podcast' end;
  end if;
end $$;
comment on function private.require_role is 'Requires at least this role of the caller. PT401, PT403, PT404.';
grant execute on function private.require_role to authenticated, service_role;

create function private.team_recipients(
  _podcast_id uuid, min_role public.podcast_role default 'member', except_user_id uuid default null) returns jsonb
language plpgsql stable security definer  -- independent of the caller's policies
set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('user_id', m.user_id)) from public.podcast_members m
    where m.podcast_id = _podcast_id and m.role >= min_role
      and m.user_id is distinct from except_user_id), '[]');
end $$;
comment on function private.team_recipients is
  'The team as recipients of private.notify(): members with at least this role, except one user.';
-- No grant: functions that notify call it.

-- Only the operations that change a podcast's status write to a podcast pending deletion. Cascaded deletes are allowed.
create function private.reject_pending_deletion(status public.podcast_status) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  if status = 'pending_deletion' then
    raise sqlstate 'PT409' using message = 'The podcast is scheduled for deletion', hint = 'PODCAST_PENDING_DELETION';
  end if;
end $$;
comment on function private.reject_pending_deletion is
  'PT409 PODCAST_PENDING_DELETION for this status. Alone it suits functions that write nothing: it locks nothing.';
grant execute on function private.reject_pending_deletion to authenticated, service_role;

-- Every writer of a podcast's rows holds this lock, which writers share: a change of the status, which locks the
-- podcast `for update`, waits until they commit, and a later writer sees the new status.
create function private.require_writable_podcast(_podcast_id uuid, is_leaving boolean default false) returns void
language plpgsql volatile security definer  -- independent of the caller's policies
set search_path = ''
as $$
declare
  status public.podcast_status;
begin
  select p.status into status from public.podcasts p
  where p.id = _podcast_id and not p.is_being_deleted for key share;
  if not found then  -- deleted while this transaction waited
    raise sqlstate 'PT404' using message = 'Podcast not found';
  end if;
  if not is_leaving then
    perform private.reject_pending_deletion(status);
  end if;
end $$;
comment on function private.require_writable_podcast is
  'Keeps the status of a podcast that is not pending deletion until the transaction ends. PT404, PT409 '
  'PODCAST_PENDING_DELETION, but none to a caller who is leaving: who only ends an involvement need not wait for the '
  'deletion.';
grant execute on function private.require_writable_podcast to authenticated, service_role;

-- Policies reject an insert by another user only after the triggers of the table, whose errors would reveal the
-- podcast's state.
create function private.guard_admin_writer() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if current_user = 'authenticated' and new.podcast_id <> all (private.my_podcasts('admin')) then
    raise sqlstate '42501' using message = 'Requires the admin or owner role on this podcast';
  end if;
  return new;
end $$;

create function private.guard_writable_podcast() returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform private.require_writable_podcast(case when tg_op = 'DELETE' then old.podcast_id else new.podcast_id end,
    is_leaving => tg_op = 'DELETE' and coalesce((to_jsonb(old) ->> tg_argv[0])::uuid = auth.uid(), false));
  return case when tg_op = 'DELETE' then old else new end;
end $$;

-- Who
alter table public.podcast_members enable row level security;
create policy members_read on public.podcast_members for select to authenticated
  using (podcast_id = any ((select private.my_podcasts('member'))::uuid[]));
create policy admins_update on public.podcast_members for update to authenticated
  using (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]))
  with check (podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
create policy admins_or_self_delete on public.podcast_members for delete to authenticated
  using (user_id = (select auth.uid()) or podcast_id = any ((select private.my_podcasts('admin'))::uuid[]));
grant select, delete on public.podcast_members to authenticated;
grant update (role, auto_add_to_new_episodes) on public.podcast_members to authenticated;
grant select, insert, update, delete on public.podcast_members to service_role;
-- No insert grant: users join by accept_podcast_invitation.

-- Always
create trigger t300_guard_writable before insert or update or delete on public.podcast_members
  for each row when (pg_trigger_depth() = 0)  -- not cascades: a user can be deleted
  execute function private.guard_writable_podcast('user_id');

create function private.guard_owner() returns trigger
language plpgsql security definer  -- independent of the caller's policies
set search_path = ''
as $$
declare
  owner_id uuid;
begin
  select p.owner_id into owner_id from public.podcasts p
  where p.id = case when tg_op = 'DELETE' then old.podcast_id else new.podcast_id end;
  if tg_op = 'DELETE' then
    if old.user_id = owner_id then
      raise sqlstate 'PT409' using message = 'The owner cannot be removed; transfer the podcast first',
        hint = 'OWNERSHIP_TRANSFER_REQUIRED';
    end if;
    return old;
  end if;
  if (new.role = 'owner') <> (new.user_id = owner_id) then
    raise sqlstate 'PT409' using message = case when new.role = 'owner'
      then 'Ownership can only be changed by transferring the podcast'
      else 'The owner cannot be demoted; transfer the podcast first' end, hint = 'OWNERSHIP_TRANSFER_REQUIRED';
  end if;
  return new;
end $$;
create trigger t310_guard_owner before insert or update or delete on public.podcast_members
  for each row execute function private.guard_owner();

-- After
-- A trigger, because admins and members change the rows themselves. Joining, transfers and deletions are announced by
-- their operations.
create function private.announce_team_change() returns trigger
language plpgsql security definer  -- clients may not write events
set search_path = ''
as $$
declare
  member constant public.podcast_members := coalesce(new, old);
  change text;
begin
  change := case when tg_op = 'UPDATE' then 'member_role_changed'
    when auth.uid() = old.user_id or not exists (select from public.profiles f where f.id = old.user_id)
      then 'member_left' else 'member_removed' end;
  perform private.notify_owner_of_member(change, member);
  if change <> 'member_left' and member.user_id is distinct from auth.uid() then
    perform private.notify_repeatedly(format('own_role:%s:%s', member.podcast_id, member.user_id), 10,
      'podcast.' || change, private.user_recipients(member.user_id),
      jsonb_build_object('podcast_id', member.podcast_id, 'actor_id', auth.uid(), 'params', jsonb_build_object(
        'variant', concat_ws('_', 'you', case tg_op when 'UPDATE' then member.role::text end))),
      _link => case tg_op when 'DELETE' then '/podcasts' end)
    from public.podcasts p where p.id = member.podcast_id;
  end if;
  return null;
end $$;
comment on function private.announce_team_change is
  'Trigger: tells the owner, and a person who was removed or has another role, of a change of the team, except who '
  'made it. A podcast that is being deleted tells nothing.';
create trigger t900_announce_member_role after update of role on public.podcast_members
  for each row when (old.role <> new.role and 'owner' not in (old.role, new.role))
  execute function private.announce_team_change();
create trigger t900_announce_member_left after delete on public.podcast_members
  for each row when (old.role <> 'owner') execute function private.announce_team_change();

create function private.notify_owner_of_member(change text, member public.podcast_members) returns void
language sql volatile security invoker set search_path = ''
as $$
  select private.notify_repeatedly(format('team:%s:%s', p.id, $2.user_id), 10, 'podcast.' || $1,
    private.user_recipients(p.owner_id),
    jsonb_build_object('podcast_id', p.id,
      'actor_id', case when $1 in ('member_joined', 'member_left') then $2.user_id else auth.uid() end,
      'params', jsonb_strip_nulls(jsonb_build_object(
        'member', (select f.display_name from public.profiles f where f.id = $2.user_id),
        'variant', case $1 when 'member_role_changed' then $2.role::text end))))
  from public.podcasts p where p.id = $2.podcast_id and p.owner_id is distinct from auth.uid()
$$;
comment on function private.notify_owner_of_member is
  'Tells the owner of a podcast, unless it is the caller, that a member joined, left, was removed or has another role.';
