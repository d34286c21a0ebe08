-- Creates a draft. An insert into episodes does the same.
create function public.create_episode(
  podcast_id     uuid,
  title          text,
  slug           text default null,
  summary        text default null,
  description    text default '',
  show_notes_html     text default null,
  season_number  int default null,
  episode_number int default null,
  episode_type   public.episode_type default 'full',
  explicit       boolean default false
) returns public.episodes
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  episode public.episodes;
begin
  perform private.require_role(create_episode.podcast_id, 'admin');
  insert into public.episodes (podcast_id, title, slug, summary, description, show_notes_html, season_number,
    episode_number, episode_type, explicit)
  values (create_episode.podcast_id, create_episode.title, create_episode.slug, create_episode.summary,
    create_episode.description, create_episode.show_notes_html, create_episode.season_number,
    create_episode.episode_number, create_episode.episode_type, create_episode.explicit)
  returning * into episode;
  return episode;
end $$;
comment on function public.create_episode is
  'Creates a draft; derives the slug from the title if absent. Requires admin. 400, 403, 404, 409 SLUG_TAKEN or '
  'PODCAST_PENDING_DELETION.';
grant execute on function public.create_episode to authenticated;
