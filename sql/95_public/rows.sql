-- The rows of this domain: settings, a queue, and search words of episodes that a release finds without them.
create function private.install_public() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting('embed_url', 'url', '{public_url}/functions/v1/public',
    'Base URL of the player and its iframe pages');
  perform private.install_setting('twitter_site', 'text', '',
    'Account on X that previews of pages name, as @castbase; empty: none', _can_be_empty => true);
  perform private.install_setting('pages_root_url', 'url', '',
    'Where the root of the pages'' domain redirects to; empty: a page that names the installation',
    _can_be_empty => true);

  perform private.install_queue('episode_search', 10, '2 seconds', '5 minutes',
    'Writes the words that searches within a podcast find');
  perform private.enqueue('episode_search', jsonb_build_object('podcast_id', p.id))
  from public.podcasts p
  cross join lateral (
    select e.id from public.episodes e where e.podcast_id = p.id and e.status = 'published'
    order by e.published_at desc, e.id desc limit 1
  ) newest
  where not exists (select from private.episode_search s where s.episode_id = newest.id);
end $$;
comment on function private.install_public is 'Part of private.install(): writes the rows of this domain.';
