-- Starts an import: takes the podcast's one place and queues the reading of the feed. The route claims that message and
-- reads at once; otherwise the worker reads. An import that is not read on for ten minutes is deleted.
create function private.delete_stale_imports(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  ended int;
begin
  delete from public.podcast_imports i where i.id in (
    select o.id from public.podcast_imports o
    where o.status = 'pending' and o.updated_at < delete_stale_imports.at - interval '10 minutes'
    order by o.id for update skip locked);
  get diagnostics ended = row_count;
  return ended;
end $$;
comment on function private.delete_stale_imports is 'The clock''s: deletes imports whose feed nobody has gone on reading for ten minutes. How many.';

create function private.start_import(podcast_id uuid, feed_url text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- imports have no write grants
set search_path = ''
as $$
#variable_conflict use_column
declare
  opened    uuid;
  in_flight uuid;
begin
  perform private.require_role(start_import.podcast_id, 'admin');
  perform private.require_writable_podcast(start_import.podcast_id);
  if exists (select from public.podcasts p where p.id = start_import.podcast_id and p.hosting_type = 'external') then
    raise sqlstate 'PT409' using message = 'Episodes are imported into podcasts that are hosted here; this one is hosted elsewhere', hint = 'PODCAST_HOSTED_EXTERNALLY';
  end if;
  if not coalesce(private.is_http_url(start_import.feed_url), false) then
    raise sqlstate 'PT400' using message = 'The feed''s address must be an absolute http or https URL', hint = 'INVALID_URL';
  end if;
  perform private.require_import_queue();
  perform private.consume_plan_rate_limit('feed_imports', start_import.at);
  perform private.delete_stale_imports(start_import.at);
  loop
    insert into public.podcast_imports as i (podcast_id, feed_url) values (start_import.podcast_id, start_import.feed_url)
    on conflict (podcast_id) where status in ('verification_required', 'preview', 'pending', 'running') do nothing
    returning i.id into opened;
    exit when opened is not null;
    select i.id into in_flight from public.podcast_imports i
    where i.podcast_id = start_import.podcast_id and i.status in ('verification_required', 'preview', 'pending', 'running');
    if found then
      raise sqlstate 'PT409' using message = 'An import into this podcast is in flight', hint = 'IMPORT_IN_FLIGHT',
        detail = jsonb_build_object('importId', in_flight)::text;
    end if;  -- else it has just ended
  end loop;
  -- the route needs a moment to claim the message, for which the worker is not woken
  perform private.enqueue('import_feeds', jsonb_build_object('type', 'import_feed', 'import_id', opened),
    case when current_setting('castbase.through_functions', true) = 'yes' then 5 else 0 end);
  return jsonb_build_object('importId', opened, 'status', 'pending');
end $$;
comment on function private.start_import is 'start_import''s half behind the grants.';
grant execute on function private.start_import to authenticated;  -- checks the role itself

create function public.start_import(podcast_id uuid, feed_url text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.start_import(start_import.podcast_id, start_import.feed_url);
end $$;
comment on function public.start_import is
  'POST /api/imports/podcast, first half: {importId, status: pending}. The route reads the feed at once; after an RPC call the worker does, and the row moves to preview, verification_required, or failed with error_code and error_message. Needs admin+. 400 INVALID_URL, 403, 404, 409 PODCAST_HOSTED_EXTERNALLY or IMPORT_IN_FLIGHT with importId, 429, 500 no queue.';
grant execute on function public.start_import to authenticated;
