-- German texts.
create function private.texts_de_of_foundation() returns table (key text, text text)
language sql immutable security invoker set search_path = ''
as $$
  values
    ('format.date', '{day}. {month} {year}'),
    ('format.months', 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'),
    ('format.clock', 'FMHH24:MI'),
    ('format.time', '{time} Uhr ({zone})')
$$;
comment on function private.texts_de_of_foundation is 'The German texts of this domain.';
