-- English texts.
create function private.texts_en_of_foundation() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('format.date', '{month} {day}, {year}'),
    ('format.months', 'January February March April May June July August September October November December'),
    ('format.clock', 'FMHH12:MI AM'),
    ('format.time', '{time} ({zone})')
$$;
comment on function private.texts_en_of_foundation is 'The English texts of this domain.';
