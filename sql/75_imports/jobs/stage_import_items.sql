-- Stages the items of a feed while it is read, one statement per batch. The reader sends a GUID again only with a newer
-- item, which replaces the earlier one. A reader that lost its message can write nothing. The podcast is locked before
-- the message and the import, as by its deletion.
create function private.stage_import_items(
  _import_id uuid, _items jsonb, _msg_id bigint default null, _attempt int default null) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
#variable_conflict use_column
declare
  import public.podcast_imports := private.lock_staging_import(_import_id, _msg_id, _attempt);
  staged int;
begin
  with own_blocks as materialized (  -- the items of a podcast mostly pay the same people
    select b.blocks, sum(octet_length(b.blocks::text)) over (order by b.blocks) as bytes
    from (select distinct item -> 'valueBlocks' as blocks from jsonb_array_elements(_items) item
      where item -> 'valueBlocks' <> '[]') b
  ), doubtful_blocks as materialized (
    select b.blocks, sum(octet_length(b.blocks::text)) over (order by b.blocks) as bytes
    from own_blocks b
    where b.bytes <= 1048576  -- more would take too long; the report has all losses
      and private.feed_value_error('value_blocks', private.snake_case_members(b.blocks)) is not null
  ), lost_blocks as materialized (
    select b.blocks, w.warnings
    from (select * from doubtful_blocks b where b.bytes <= 131072 offset 0) b
    cross join lateral private.value_block_warnings(b.blocks) w (warnings)
    where w.warnings <> '[]'
  ), feed as materialized (
    select (item ->> 'position')::int as position, item ->> 'guid' as guid,
      (item ->> 'pubDate')::timestamptz as published_at,
      coalesce(item -> 'warnings', '[]') || coalesce((
        select b.warnings from lost_blocks b where b.blocks = item -> 'valueBlocks'), '[]') as warnings,
      p.payload,
      case when private.may_have_address(p.text) then nullif(private.mask_addresses(p.text), p.payload) end as masked,
      item ->> 'description' as description, item ->> 'content' as content, item ->> 'summary' as summary,
      item ->> 'subtitle' as subtitle,
      coalesce(item -> 'extraTags', '[]') as extra_tags, coalesce(item -> 'losses', '[]') as losses,
      case when private.is_guid_too_long(item ->> 'guid') then 'GUID_TOO_LONG' end as error_code
    from jsonb_array_elements(_items) item
    cross join lateral (
      select kept.payload, kept.payload::text as text
      from (
        select item - '{guid,position,warnings,description,content,summary,subtitle,extraTags,losses}'::text[]
          || jsonb_build_object('episodeNumber', item -> 'episode', 'seasonNumber', item -> 'season') as payload
        offset 0) kept
      offset 0) p
  ), written as (
    insert into public.podcast_import_items as i (import_id, podcast_id, position, guid, title, published_at,
      parsed_payload, warnings, status, error_message, error_code)
    select import.id, import.podcast_id, f.position, f.guid, coalesce(f.masked, f.payload) ->> 'title', f.published_at,
      coalesce(f.masked, f.payload), f.warnings,
      case when f.error_code is null then 'pending' else 'failed' end::public.import_item_status,
      case when f.error_code is not null then 'The GUID exceeds 1,000 characters' end, f.error_code
    from feed f
    on conflict (import_id, md5(guid)) do update set
      position = excluded.position, title = excluded.title, published_at = excluded.published_at,
      parsed_payload = excluded.parsed_payload, warnings = excluded.warnings
    returning i.id, i.guid
  ), unmasked as (  -- a newer item may replace a masked one
    delete from private.import_item_originals o using written w join feed f on f.guid = w.guid
    where o.import_item_id = w.id and f.masked is null
  ), masked as (
    insert into private.import_item_originals (import_item_id, payload)
    select w.id, f.payload from written w join feed f on f.guid = w.guid where f.masked is not null
    on conflict (import_item_id) do update set payload = excluded.payload
  )
  insert into public.podcast_import_item_texts (
    import_item_id, podcast_id, description, content, summary, subtitle, extra_tags, losses)
  select w.id, import.podcast_id, f.description, f.content, f.summary, f.subtitle, f.extra_tags, f.losses
  from written w join feed f on f.guid = w.guid
  on conflict (import_item_id) do update set
    description = excluded.description, content = excluded.content, summary = excluded.summary,
    subtitle = excluded.subtitle, extra_tags = excluded.extra_tags, losses = excluded.losses;
  get diagnostics staged = row_count;
  update public.podcast_imports i set updated_at = default where i.id = import.id;  -- keeps it from becoming stale
  return staged;
end $$;
grant execute on function private.stage_import_items to service_role;
comment on function private.stage_import_items is
  'Stages a batch of a feed''s items ([FeedItem], no GUID twice) in one statement. Returns how many. PT404; PT409 '
  'INVALID_IMPORT_STATE when the import is no longer pending.';
-- No grant: the functions connect as the owner.
