-- Starts an import: takes the podcast's one place, so that the feed can be read and staged outside of a transaction. What
-- was staged and never finished, because the function died, goes after ten minutes.
create function private.end_abandoned_stagings(at timestamptz default now()) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  ended int;
begin
  delete from public.podcast_imports i where i.id in (
    select o.id from public.podcast_imports o
    where o.status = 'pending' and o.updated_at < end_abandoned_stagings.at - interval '10 minutes'
    order by o.id for update skip locked);
  get diagnostics ended = row_count;
  return ended;
end $$;
comment on function private.end_abandoned_stagings is 'The clock''s: deletes imports whose feed nobody has gone on reading for ten minutes. How many.';
revoke all on function private.end_abandoned_stagings from public, anon, authenticated, service_role;

create function private.open_import(podcast_id uuid, feed_url text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- imports have no write grants
set search_path = ''
as $$
#variable_conflict use_column
declare
  opened    uuid;
  in_flight uuid;
begin
  perform private.require_role(open_import.podcast_id, 'admin');
  perform private.require_open_podcast(open_import.podcast_id);
  if exists (select from public.podcasts p where p.id = open_import.podcast_id and p.hosting_type = 'external') then
    raise sqlstate 'PT409' using message = 'Episodes are imported into podcasts that are hosted here; this one is hosted elsewhere', hint = 'EXTERNAL_PODCAST';
  end if;
  if not coalesce(private.is_http_url(open_import.feed_url), false) then
    raise sqlstate 'PT400' using message = 'The feed''s address must be an absolute http or https URL', hint = 'INVALID_URL';
  end if;
  perform private.require_import_queue();
  perform private.consume_plan_rate_limit('feed_imports', open_import.at);
  perform private.end_abandoned_stagings(open_import.at);
  loop
    insert into public.podcast_imports as i (podcast_id, feed_url) values (open_import.podcast_id, open_import.feed_url)
    on conflict (podcast_id) where status in ('verification_required', 'preview', 'pending', 'running') do nothing
    returning i.id into opened;
    exit when opened is not null;
    select i.id into in_flight from public.podcast_imports i
    where i.podcast_id = open_import.podcast_id and i.status in ('verification_required', 'preview', 'pending', 'running');
    if found then
      raise sqlstate 'PT409' using message = 'An import into this podcast is in flight', hint = 'IMPORT_IN_FLIGHT',
        detail = jsonb_build_object('importId', in_flight)::text;
    end if;  -- else it has just ended
  end loop;
  return jsonb_build_object('importId', opened);
end $$;
comment on function private.open_import is 'start_import''s half behind the grants.';
revoke all on function private.open_import from public, anon, authenticated, service_role;
grant execute on function private.open_import to authenticated;  -- checks the role itself

create function public.start_import(podcast_id uuid, feed_url text) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  return private.open_import(start_import.podcast_id, start_import.feed_url);
end $$;
comment on function public.start_import is
  'POST /api/imports/podcast, first half: {importId} of an import whose feed is to be read, which the service does next. Needs admin+. 400 INVALID_URL, 403, 404, 409 EXTERNAL_PODCAST or IMPORT_IN_FLIGHT with importId, 429, 500 no queue.';
revoke all on function public.start_import from public, anon, authenticated, service_role;
grant execute on function public.start_import to authenticated;
