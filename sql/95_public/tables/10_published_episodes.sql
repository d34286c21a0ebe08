-- Published episodes for anonymous callers. anon has no table grants: the public functions are its only access.
create function private.transcript_formats(transcript public.episode_transcripts) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('type', f.type, 'url', format('%s/transcripts/%s.%s',
    private.get_setting('public_api_url'), $1.id, private.transcript_extension(f.type))) order by f.n), '[]')
  from unnest(private.transcript_types()) with ordinality f (type, n)
  where $1.bytes is not null and (
    f.type = $1.type or f.type = 'text/plain' and $1.type = 'text/html'
    or 'text/html' not in (f.type, $1.type) and 'text/plain' not in (f.type, $1.type))
$$;
comment on function private.transcript_formats is
  'The types in which a stored transcript can be read, with URLs: its own, for a type with times the others with '
  'times, and plain text for HTML. Empty for a transcript hosted elsewhere.';

-- Columns one by one, so that raw show notes, which only the team may read, stay out.
create view private.published_episodes with (security_invoker = true) as
  select f.podcast_slug, f.podcast_id, f.slug, f.id, f.published_at,
    f.facts || jsonb_build_object('showNotesHtml', f.show_notes_safe_html, 'description',
      private.public_description(f.description, f.summary, f.show_notes_safe_html, f.subtitle)) as body,
    f.facts || jsonb_build_object('showNotesHtml', null, 'description', left(
      private.public_description(f.description, f.summary, f.show_notes_safe_html, f.subtitle, 2000), 500)) as brief
  from (
    select p.slug as podcast_slug, p.id as podcast_id, e.slug, e.id, e.published_at, e.description, e.summary,
      e.show_notes_safe_html, e.subtitle,
      jsonb_build_object(
        'id', e.id, 'podcastSlug', p.slug, 'slug', e.slug, 'guid', e.guid, 'title', e.title,
        'seasonNumber', e.season_number, 'episodeNumber', e.episode_number, 'episodeType', e.episode_type,
        'explicit', e.explicit, 'publishedAt', private.format_timestamp(e.published_at),
        'durationSeconds', e.audio_duration_seconds, 'audioUrl', e.audio_url,
        'audioContentType', e.audio_content_type, 'audioFileSizeBytes', e.audio_file_size_bytes,
        'coverImageUrl', e.cover_image_url, 'coverCopies', private.image_copies(e.id, 'episode_cover'), 'link', e.link,
        'listenUrl', private.listen_url(p.slug, e.slug, (select private.get_setting('listen_url'))),
        'embedUrl', (select case when private.get_setting('pages_url') <> '' then private.get_setting('embed_url') end)
          || '/ep/' || e.id,
        'transcripts', coalesce((
          select jsonb_agg(jsonb_build_object('id', t.id, 'type', t.type, 'language', t.language, 'rel', t.rel,
            'url', t.url, 'formats', private.transcript_formats(t)) order by t.display_order, t.id)
          from public.episode_transcripts t where t.episode_id = e.id), '[]'),
        'chapters', (
          select jsonb_build_object('url', d.url, 'type', 'application/json+chapters')
          from (
            select case when exists (select from public.episode_chapters c where c.episode_id = e.id)
              then (select private.chapters_base_url()) || '/' || e.id || '.json' else e.chapters_url end as url
          ) d where d.url is not null),
        'credits', coalesce((
          select jsonb_agg(jsonb_build_object('name', c.name, 'roleLabel', c.role_label, 'avatarUrl', c.avatar_url,
            'avatarCopies', private.image_url_copies(c.avatar_url), 'externalUrl', c.external_url)
            order by c.display_order)
          from public.episode_credits c where c.episode_id = e.id), '[]')) as facts
    from public.episodes e
    join public.podcasts p on p.id = e.podcast_id
    where e.status = 'published' and not p.is_being_deleted
  ) f;
comment on view private.published_episodes is
  'Public fields of published episodes, with the keys that find them: body, and for lists brief, without notes and '
  'with 500 characters of the description.';

create function private.find_published_episode(_podcast_slug text, id_or_slug text) returns uuid
language plpgsql stable security invoker set search_path = ''
as $$
declare
  requested_id constant uuid := case when pg_input_is_valid(id_or_slug, 'uuid') then id_or_slug::uuid end;
begin
  return (
    select e.id from private.published_episodes e
    where e.podcast_slug = _podcast_slug and (e.slug = id_or_slug or e.id = requested_id)
    order by e.slug = id_or_slug desc limit 1);
end $$;
comment on function private.find_published_episode is
  'Returns the id of the podcast''s published episode with this slug or id, or null; a slug wins over an id.';
