-- An import and all its items.
create function private.described_import(import_id uuid) returns jsonb
language plpgsql stable security definer  -- tells a missing import from a forbidden one
set search_path = ''
as $$
declare
  import public.podcast_imports := private.require_import_role(described_import.import_id);
begin
  return to_jsonb(import) || jsonb_build_object(
    'staged_at', private.iso(import.staged_at), 'started_at', private.iso(import.started_at), 'finished_at', private.iso(import.finished_at),
    'created_at', private.iso(import.created_at), 'updated_at', private.iso(import.updated_at),
    'items', coalesce((
      select jsonb_agg(jsonb_build_object(
        'id', i.id, 'import_id', i.import_id, 'podcast_id', i.podcast_id, 'position', i.position, 'guid', i.guid,
        'status', i.status, 'title', i.title, 'published_at', private.iso(i.published_at),
        'parsed_payload', i.parsed_payload,
        'warnings', i.warnings, 'error', i.error, 'error_code', i.error_code, 'attempts', i.attempts, 'episode_id', i.episode_id,
        'created_at', private.iso(i.created_at), 'updated_at', private.iso(i.updated_at)) order by i.created_at, i.position)
      from public.podcast_import_items i where i.import_id = import.id), '[]'));
end $$;
comment on function private.described_import is 'get_import''s half behind the grants.';
revoke all on function private.described_import from public, anon, authenticated, service_role;
grant execute on function private.described_import to authenticated;  -- checks the role itself

create function public.get_import(import_id uuid) returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return private.described_import(get_import.import_id);
end $$;
comment on function public.get_import is
  'GET /api/imports/{id}: the import, the owner''s address masked, with all its items by created_at and position, each without its long texts. Needs admin+. 403, 404.';
revoke all on function public.get_import from public, anon, authenticated, service_role;
grant execute on function public.get_import to authenticated;
