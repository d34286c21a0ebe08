-- Mutes: what a user wants no emails and pushes about. The inbox still shows it.
create type public.notification_mute_scope as enum ('podcast', 'episode', 'chat');

create table public.notification_mutes (
  id             uuid primary key default gen_random_uuid(),
  user_id        uuid not null references public.profiles on delete cascade,
  scope          public.notification_mute_scope not null,
  podcast_id     uuid not null references public.podcasts on delete cascade,
  episode_id     uuid references public.episodes on delete cascade,  -- of an episode, or of its chat
  muted_until    timestamptz,                                        -- null: permanently; kept 30 days longer
  mutes_mentions boolean not null default false,                     -- types with passes_mutes as well
  created_at     timestamptz not null default now(),
  constraint only_podcast_has_no_episode check ((scope = 'podcast') = (episode_id is null)),
  constraint user_mutes_once unique nulls not distinct (user_id, podcast_id, scope, episode_id),
  -- who leaves a team and joins it again starts without mutes
  constraint user_is_member foreign key (podcast_id, user_id) references public.podcast_members on delete cascade
);
comment on table public.notification_mutes is
  'Podcasts, episodes and chats about which a member wants no emails and pushes. Users read their own; '
  'mute_notifications and unmute_notifications write them.';
comment on constraint only_podcast_has_no_episode on public.notification_mutes is
  'A muted podcast has no episode; a muted episode or chat must have one';
comment on constraint user_mutes_once on public.notification_mutes is 'This is already muted';
create index notification_mutes_muted_until_idx on public.notification_mutes (muted_until)
  where muted_until is not null;
create index notification_mutes_podcast_id_idx on public.notification_mutes (podcast_id, user_id);
create index notification_mutes_episode_id_idx on public.notification_mutes (episode_id) where episode_id is not null;

-- Who
alter table public.notification_mutes enable row level security;
create policy users_read_own on public.notification_mutes for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.notification_mutes to authenticated, service_role;
-- No write grants: the functions check the role and the limit.
