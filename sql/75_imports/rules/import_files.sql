-- Files of a feed that are copied to our storage, because the old account will close: transcripts, chapters, the
-- channel's cover, and images of items that could not be fetched at once. Each has its own message in the queue
-- import_files, so that a file that fails repeats no other: {type: import_file, kind: transcript, import_item_id,
-- transcript_id, podcast_id}, {…, kind: chapters, import_item_id, podcast_id}, {…, kind: image, import_item_id,
-- podcast_id} or {…, kind: cover, import_id, podcast_id}.
create function private.enqueue_import_files(item public.podcast_import_items, _with_image boolean) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  message  constant jsonb := jsonb_build_object(
    'type', 'import_file', 'import_item_id', item.id, 'podcast_id', item.podcast_id);
  messages jsonb[];
begin
  select array_agg(message || f.file order by f.n) into messages
  from (
    select t.display_order as n, jsonb_build_object('kind', 'transcript', 'transcript_id', t.id) as file
    from public.episode_transcripts t where t.episode_id = item.id and t.bytes is null
    union all
    select -1, '{"kind": "chapters"}' from public.episodes e where e.id = item.id and e.chapters_url is not null
    union all
    select -2, '{"kind": "image"}' from public.episodes e
    where _with_image and e.id = item.id and e.cover_image_url is not null
  ) f;
  if messages is not null then
    perform private.enqueue_batch('import_files', messages);  -- cron wakes the worker, as for the feed
  end if;
end $$;
comment on function private.enqueue_import_files is
  'Enqueues the copy of each transcript of a new imported episode, of its chapters and, if wanted, of its image.';

create function private.import_file_source(
  message jsonb, out podcast_id uuid, out episode_id uuid, out url text, out type text)
language plpgsql volatile security invoker set search_path = ''  -- sees the rows that its caller has locked
as $$
begin
  case message ->> 'kind'
    when 'transcript' then
      select i.podcast_id, i.episode_id, t.url, t.type into podcast_id, episode_id, url, type
      from public.podcast_import_items i join public.episode_transcripts t on t.episode_id = i.episode_id
      cross join lateral private.unmask_import_item(i) u
      where i.id = (message ->> 'import_item_id')::uuid and t.id = (message ->> 'transcript_id')::uuid
        and t.bytes is null and exists (  -- one that an admin added would be requested with the importer's login
          select from jsonb_array_elements(u.parsed_payload -> 'transcripts') f where f ->> 'url' = t.url);
    when 'chapters' then
      select i.podcast_id, i.episode_id, e.chapters_url into podcast_id, episode_id, url
      from public.podcast_import_items i join public.episodes e on e.id = i.episode_id
      cross join lateral private.unmask_import_item(i) u
      where i.id = (message ->> 'import_item_id')::uuid and e.chapters_url = u.parsed_payload ->> 'chapters'
        and private.has_chapters_as_imported(e.id, u.parsed_payload -> 'simpleChapters');
    when 'image' then
      select i.podcast_id, i.episode_id, e.cover_image_url into podcast_id, episode_id, url
      from public.podcast_import_items i join public.episodes e on e.id = i.episode_id
      cross join lateral private.unmask_import_item(i) u
      where i.id = (message ->> 'import_item_id')::uuid and e.cover_image_url = u.parsed_payload ->> 'image'
        and private.own_object_path(e.cover_image_url) is null;
    when 'cover' then
      select i.podcast_id, c.fields ->> 'image' into podcast_id, url
      from public.podcast_imports i
      join private.import_channels c on c.import_id = i.id
      join public.podcasts p on p.id = i.podcast_id
      where i.id = (message ->> 'import_id')::uuid and p.cover_image_url is not distinct from c.confirmed_cover_url;
    else null;  -- a dead letter may be invalid
  end case;
end $$;
comment on function private.import_file_source is
  'The address that a message of import_files copies, and its target; null when there is nothing to do: it is copied, '
  'or the podcaster has changed or deleted it.';

create function private.copy_loss(path text, url text, why text) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return jsonb_build_object('path', path, 'reason', 'NOT_COPIED',
    'excerpt', format('%s (%s)', left(url, 300), left(why, 300)));
end $$;
comment on function private.copy_loss is 'The loss of a file that was not copied and keeps its address.';

create function private.without_copy_loss(losses jsonb, loss jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  -- what precedes the reason, which may differ
  start constant text := left(loss ->> 'excerpt', strpos(loss ->> 'excerpt', ' ('));
begin
  if not losses @> '[{"reason": "NOT_COPIED"}]' then
    return losses;
  end if;
  return (
    select coalesce(jsonb_agg(l.loss order by l.n), '[]')
    from jsonb_array_elements(losses) with ordinality l (loss, n)
    where not (l.loss -> 'reason' = '"NOT_COPIED"' and l.loss -> 'path' = without_copy_loss.loss -> 'path'
      and starts_with(l.loss ->> 'excerpt', start)));
end $$;
comment on function private.without_copy_loss is 'The losses without those of the same file that was not copied.';

create function private.report_import_file(message jsonb, url text, why text default null) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  path       constant text := case message ->> 'kind' when 'transcript' then 'podcast:transcript'
    when 'chapters' then 'podcast:chapters' else 'itunes:image' end;
  loss       constant jsonb := private.mask_addresses(private.copy_loss(path, url, coalesce(why, ''))::text);
  new_copies constant jsonb := private.mask_addresses(case when why is null
    then jsonb_build_array(jsonb_build_object('path', path, 'url', url))::text else '[]' end);
  new_losses constant jsonb := case when why is null then '[]' else jsonb_build_array(loss) end;
begin
  if message ->> 'kind' = 'cover' then
    update public.podcast_import_channels c set copies = c.copies || new_copies,
      losses = private.without_copy_loss(c.losses, loss) || new_losses
    where c.import_id = (message ->> 'import_id')::uuid;
  else
    update public.podcast_import_item_texts t set copies = t.copies || new_copies,
      losses = private.without_copy_loss(t.losses, loss) || new_losses
    where t.import_item_id = (message ->> 'import_item_id')::uuid;
  end if;
end $$;
comment on function private.report_import_file is
  'Adds a file to the copies of its item or channel; with a reason to its losses. Replaces an earlier loss of it.';

create function private.imported_image_spec(_name text) returns private.image_types
language plpgsql stable security invoker set search_path = ''
as $$
declare
  spec private.image_types := private.image_spec(_name);
begin
  spec.min_width := 1;
  spec.min_height := 1;
  spec.aspect_ratio := null;
  return spec;
end $$;
comment on function private.imported_image_spec is
  'The limits of an image that an import copies: its type''s format and bytes, but any pixels and ratio, because a '
  'link to the old host ends with its account. The feed report names artwork that directories reject.';
