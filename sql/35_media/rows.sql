-- The rows of this domain: settings, queues, cron jobs, image types.
create function private.install_media() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.install_setting(s.key, s.kind, s.default_value, s.description) from (values
    ('storage_url', 'url', '{public_url}/storage/v1',
      'Base URL of Supabase Storage, where clients upload by signed URL'),
    ('media_url', 'url', '{storage_url}/object/public/media', 'Base URL of public media; may point to a CDN'),
    ('max_audio_upload_bytes', 'bytes', '5242880', 'Maximum size of an audio upload through the API, in bytes'),
    ('max_transcript_upload_bytes', 'bytes', '5242880',
      'Maximum size of a transcript or of a chapters document, in bytes'),
    ('orphan_retention_hours', 'hours', '168',
      'How long orphaned objects are kept so that cached URLs keep working, in hours'),
    ('temporary_object_ttl_hours', 'hours', '24',
      'How long unused artwork imports and direct uploads are kept, in hours'),
    ('storage_reminder_days', 'days', '30',
      'After how many days over the storage allowance, and again after each as many, a user is reminded; 0: never'),
    ('max_artwork_imports_per_hour', 'count', '120', 'Maximum artwork imports per user and hour'),
    ('max_direct_uploads_per_hour', 'count', '600', 'Maximum direct uploads started per user and hour')
  ) s (key, kind, default_value, description);
  perform private.install_setting('former_media_urls', 'urls', '{storage_url}/object/public/media',
    'Comma-separated earlier values of media_url; URLs below them are still ours', _can_be_empty => true);

  perform private.install_queue('storage_gc', 10, '5 seconds', '1 hour', 'Deletes orphaned storage objects');
  perform private.install_queue('audio_probes', 8, '5 seconds', '15 minutes',
    'Measures stored audio and reads its chapters', _fair_key => 'podcast_id');
  perform private.install_queue('image_derivatives', 8, '5 seconds', '15 minutes',
    'Makes smaller copies of stored images', _fair_key => 'podcast_id');
  perform private.install_queue('large_images', 8, '5 seconds', '15 minutes',
    'Makes smaller copies of images above 9 megapixels', _fair_key => 'podcast_id', _is_standalone => true);

  perform private.schedule_job('sweep_storage', '17 3 * * *');
  perform private.schedule_job('sweep_staging', '*/5 * * * *');
  perform private.schedule_job('enqueue_missing_image_copies', '*/10 * * * *');
  perform private.schedule_job('remind_of_storage', '57 8 * * *');

  insert into private.image_types as t (name, formats, max_bytes, min_width, min_height, recommended_width,
    recommended_height, aspect_ratio, is_uploadable, is_importable) values
    ('cover', '{image/jpeg,image/png}', 5242880, 1400, 1400, 3000, 3000, 1, true, true),
    ('episode_cover', '{image/jpeg,image/png}', 5242880, 1400, 1400, 3000, 3000, 1, true, false),
    ('chapter', '{image/jpeg,image/png,image/webp}', 2097152, 300, 300, 1400, 1400, null, true, false),
    ('header', '{image/jpeg,image/png,image/webp}', 2097152, 1200, 200, 1920, 300, 6.4, true, true),
    ('banner', '{image/jpeg,image/png,image/webp}', 2097152, 600, 315, 1200, 630, 1.91, true, true),
    ('profile', '{image/jpeg,image/png,image/webp}', 2097152, 200, 200, 400, 400, 1, false, true)
  on conflict (name) do update set
    formats = excluded.formats, max_bytes = excluded.max_bytes,
    min_width = excluded.min_width, min_height = excluded.min_height,
    recommended_width = excluded.recommended_width, recommended_height = excluded.recommended_height,
    aspect_ratio = excluded.aspect_ratio, is_uploadable = excluded.is_uploadable,
    is_importable = excluded.is_importable
    where t is distinct from excluded;
end $$;
comment on function private.install_media is 'Part of private.install(): writes the rows of this domain.';
