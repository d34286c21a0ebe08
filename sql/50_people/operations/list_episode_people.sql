-- Lists an episode's roster and credits, and the people who could be added.
create function private.list_episode_people(_episode_id uuid) returns jsonb
language plpgsql stable security definer  -- one role check instead of a policy per row and table
set search_path = ''
as $$
declare
  episode_podcast_id uuid;
  member_role        public.podcast_role;
  is_participant     boolean;
begin
  perform private.require_user();
  select e.podcast_id, m.role, p.id is not null into episode_podcast_id, member_role, is_participant
  from public.episodes e
  left join public.podcast_members m on m.podcast_id = e.podcast_id and m.user_id = auth.uid()
  left join public.episode_people p on p.episode_id = e.id and p.user_id = auth.uid() and p.is_active
  where e.id = _episode_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Episode not found';
  elsif member_role is null then
    raise sqlstate 'PT403' using message = 'You are not a member of this podcast';
  elsif member_role < 'admin' and not is_participant then
    raise sqlstate 'PT403' using message = 'Requires the admin role or an active entry on this episode''s roster';
  end if;

  return (
    with entries as materialized (
      select p as person, c as credit, p.user_id, p.guest_id from public.episode_people p
      left join public.episode_credits c on c.id = p.credit_id
      where p.episode_id = _episode_id
    )
    select jsonb_build_object(
      'people', (
        select coalesce(jsonb_agg(
          private.person_json(e.person) || case when (e.credit).id is null then '{}'
            else jsonb_build_object('credited', private.credit_json(e.credit)) end
          order by (e.credit).display_order nulls last, (e.person).created_at, (e.person).id), '[]')
        from entries e),
      'candidates', jsonb_build_object(
        'teamCandidates', (
          select coalesce(jsonb_agg(jsonb_build_object(
              'userId', m.user_id, 'name', private.display_name_or_default(f.display_name),
              'role', m.role, 'avatarUrl', f.avatar_url)
            order by private.display_name_or_default(f.display_name), m.user_id), '[]')
          from public.podcast_members m join public.profiles f on f.id = m.user_id
          where m.podcast_id = episode_podcast_id and not exists (select from entries e where e.user_id = m.user_id)),
        'guestCandidates', (
          select coalesce(jsonb_agg(jsonb_build_object(
              'guestId', i.id, 'name', g.display_name, 'email', g.email, 'status', i.status)
            order by g.display_name, i.id), '[]')
          from public.episode_guests i join public.podcast_guests g on g.id = i.podcast_guest_id
          where i.episode_id = _episode_id and i.status <> 'removed'
            and not exists (select from entries e where e.guest_id = i.id)))));
end $$;
grant execute on function private.list_episode_people to authenticated;

create function public.list_episode_people(episode_id uuid) returns jsonb
language sql stable security invoker set search_path = ''
return private.list_episode_people(episode_id);
comment on function public.list_episode_people is
  'GET …/people: {people, candidates: {teamCandidates, guestCandidates}}, credited people first, each with `credited`. '
  'Requires admin, or membership and an active entry on the roster. 403, 404.';
grant execute on function public.list_episode_people to authenticated;
