-- Starts an import: takes the podcast's one import slot and enqueues the reading of the feed. The route claims that
-- message and reads at once; without it the worker reads.
create function private.start_import(
  _podcast_id uuid, _feed_url text, _username text default null, _password text default null,
  at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- clients have no write grant on imports
set search_path = ''
as $$
#variable_conflict use_column
declare
  feed    record;  -- {url, login}
  created uuid;
begin
  perform private.require_role(_podcast_id, 'admin');
  perform private.reject_pending_deletion(p.status) from public.podcasts p where p.id = _podcast_id;
  if exists (select from public.podcasts p where p.id = _podcast_id and p.hosting_type = 'external') then
    raise sqlstate 'PT409' using hint = 'PODCAST_HOSTED_EXTERNALLY',
      message = 'Episodes can only be imported into podcasts hosted here';
  end if;
  feed := private.split_feed_login(private.normalize_feed_url(_feed_url), _username, _password);
  if not coalesce(private.is_http_url(feed.url), false) then
    raise sqlstate 'PT400' using message = 'feed_url must be an absolute http or https URL', hint = 'INVALID_URL';
  end if;
  perform private.require_public_url(feed.url);
  perform private.require_import_queue();
  perform private.consume_plan_rate_limit('feed_imports', at);
  perform private.delete_stale_imports(at);
  loop
    insert into public.podcast_imports as i (podcast_id, feed_url)
    values (_podcast_id, feed.url)
    on conflict (podcast_id) where status <= 'running' do nothing
    returning i.id into created;
    exit when created is not null;
    perform private.require_no_import_in_flight(_podcast_id);  -- or it has finished since: try again
  end loop;
  perform private.store_import_login(created, feed.login);
  -- The delay gives the route time to claim the message; enqueue does not wake the worker for a delayed message.
  perform private.enqueue('import_feeds',
    jsonb_build_object('type', 'import_feed', 'import_id', created, 'podcast_id', _podcast_id),
    case when current_setting('castbase.called_by_edge_function', true) = 'yes' then 5 else 0 end);
  return jsonb_build_object('importId', created, 'status', 'pending');
end $$;
grant execute on function private.start_import to authenticated;

create function public.start_import(
  podcast_id uuid, feed_url text, feed_username text default null, feed_password text default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.start_import(podcast_id, feed_url, feed_username, feed_password);
comment on function public.start_import is
  'POST /api/imports/podcast, first step: {importId, status: pending}. feed_url is trimmed; feed:, pcast:, itpc: and a '
  'bare host become https. The route reads the feed at once. After an RPC call the worker reads it and the import '
  'changes to preview, verification_required, or failed with error_code and error_message. The login of a feed behind '
  'Basic auth is in its URL or beside it; Vault keeps it until a week after the import has finished. Requires admin. '
  '400 INVALID_URL or BLOCKED_URL, 403, 404, 409 PODCAST_HOSTED_EXTERNALLY or IMPORT_IN_FLIGHT with importId, 429, 500 '
  'without a queue.';
grant execute on function public.start_import to authenticated;
