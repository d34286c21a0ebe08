-- Stages the items of a feed while it is read, one statement per batch. The reader sends a GUID again only with a newer
-- item, which replaces the earlier one. A reader that lost its message can write nothing. The message is locked before
-- the podcast and the import, as everywhere.
create function private.lock_import_feed_job(msg_id bigint, attempt int) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_job('import_feeds', lock_import_feed_job.msg_id, lock_import_feed_job.attempt);
  if not found then
    raise sqlstate 'PT409' using
      message = 'Another process is already reading this feed', hint = 'INVALID_IMPORT_STATE';
  end if;
end $$;
comment on function private.lock_import_feed_job is
  'Locks the message of a feed. PT409 INVALID_IMPORT_STATE when it was acknowledged or claimed by a later attempt.';

create function private.lock_staging_import(import_id uuid, msg_id bigint default null, attempt int default null)
returns public.podcast_imports
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  import public.podcast_imports;
begin
  perform private.lock_import_feed_job(lock_staging_import.msg_id, lock_staging_import.attempt)
  where lock_staging_import.msg_id is not null;
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = lock_staging_import.import_id)
  for key share;
  select * into import from public.podcast_imports i where i.id = lock_staging_import.import_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  perform private.require_writable_podcast(import.podcast_id);
  if import.status <> 'pending' then
    perform private.raise_invalid_import_state(import, 'its feed can no longer be staged');
  end if;
  return import;
end $$;
comment on function private.lock_staging_import is
  'The locked row of an import whose feed is being read, for the reader that has its message (unless msg_id is null). '
  'PT404; PT409 INVALID_IMPORT_STATE when it is no longer pending, or PODCAST_PENDING_DELETION.';

create function private.stage_import_items(
  import_id uuid, items jsonb, msg_id bigint default null, attempt int default null) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
#variable_conflict use_column
declare
  import public.podcast_imports := private.lock_staging_import(
    stage_import_items.import_id, stage_import_items.msg_id, stage_import_items.attempt);
  staged int;
begin
  with feed as materialized (
    select (item ->> 'position')::int as position, item ->> 'guid' as guid, item ->> 'title' as title,
      (item ->> 'pubDate')::timestamptz as published_at, coalesce(item -> 'warnings', '[]') as warnings,
      item - '{guid,position,warnings,description,content,summary}'::text[]
        || jsonb_build_object('episodeNumber', item -> 'episode', 'seasonNumber', item -> 'season') as payload,
      item ->> 'description' as description, item ->> 'content' as content, item ->> 'summary' as summary,
      case when private.is_guid_too_long(item ->> 'guid') then 'GUID_TOO_LONG' end as error_code
    from jsonb_array_elements(stage_import_items.items) item
  ), written as (
    insert into public.podcast_import_items as i (import_id, podcast_id, position, guid, title, published_at,
      parsed_payload, warnings, status, error_message, error_code)
    select import.id, import.podcast_id, f.position, f.guid, f.title, f.published_at,
      f.payload, f.warnings, case when f.error_code is null then 'pending' else 'failed' end::public.import_item_status,
      case when f.error_code is not null then 'The GUID exceeds 1,000 characters' end, f.error_code
    from feed f
    on conflict (import_id, md5(guid)) do update set
      position = excluded.position, title = excluded.title, published_at = excluded.published_at,
      parsed_payload = excluded.parsed_payload, warnings = excluded.warnings
    returning i.id, i.guid
  )
  insert into public.podcast_import_item_texts (import_item_id, podcast_id, description, content, summary)
  select w.id, import.podcast_id, f.description, f.content, f.summary from written w join feed f on f.guid = w.guid
  on conflict (import_item_id) do update set
    description = excluded.description, content = excluded.content, summary = excluded.summary;
  get diagnostics staged = row_count;
  update public.podcast_imports i set updated_at = default where i.id = import.id;  -- keeps it from becoming stale
  return staged;
end $$;
comment on function private.stage_import_items is
  'Stages a batch of a feed''s items ([FeedItem], no GUID twice) in one statement. Returns how many. PT404; PT409 '
  'INVALID_IMPORT_STATE when the import is no longer pending.';
-- No grant: the functions connect as the owner.
