-- The check of an old feed's address, which the route or the worker makes.
create function private.begin_import_switch_check(_import_id uuid, at timestamptz default clock_timestamp())
returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  addresses jsonb;
begin
  update private.import_switch_checks c set begun_at = greatest(at, c.requested_at)
  from public.podcast_imports i join public.podcasts p on p.id = i.podcast_id
  where c.import_id = _import_id and i.id = c.import_id and coalesce(c.begun_at < c.requested_at, true)
  returning jsonb_build_object('oldFeedUrl', i.feed_url, 'newFeedUrl', private.feed_url(p.slug)) into addresses;
  return addresses;
end $$;
grant execute on function private.begin_import_switch_check to service_role;
comment on function private.begin_import_switch_check is
  'Begins the requested check and returns the addresses to compare, {oldFeedUrl, newFeedUrl}; null when another '
  'process checks, or the import does not exist.';

create function private.compare_feed_items(_import_id uuid, items jsonb) returns jsonb
language plpgsql stable security invoker set search_path = ''
set enable_seqscan = off  -- as private.episode_guid_exists
as $$
begin
  return (
    select jsonb_build_object(
      'itemCount', count(*),
      'importedCount', count(*) filter (where e.id is not null),
      'heldCount', count(*) filter (where e.id is null and i.id is not null),
      'addedCount', count(*) filter (where coalesce(e.id, i.id) is null),
      'newestAdded', (array_agg(jsonb_build_object('title', f.title, 'publishedAt', f.published_at)
        order by f.published_at desc nulls last) filter (where coalesce(e.id, i.id) is null))[1])
    from jsonb_to_recordset(items) f (guid text, title text, published_at text)
    join public.podcast_imports m on m.id = _import_id
    left join public.episodes e on e.podcast_id = m.podcast_id and e.guid = f.guid
    left join public.podcast_import_items i on i.import_id = m.id and md5(i.guid) = md5(f.guid));
end $$;
grant execute on function private.compare_feed_items to service_role;
comment on function private.compare_feed_items is
  'Which items [{guid, title, published_at}] of a feed the podcast of an import has: {itemCount, importedCount, '
  'heldCount (known to the import, without an episode), addedCount (since the import), newestAdded}.';

create function private.finish_import_switch_check(
  _import_id uuid, result jsonb, at timestamptz default clock_timestamp()) returns boolean
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  update private.import_switch_checks c set checked_at = greatest(at, c.requested_at), result = $2
  where c.import_id = _import_id;
  return found;
end $$;
grant execute on function private.finish_import_switch_check to service_role;
comment on function private.finish_import_switch_check is
  'Stores the result of a check. False when the import does not exist.';
