-- An import with all its items, up to 25,000: row_to_json writes the json directly, without building jsonb. The items'
-- payloads are reduced to what a list shows; podcast_import_items has the rest.
create function private.get_import(_import_id uuid) returns json
language plpgsql stable security definer  -- distinguishes a missing import (404) from a forbidden one (403)
set search_path = ''
as $$
declare
  import public.podcast_imports := private.require_import_role(_import_id);
begin
  return (
    select row_to_json(result) from (
      select import.id, import.podcast_id, import.created_by, import.status, import.feed_url, import.is_locked_source,
        import.verification_method, import.verification_token, import.locked_owner_email, import.feed_podcast_guid,
        import.channel_explicit, private.format_timestamp(import.staged_at) as staged_at,
        private.format_timestamp(import.started_at) as started_at,
        private.format_timestamp(import.finished_at) as finished_at,
        import.total_items, import.completed_count, import.failed_count, import.skipped_count,
        import.is_hosting_migration, import.detection, import.warnings, import.apply_detected_episode_numbers,
        import.future_items, import.error_message, import.error_code,
        private.format_timestamp(import.created_at) as created_at,
        private.format_timestamp(import.updated_at) as updated_at,
        (select c.fields from public.podcast_import_channels c where c.import_id = import.id) as channel,
        private.import_storage(import) as storage,
        (select count(*) from public.podcast_import_items r
          where r.import_id = import.id and r.refreshed_at is not null) as refreshed_count,
        coalesce((
          select json_agg(item) from (
            select i.id, i.import_id, i.podcast_id, i.position, i.guid, i.status, i.title,
              private.format_timestamp(i.published_at) as published_at,
              (select payload from (
                select i.parsed_payload -> 'episodeNumber' as "episodeNumber",
                  i.parsed_payload -> 'seasonNumber' as "seasonNumber",
                  i.parsed_payload -> 'episodeType' as "episodeType",
                  i.parsed_payload -> 'durationSeconds' as "durationSeconds",
                  i.parsed_payload -> 'enclosure' as enclosure) payload) as parsed_payload,
              i.warnings, i.error_message, i.error_code, i.attempts,
              private.format_timestamp(i.next_attempt_at) as next_attempt_at, i.episode_id,
              i.refresh_fields, private.format_timestamp(i.refreshed_at) as refreshed_at,
              private.format_timestamp(i.created_at) as created_at, private.format_timestamp(i.updated_at) as updated_at
            from public.podcast_import_items i
            where i.import_id = import.id order by i.created_at, i.position) item), '[]') as items
    ) result);
end $$;
grant execute on function private.get_import to authenticated;

create function public.get_import(import_id uuid) returns json
language sql stable security invoker set search_path = ''
return private.get_import(import_id);
comment on function public.get_import is
  'GET /api/imports/{id}: the import with the fields of its channel, what its storage needs, the count of refreshed '
  'episodes, and all its items by created_at and position. The owner''s email is masked. Payloads have only number, '
  'season, type, duration and enclosure. Requires admin. 403, 404.';
grant execute on function public.get_import to authenticated;
