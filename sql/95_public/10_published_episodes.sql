-- Published episodes for anonymous callers. anon has no table grants: the public functions are its only access.
-- The view lists columns one by one, so that raw show notes, which only the team may read, stay out.
create view private.published_episodes with (security_invoker = true) as
  select p.slug as podcast_slug, p.id as podcast_id, e.slug, e.id, e.published_at,
    coalesce(octet_length(e.show_notes_safe_html), 0) as show_notes_bytes,
    jsonb_build_object(
      'id', e.id, 'podcastSlug', p.slug, 'slug', e.slug, 'guid', e.guid, 'title', e.title,
      'description', private.public_description(e.summary, e.description, e.show_notes_safe_html),
      'showNotesHtml', e.show_notes_safe_html,
      'seasonNumber', e.season_number, 'episodeNumber', e.episode_number, 'episodeType', e.episode_type,
      'explicit', e.explicit, 'publishedAt', private.format_timestamp(e.published_at),
      'durationSeconds', e.audio_duration_seconds, 'audioUrl', e.audio_url,
      'audioContentType', e.audio_content_type, 'audioFileSizeBytes', e.audio_file_size_bytes,
      'coverImageUrl', e.cover_image_url,
      'listenUrl', private.listen_url(p.slug, e.slug, (select private.get_setting('listen_url'))),
      'embedUrl', (select private.get_setting('embed_url')) || '/ep/' || e.id,
      'credits', coalesce((
        select jsonb_agg(jsonb_build_object('name', c.name, 'roleLabel', c.role_label, 'avatarUrl', c.avatar_url,
          'externalUrl', c.external_url) order by c.display_order)
        from public.episode_credits c where c.episode_id = e.id), '[]')) as body
  from public.episodes e
  join public.podcasts p on p.id = e.podcast_id
  where e.status = 'published';
comment on view private.published_episodes is
  'Public fields of published episodes (body), with the keys that find them.';
