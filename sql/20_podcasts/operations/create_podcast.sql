-- Creates a podcast with the caller as owner. An insert into podcasts does the same.
create function public.create_podcast(
  title        text,
  hosting_type public.hosting_type default 'native',
  slug         text default null,
  description  text default '',
  language     text default 'en',
  author       text default null,
  categories   jsonb default '[]',
  explicit     boolean default false,
  type         public.podcast_type default 'episodic',
  link         text default null
) returns public.podcasts
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  podcast public.podcasts;
begin
  perform private.require_user();
  insert into public.podcasts (
    title, hosting_type, slug, description, language, author, categories, explicit, type, link)
  values (create_podcast.title, create_podcast.hosting_type, create_podcast.slug, create_podcast.description,
    create_podcast.language, create_podcast.author, create_podcast.categories, create_podcast.explicit,
    create_podcast.type, create_podcast.link)
  returning * into podcast;
  return podcast;
end $$;
comment on function public.create_podcast is
  'Creates a podcast with the caller as owner; derives the slug from the title if absent. 400, 401, 403 '
  'ACCOUNT_REQUIRED, 409 SLUG_TAKEN, 429 RATE_LIMITED or TOO_MANY_PODCASTS.';
grant execute on function public.create_podcast to authenticated;
