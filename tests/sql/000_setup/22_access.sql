-- Runs a statement as each caller of 'PT403: stranger vic; ok 1: ana', in this order; one assertion for each caller.
create function tests.access(what text, statement text, expected text) returns setof text language sql as $$
  select is(tests.result_of(caller.name, statement), trim(split_part(line.text, ':', 1)),
    format('%s as %s returns %s', what, caller.name, trim(split_part(line.text, ':', 1))))
  from string_to_table(expected, ';') with ordinality line (text, n),
    regexp_split_to_table(trim(split_part(line.text, ':', 2)), ' +') with ordinality caller (name, n)
  order by line.n, caller.n
$$;

select unnest(array['1..1', 'ok 1 - the assertion of access is created']);
