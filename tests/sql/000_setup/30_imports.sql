-- An import in any state, as the verbs leave it, of which nothing was counted yet. The same name again names the new
-- one.
create function tests.import(name text, podcast text, status public.import_status default 'preview') returns uuid
language plpgsql security definer as $$
declare
  created     uuid;
  unproven boolean := import.status = 'verification_required';
begin
  insert into public.podcast_imports (podcast_id, created_by, feed_url, status, is_locked_source, verification_method,
    verification_token, staged_at, started_at, finished_at, detection)
  select p.id, p.owner_id, 'https://feeds.example/a.xml', import.status, unproven,
    case when unproven then 'feed_recheck' end::public.import_verification_method,
      case when unproven then 'castbase-verify-' || gen_random_uuid() end,
    case when import.status <> 'pending' then now() end,
    case when import.status in ('running', 'completed', 'partial', 'failed') then now() end,
    case when import.status in ('completed', 'partial', 'failed', 'canceled') then now() end,
    '{"pattern": null, "confidence": 0, "numbers": {}, "conflicts": []}'
  from public.podcasts p where p.id = tests.id(podcast)
  returning id into created;
  delete from tests.ids i where i.name = import.name;
  return tests.remember(name, created);
end $$;

-- An item at the next position, remembered by its GUID
create function tests.import_item(guid text, import text, status public.import_item_status default 'pending',
  payload jsonb default '{}') returns uuid
language plpgsql security definer as $$
declare created uuid;
begin
  insert into public.podcast_import_items (import_id, podcast_id, position, guid, title, status, error_message,
    parsed_payload)
  select i.id, i.podcast_id, i.total_items, import_item.guid, import_item.guid, import_item.status,
    case import_item.status when 'failed' then 'The source answered 500' end,
      import_item.payload - '{description,content,summary,subtitle}'::text[]
  from public.podcast_imports i where i.id = tests.id(import)
  returning id into created;
  insert into public.podcast_import_item_texts (import_item_id, podcast_id, description, content, summary, subtitle)
  select i.id, i.podcast_id, import_item.payload ->> 'description', import_item.payload ->> 'content',
    import_item.payload ->> 'summary', import_item.payload ->> 'subtitle'
  from public.podcast_import_items i where i.id = created;
  delete from tests.ids i where i.name = import_item.guid;
  return tests.remember(import_item.guid, created);
end $$;

-- a TAP report, as each file of a pg_prove run has
select unnest(array['1..1', 'ok 1 - the factories of imports are created']);
