-- Shapes of JSON that clients write. A shape is the name of another one in the dictionary, or an object:
--   {"list": shape, "max": n, "min"?: n, "unique"?: member, "max_text_bytes"?: n}
--   {"object": {member: shape}, "required": [member], "rule"?: name}   (other members are rejected, null is absent)
--   {"text": max characters, "like"?: pattern, "expects"?: what the pattern requires}
--   {"number": [min, max], "is_rounded"?: true}   (without is_rounded: at most 6 decimals)
--   {"one_of": [text]} {"integer": [min, max]} {"boolean": true} {"decimal": true}
--   {"url": true} {"uri": true} {"language": true}
-- Only what the shape names is walked, so the depth of the value does not matter.
create function private.is_feed_url(url text) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  -- only URL parsers know the host names of other scripts
  return private.is_http_url(url)
    and (private.is_parsable_http_url(url) or url ~ '^[^:]+://[^/?#]*[^\x01-\x7F]');
end $$;
comment on function private.is_feed_url is
  'True for an http or https URL of at most 2,048 characters whose host, if it is in ASCII, every URL parser accepts.';

create function private.is_uri(uri text) returns boolean
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  return private.is_feed_url(uri) or (char_length(uri) <= 2048
    and uri ~ '^[A-Za-z][A-Za-z0-9+.-]{0,31}:[]!#$%&''()*+,./0-9:;=?@A-Z_a-z~[-]+$'
    and uri !~* '^(https?|javascript|vbscript|data|file|blob):');
end $$;
comment on function private.is_uri is
  'True for an http or https URL, or a URI of another scheme in ASCII, except schemes of scripts and local files.';

create function private.scalar_error(value jsonb, shape jsonb) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  type    text := jsonb_typeof(value);
  content text := case when type in ('string', 'number') then value #>> '{}' end;
  bounds  numeric[];
begin
  if shape ?| '{number,integer}' then  -- expressions with a query cost ten times as much as others
    bounds := array(
      select b::numeric from jsonb_array_elements_text(coalesce(shape -> 'number', shape -> 'integer')) b);
  end if;
  if shape ? 'boolean' then
    return case when type <> 'boolean' then 'true or false' end;
  elsif bounds is not null then
    -- a feed shows numbers without an exponent
    return case when type = 'number' and content::numeric between bounds[1] and bounds[2] and (shape ? 'is_rounded'
        or content::numeric = round(content::numeric, case when shape ? 'integer' then 0 else 6 end)) then null
      else format('%s from %s to %s', case when shape ? 'integer' then 'an integer' when shape ? 'is_rounded'
        then 'a number' else 'a number with at most 6 decimals' end, bounds[1], bounds[2]) end;
  elsif shape ? 'decimal' then
    return case when content ~ '^[0-9]{1,20}([.][0-9]{1,20})?$' then null else 'a decimal number, or its text' end;
  elsif type <> 'string' then
    return 'a text';
  elsif shape ? 'one_of' then
    return case when not shape -> 'one_of' ? content then 'one of: '
      || (select string_agg(o, ', ') from jsonb_array_elements_text(shape -> 'one_of') o) end;
  end if;
  return case
    when shape ? 'url' then case when not private.is_feed_url(content)
      then 'an http or https URL of at most 2,048 characters' end
    when shape ? 'uri' then case when not private.is_uri(content) then 'a URI of at most 2,048 characters' end
    when shape ? 'language' then case when not private.is_language_tag(content)
      then 'a BCP 47 tag, for example en or de-AT' end
    when char_length(content) > (shape ->> 'text')::int or private.is_blank(content)
      then concat(shape ->> 'expects' || ', ', format('1 to %s characters', shape ->> 'text'))
    when content !~ (shape ->> 'like') then shape ->> 'expects' end;
end $$;
comment on function private.scalar_error is 'What a value must be by its shape, if it is not; else null.';

create function private.shape_error(value jsonb, shape jsonb, dictionary jsonb, path text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  error text;
begin
  if jsonb_typeof(shape) = 'string' then
    shape := dictionary -> (shape #>> '{}');
  end if;
  if shape ? 'list' then
    if jsonb_typeof(value) <> 'array' then
      return path || ' must be a list';
    elsif jsonb_array_length(value) not between coalesce((shape ->> 'min')::int, 0) and (shape ->> 'max')::int then
      return format('%s must have %s to %s entries', path, coalesce(shape ->> 'min', '0'), shape ->> 'max');
    end if;
    select e.error into error
    from jsonb_array_elements(value) with ordinality a (entry, n)
    cross join lateral private.shape_error(a.entry, shape -> 'list', dictionary, format('%s[%s]', path, a.n - 1))
      e (error)
    where e.error is not null limit 1;
    return coalesce(error, case
      when shape ? 'unique' and (select count(*) <> count(distinct a.entry -> (shape ->> 'unique'))
          from jsonb_array_elements(value) a (entry))
        then format('%s must have each %s once', path, shape ->> 'unique')
      when (select sum(octet_length(a.text)) from jsonb_array_elements_text(value) a (text))
          > (shape ->> 'max_text_bytes')::int
        then format('%s must have at most %s bytes', path, shape ->> 'max_text_bytes') end);
  elsif shape ? 'object' then
    if jsonb_typeof(value) <> 'object' then
      return path || ' must be an object';
    end if;
    select e.error into error
    from jsonb_each(value) m
    cross join lateral (select case
      when not shape -> 'object' ? m.key then format('%s.%s is unknown; use %s', path, left(m.key, 100),
        (select string_agg(k, ', ') from jsonb_object_keys(shape -> 'object') k))
      when m.value <> 'null' then
        private.shape_error(m.value, shape #> array['object', m.key], dictionary, path || '.' || m.key)
      end) e (error)
    where e.error is not null limit 1;
    return coalesce(error, (
      select format('%s.%s is required', path, r.member) from jsonb_array_elements_text(shape -> 'required') r (member)
      where coalesce(value -> r.member, 'null') = 'null' limit 1));
  end if;
  return path || ' must be ' || private.scalar_error(value, shape);
end $$;
comment on function private.shape_error is
  'The first error of a value by its shape, such as `locations[0].country must be …`; null if it has none. Named '
  'shapes are in the dictionary.';

create function private.fold_texts(value jsonb) returns jsonb
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  case jsonb_typeof(value)
    when 'string' then
      return to_jsonb(private.normalize_line(value #>> '{}'));
    when 'array' then
      return (select coalesce(jsonb_agg(private.fold_texts(e.entry) order by e.n), '[]')
        from jsonb_array_elements(value) with ordinality e (entry, n));
    when 'object' then
      return (select coalesce(jsonb_object_agg(m.key, private.fold_texts(m.value)), '{}')
        from jsonb_each(value) m where m.value <> 'null');
    else
      return value;
  end case;
end $$;
comment on function private.fold_texts is
  'Applies normalize_line to every text in a value of a bounded depth, and removes members that are null.';
