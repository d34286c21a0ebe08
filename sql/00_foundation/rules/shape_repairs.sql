-- Repairs of JSON that others wrote, by its shape (shapes.sql). One doubtful member costs that member:
--   {"text": …, "is_prose": true}                a longer text is shortened
--   {"text": …, "rewrites": [[pattern, text]]}   tried in order, without regard to case; the meaning stays
--   {"text": …, "cut": pattern}                  a part that the shape does not allow is left out
--   {"integer": …, "unit": text}                 the number may have this unit
--   {…, "is_whole": true, "loose": [member]}     nothing in it is repaired or left out but the loose members: money
create function private.loss(path text, reason text, excerpt text default null) returns jsonb
language sql immutable parallel safe security invoker set search_path = ''
return jsonb_strip_nulls(jsonb_build_object('path', path, 'reason', reason, 'excerpt', left(excerpt, 300)));
comment on function private.loss is 'What is lost of a value that others wrote, and why: {path, reason, excerpt?}.';

create function private.shorten(value text, max_chars int) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
begin
  value := rtrim(left(value, max_chars));
  return case when not private.is_blank(value) then value end;
end $$;
comment on function private.shorten is 'The beginning of a text; null without a visible character.';

create function private.repair_scalar(written jsonb, shape jsonb, out repaired jsonb, out is_shorter boolean)
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  content text := private.normalize_line(written #>> '{}');
  rewrite jsonb;
  number  numeric;
begin
  is_shorter := false;
  if coalesce(jsonb_typeof(written), 'null') in ('null', 'array', 'object') then
    return;
  elsif shape ? 'boolean' then
    repaired := case lower(content) when 'yes' then 'true' when 'true' then 'true' when 'no' then 'false'
      when 'false' then 'false' end::jsonb;
  elsif shape ?| '{number,integer,decimal}' then
    content := rtrim(regexp_replace(content, coalesce('\s*' || (shape ->> 'unit') || '$', '^$'), '', 'i'));
    if content ~ '^[0-9]{1,20}([.][0-9]{0,30})?([Ee][+-]?[0-9]{1,2})?$' then
      number := trim_scale(round(content::numeric, case when shape ? 'integer' then 0 when shape ? 'number' then 6
        else 20 end));
      is_shorter := number <> content::numeric;
      repaired := to_jsonb(number);
    end if;
  elsif shape ? 'one_of' then
    repaired := to_jsonb(lower(content));
  elsif shape ? 'language' then
    repaired := to_jsonb(translate(content, '_', '-'));
  elsif shape ? 'text' then
    for rewrite in select * from jsonb_array_elements(shape -> 'rewrites') loop
      content := regexp_replace(content, rewrite ->> 0, rewrite ->> 1, 'i');
    end loop;
    if shape ? 'cut' then
      is_shorter := content ~ (shape ->> 'cut');
      content := regexp_replace(content, shape ->> 'cut', '');
    elsif shape ? 'is_prose' and char_length(content) > (shape ->> 'text')::int then
      is_shorter := true;
      content := private.shorten(content, (shape ->> 'text')::int);
    end if;
    repaired := to_jsonb(content);
  end if;
  if repaired is null or private.scalar_error(repaired, shape) is not null then
    repaired := null;
  end if;
end $$;
comment on function private.repair_scalar is
  'A value without members as its shape demands, if its meaning is certain; else null. is_shorter: a part of it is '
  'lost.';

create function private.repair_by_shape(
  value jsonb, shape jsonb, dictionary jsonb, path text, is_whole boolean default false,
  out repaired jsonb, out losses jsonb)
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  part     record;
  own      record;
  is_exact boolean;
  error    text;
begin
  if jsonb_typeof(shape) = 'string' then
    shape := dictionary -> (shape #>> '{}');
  end if;
  is_whole := is_whole or shape ? 'is_whole';
  repaired := value;
  losses := '[]';
  if shape ?| '{list,object}' and jsonb_typeof(value) <>
      (case when shape ? 'list' then 'array' else 'object' end) then
    return;  -- stays invalid
  elsif shape ? 'object' then
    for part in
      select m.key, m.value, shape #> array['object', m.key] as shape from jsonb_each(value) m
      where m.value <> 'null' and shape -> 'object' ? m.key
    loop
      continue when private.shape_error(part.value, part.shape, dictionary, part.key) is null;
      is_exact := is_whole and not coalesce(shape -> 'loose' ? part.key, false);
      own := private.repair_by_shape(part.value, part.shape, dictionary, path || '.' || part.key, is_exact);
      error := private.shape_error(own.repaired, part.shape, dictionary, part.key);
      if error is null then
        repaired := repaired || jsonb_build_object(part.key, own.repaired);
        losses := losses || own.losses;
      elsif is_exact or coalesce(shape -> 'required' ? part.key, false) then
        return;  -- stays invalid
      else
        repaired := repaired - part.key;
        losses := losses || private.loss(path || '.' || part.key, 'INVALID',
          case when jsonb_typeof(part.value) in ('array', 'object') then error else part.value #>> '{}' end);
      end if;
    end loop;
  elsif shape ? 'list' then
    if is_whole and jsonb_array_length(value) > (shape ->> 'max')::int then
      return;  -- stays invalid
    end if;
    repaired := '[]';
    for part in
      select e.value, e.n, shape -> 'list' as shape from jsonb_array_elements(value) with ordinality e (value, n)
    loop
      if part.n > 2 * (shape ->> 'max')::int then  -- a feed can repeat a doubtful element endlessly
        losses := losses || private.loss(path, 'LIMIT');
        exit;
      end if;
      select part.value as repaired, '[]'::jsonb as losses into own;
      error := private.shape_error(part.value, part.shape, dictionary, path);
      if error is not null then
        own := private.repair_by_shape(part.value, part.shape, dictionary, path, is_whole);
        error := private.shape_error(own.repaired, part.shape, dictionary, path);
      end if;
      if is_whole then
        repaired := repaired || jsonb_build_array(own.repaired);
        losses := losses || own.losses;
        exit when error is not null;  -- the list stays invalid
      elsif error is not null then
        losses := losses || private.loss(path, 'INVALID', error);
      elsif jsonb_array_length(repaired) >= (shape ->> 'max')::int then
        losses := losses || private.loss(path, 'LIMIT');
      else
        repaired := repaired || jsonb_build_array(own.repaired);
        losses := losses || own.losses;
      end if;
    end loop;
  elsif not is_whole then
    own := private.repair_scalar(value, shape);
    repaired := coalesce(own.repaired, value);
    if own.repaired is not null and own.is_shorter then
      losses := jsonb_build_array(private.loss(path, 'TRUNCATED', value #>> '{}'));
    end if;
  end if;
end $$;
comment on function private.repair_by_shape is
  'The value with what is certain repaired and what stays invalid left out, unless it is required, and the losses '
  '[{path, reason, excerpt?}] with the members'' names as path. Ask shape_error whether the result has its shape.';
