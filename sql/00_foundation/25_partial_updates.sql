-- Partial updates: absent is not null.
create function private.require_changes(changes jsonb, kinds jsonb, at_least int default 1) returns void
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  given text[];
  wrong text;
begin
  if jsonb_typeof(changes) is distinct from 'object' then
    raise sqlstate 'PT400' using message = 'Invalid request', detail = 'The changes must be an object';
  end if;
  given := array(select jsonb_object_keys(changes));
  if cardinality(given) < at_least then
    raise sqlstate 'PT400' using message = format('Give at least one of %s', array_to_string(array(select jsonb_object_keys(kinds)), ', '));
  end if;
  foreach wrong in array given loop
    if not kinds ? wrong then
      raise sqlstate 'PT400' using message = 'Invalid request', detail = format('%s: is not a field of this request', left(wrong, 100));
    elsif not kinds -> wrong ? jsonb_typeof(changes -> wrong) then
      raise sqlstate 'PT400' using message = 'Invalid request', detail = format('%s: must be %s', wrong,
        (select string_agg(kind, ' or ') from jsonb_array_elements_text(kinds -> wrong) kind));
    end if;
  end loop;
end $$;
comment on function private.require_changes is
  'Returns when `changes` is an object of known keys (`kinds`: key to its JSON types) with at least so many of them; PT400 naming the key otherwise.';
-- No grant: definers call it.
