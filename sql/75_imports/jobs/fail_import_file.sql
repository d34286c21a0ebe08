-- A file that cannot be copied keeps its address in the feed, and the report says why.
create function private.fail_import_file(message jsonb, why text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  source record;
begin
  perform from public.podcasts p
  where p.id = (message ->> 'podcast_id')::uuid and message ->> 'kind' = 'cover' for no key update;
  source := private.import_file_source(message);
  if source.url is null then
    return;
  end if;
  if message ->> 'kind' = 'cover' and private.own_object_path(source.url) is null then
    -- an object of ours belongs to something else, which may delete it
    update public.podcasts p set cover_image_url = source.url
    where p.id = source.podcast_id and p.status <> 'pending_deletion';
  end if;
  why := coalesce(nullif(why, ''), 'The copy failed');
  perform private.report_import_file(message, source.url, why);
  if message ->> 'kind' = 'image' then
    perform private.add_import_item_warnings((message ->> 'import_item_id')::uuid, jsonb_build_array(jsonb_build_object(
      'code', 'INVALID_IMAGE', 'message', 'Episode artwork was skipped: ' || left(why, 300))));
  end if;
end $$;
grant execute on function private.fail_import_file to service_role;
comment on function private.fail_import_file is
  'Reports a file that was not copied as lost, with the reason. The podcast then links to the channel''s cover. Does '
  'nothing when the podcaster has changed or deleted the file.';

-- A trigger on the dead-letter queue (private.install() creates it).
create function private.fail_import_file_on_dead_letter() returns trigger
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if (
    select bool_and(pg_input_is_valid(new.message #>> array['message', k.key], 'uuid'))
    from unnest('{podcast_id,import_item_id,transcript_id,import_id}'::text[]) k (key)
    where new.message -> 'message' ? k.key
  ) then
    perform private.fail_import_file(new.message -> 'message', new.message ->> 'error');
  end if;
  return null;
end $$;
