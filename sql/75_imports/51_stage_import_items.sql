-- What the service does with a feed's items while it reads it: a batch is a statement. The reader sends a GUID again only
-- with a newer item, which takes the other's place. Statements of a reader that lost its message are refused; the message
-- is locked before the podcast and the import, as by everyone who settles it.
create function private.lock_import_feed_job(msg_id bigint, attempt int) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.lock_job('import_feeds', lock_import_feed_job.msg_id, lock_import_feed_job.attempt);
  if not found then
    raise sqlstate 'PT409' using message = 'Another process reads this feed', hint = 'INVALID_IMPORT_STATE';
  end if;
end $$;
comment on function private.lock_import_feed_job is 'Locks the message of a feed. PT409 INVALID_IMPORT_STATE when it was settled, or claimed by a later attempt.';

create function private.lock_staging_import(import_id uuid, msg_id bigint default null, attempt int default null) returns public.podcast_imports
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  held public.podcast_imports;
begin
  perform private.lock_import_feed_job(lock_staging_import.msg_id, lock_staging_import.attempt) where lock_staging_import.msg_id is not null;
  perform from public.podcasts p
  where p.id = (select i.podcast_id from public.podcast_imports i where i.id = lock_staging_import.import_id) for key share;
  select * into held from public.podcast_imports i where i.id = lock_staging_import.import_id for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'Import not found';
  end if;
  perform private.require_writable_podcast(held.podcast_id);
  if held.status <> 'pending' then
    perform private.raise_invalid_import_state(held, 'its feed is not being read any more');
  end if;
  return held;
end $$;
comment on function private.lock_staging_import is 'An import whose feed is being read, its row locked, for the holder of its message (when told of one). PT404; PT409 INVALID_IMPORT_STATE when it was canceled meanwhile, or PODCAST_PENDING_DELETION.';

create function private.stage_import_items(import_id uuid, items jsonb, msg_id bigint default null, attempt int default null) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
#variable_conflict use_column
declare
  held   public.podcast_imports := private.lock_staging_import(stage_import_items.import_id, stage_import_items.msg_id, stage_import_items.attempt);
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
    insert into public.podcast_import_items as i
      (import_id, podcast_id, position, guid, title, published_at, parsed_payload, warnings, status, error_message, error_code)
    select held.id, held.podcast_id, f.position, f.guid, f.title, f.published_at, f.payload, f.warnings,
      case when f.error_code is null then 'pending' else 'failed' end::public.import_item_status,
      case when f.error_code is not null then 'The episode''s GUID is longer than the 1,000 characters that an episode can have' end, f.error_code
    from feed f
    on conflict (import_id, md5(guid)) do update set
      position = excluded.position, title = excluded.title, published_at = excluded.published_at,
      parsed_payload = excluded.parsed_payload, warnings = excluded.warnings
    returning i.id, i.guid
  )
  insert into public.podcast_import_item_texts (import_item_id, podcast_id, description, content, summary)
  select w.id, held.podcast_id, f.description, f.content, f.summary from written w join feed f on f.guid = w.guid
  on conflict (import_item_id) do update set description = excluded.description, content = excluded.content, summary = excluded.summary;
  get diagnostics staged = row_count;
  update public.podcast_imports i set updated_at = now() where i.id = held.id;  -- somebody is at it
  return staged;
end $$;
comment on function private.stage_import_items is
  'Stages a batch of a feed''s items ([FeedItem], no GUID twice) in one statement and returns how many. PT404; PT409 INVALID_IMPORT_STATE when the import was canceled meanwhile.';
-- No grant: the functions' own connection owns it.

