-- Partial updates: which objects are valid changes
begin;
select tests.start();

create function pg_temp.validate(changes jsonb, min_keys int default 1) returns text language plpgsql as $$
declare detail text;
begin
  perform private.validate_changes(changes, '{"name": ["string"], "note": ["string", "null"]}', min_keys);
  return 'ok';
exception when others then
  get stacked diagnostics detail = pg_exception_detail;
  return concat_ws(' ', sqlstate, coalesce(nullif(detail, ''), sqlerrm));
end $$;
select is(pg_temp.validate(changes::jsonb, min_keys), expected,
  format('validate_changes of %s with at least %s keys returns %s', coalesce(changes, 'null'), min_keys, expected))
from (values
  ('{"name": "x"}', 1, 'ok'), ('{"name": "x", "note": null}', 1, 'ok'), ('{"note": ""}', 1, 'ok'), ('{}', 0, 'ok'),
  ('{}', 1, 'PT400 Provide at least one of: name, note'),
  ('[]', 0, 'PT400 changes must be a JSON object'), ('"name"', 0, 'PT400 changes must be a JSON object'),
  ('null', 0, 'PT400 changes must be a JSON object'), (null, 0, 'PT400 changes must be a JSON object'),
  ('{"name": "x", "id": 1}', 1, 'PT400 Unknown field: id'),
  ('{"name": null}', 1, 'PT400 name: must be string'),
  ('{"note": 5}', 1, 'PT400 note: must be string or null')) c (changes, min_keys, expected);

select * from tests.finish();
rollback;
