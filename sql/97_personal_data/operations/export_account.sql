-- Returns a page of what is held about the caller. A page ends after 500 records or half a megabyte, and continues by
-- keys, so that no page costs more than the first. Changes between two pages may appear in either. Pages
-- have a limit of their own, because a caller can make a cursor that restarts an export.
create function private.export_account(_cursor text, at timestamptz default now()) returns jsonb
language plpgsql volatile security definer  -- reads Auth's tables, the ledger and rows that policies hide
set search_path = ''
as $$
declare
  sections constant text[] := private.export_sections();
  section  text := split_part(_cursor, '/', 1);
  last_key text := nullif(substring(_cursor from '/(.*)$'), '');  -- null: from the section's first record
  found_row record;
  records  jsonb[];
  record_count int := 0;
  byte_count   int := 0;
  data     jsonb[] := '{}';
begin
  perform private.require_user();
  perform from auth.users u where u.id = auth.uid();
  if not found then
    raise sqlstate 'PT404' using message = 'The account was deleted';
  end if;
  perform private.consume_rate_limit(
    'account_export_pages:' || auth.uid(), 2000, interval '1 hour', at);
  if _cursor is null then
    perform private.consume_rate_limit('account_exports:' || auth.uid(),
      private.get_setting('max_account_exports_per_hour')::int, interval '1 hour', at);
    section := sections[1];
  elsif section <> all (sections) then
    perform private.raise_invalid_cursor();
  end if;
  for n in array_position(sections, section) .. cardinality(sections) loop
    section := sections[n];
    records := '{}';
    -- a record is built after the page is cut, because sorting would build the records of all rows
    for found_row in execute format($page$
      select page.key::text as key,
        (select v.record from private.%1$I v where v.user_id = $1 and v.key = page.key) as record
      from (
        select v.key from private.%1$I v where v.user_id = $1 %2$s order by v.key limit $2
      ) page$page$, 'exported_' || section, case when last_key is not null then format('and v.key > %L', last_key) end)
      using auth.uid(), 500 - record_count
    loop
      records := records || found_row.record;
      last_key := found_row.key;
      record_count := record_count + 1;
      byte_count := byte_count + pg_column_size(found_row.record);
      exit when byte_count >= 524288;
    end loop;
    data := data || jsonb_build_object('section', section, 'records', to_jsonb(records));
    if record_count >= 500 or byte_count >= 524288 then
      return jsonb_build_object(
        'data', to_jsonb(data), 'pagination', private.pagination_json(section || '/' || last_key, true));
    end if;
    last_key := null;
  end loop;
  return jsonb_build_object('data', to_jsonb(data), 'pagination', private.pagination_json(null, false));
end $$;
grant execute on function private.export_account to authenticated;

create function public.export_account(cursor text default null) returns jsonb
language sql volatile security invoker set search_path = ''
return private.export_account(cursor);
comment on function public.export_account is
  'A page of GET /api/account/export: {data: [{section, records}], pagination: {nextCursor, hasMore}}. A section can '
  'continue on the next page; after the last page, each section has appeared. 400, 401, 403 ANONYMOUS_USER, '
  '404 deleted account, 429.';
grant execute on function public.export_account to authenticated;
