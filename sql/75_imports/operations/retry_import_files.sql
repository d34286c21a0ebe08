-- Retries the files of an import that were not copied. A message that is still enqueued counts no file twice.
create function private.lost_import_files(import public.podcast_imports) returns setof jsonb
language sql stable security invoker set search_path = ''
as $$
  with items as materialized (
    select t.import_item_id as id, i.episode_id, t.losses,
      jsonb_build_object('type', 'import_file', 'podcast_id', i.podcast_id, 'import_item_id', i.id) as message
    from public.podcast_import_items i join public.podcast_import_item_texts t on t.import_item_id = i.id
    where i.import_id = import.id and i.episode_id is not null and t.losses @> '[{"reason": "NOT_COPIED"}]'
  )
  select i.message || jsonb_build_object('kind', 'transcript', 'transcript_id', t.id)
  from items i join public.episode_transcripts t on t.episode_id = i.episode_id and t.bytes is null
  where i.losses @> '[{"reason": "NOT_COPIED", "path": "podcast:transcript"}]'
  union all
  select i.message || jsonb_build_object('kind', case l.path when 'itunes:image' then 'image' else 'chapters' end)
  from items i cross join unnest('{itunes:image,podcast:chapters}'::text[]) l (path)
  where i.losses @> jsonb_build_array(jsonb_build_object('reason', 'NOT_COPIED', 'path', l.path))
  union all
  select jsonb_build_object('type', 'import_file', 'kind', 'cover', 'import_id', import.id,
    'podcast_id', import.podcast_id)
  from public.podcast_import_channels c
  where c.import_id = import.id and c.losses @> '[{"reason": "NOT_COPIED", "path": "itunes:image"}]'
$$;
comment on function private.lost_import_files is
  'The messages of import_files for the files of an import that its report names NOT_COPIED.';

create function private.retry_import_files(_import_id uuid, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on imports
set search_path = ''
as $$
declare
  import   public.podcast_imports := private.lock_import(_import_id);
  messages jsonb[];
begin
  perform private.reject_hosting_migration(import);
  if import.started_at is null or import.staged_at is null then
    perform private.raise_invalid_import_state(import, 'it has copied no files');
  end if;
  perform private.require_import_queue();
  -- the podcast links to the cover that was not copied, unless someone has set another one since
  update private.import_channels c set confirmed_cover_url = p.cover_image_url
  from public.podcasts p
  where c.import_id = import.id and p.id = import.podcast_id and p.cover_image_url = c.fields ->> 'image';
  messages := array(
    select f.message
    from (
      select l.message from private.lost_import_files(import) l (message)
      except
      select q.message from pgmq.q_import_files q where q.message ->> 'podcast_id' = import.podcast_id::text) f
    where (private.import_file_source(f.message)).url is not null
    limit 5000);
  if cardinality(messages) > 0 then
    perform private.consume_rate_limit('import_file_retries:' || import.podcast_id, 10, interval '1 hour', at);
    perform private.enqueue_batch('import_files', messages);
    perform private.wake_worker_once('import_files');
  end if;
  return jsonb_build_object('retriedCount', cardinality(messages));
end $$;
grant execute on function private.retry_import_files to authenticated;

create function public.retry_import_files(import_id uuid) returns jsonb
language sql volatile security invoker set search_path = ''
return private.retry_import_files(import_id);
comment on function public.retry_import_files is
  'POST /api/imports/{id}/retry-files: {retriedCount}. Enqueues up to 5,000 of the files that the report names '
  'NOT_COPIED: transcripts, chapters, images and the cover; a copy removes its loss. Leaves out what the podcaster has '
  'changed and what is enqueued already. Requires admin. 403, 404, 409 INVALID_IMPORT_STATE of an import that was '
  'never confirmed, MANAGED_BY_HOSTING_MIGRATION or PODCAST_PENDING_DELETION, 429: ten times an hour per podcast; 500 '
  'without a queue.';
grant execute on function public.retry_import_files to authenticated;
