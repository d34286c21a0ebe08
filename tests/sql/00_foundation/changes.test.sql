-- Partial updates: which objects are changes.
create function pg_temp.said(changes jsonb, at_least int default 1) returns text language plpgsql as $$
declare detail text;
begin
  perform private.require_changes(changes, '{"name": ["string"], "note": ["string", "null"]}', at_least);
  return 'ok';
exception when others then
  get stacked diagnostics detail = pg_exception_detail;
  return concat_ws(' ', sqlstate, coalesce(nullif(detail, ''), sqlerrm));
end $$;
select is(pg_temp.said(changes::jsonb, at_least), wanted, format('%s, at least %s: %s', changes, at_least, wanted))
from (values
  ('{"name": "x"}', 1, 'ok'), ('{"name": "x", "note": null}', 1, 'ok'), ('{"note": ""}', 1, 'ok'), ('{}', 0, 'ok'),
  ('{}', 1, 'PT400 Give at least one of name, note'),
  ('[]', 0, 'PT400 The changes must be an object'), ('"name"', 0, 'PT400 The changes must be an object'),
  ('null', 0, 'PT400 The changes must be an object'), (null, 0, 'PT400 The changes must be an object'),
  ('{"name": "x", "id": 1}', 1, 'PT400 id: is not a field of this request'),
  ('{"name": null}', 1, 'PT400 name: must be string'), ('{"note": 5}', 1, 'PT400 note: must be string or null')) w (changes, at_least, wanted);
