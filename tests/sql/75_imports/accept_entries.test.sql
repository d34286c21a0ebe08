-- accept_entries and join_losses: what a list takes of a feed, and the order and bound of the losses.
begin;
select tests.start();

create function pg_temp.accepted(candidates jsonb, max_entries int, max_bytes int default null) returns text
  language sql as $$
  select concat_ws(' | ', a.accepted, (
    select string_agg(concat_ws(' ', l ->> 'path', l ->> 'reason', l ->> 'excerpt'), ', ')
    from jsonb_array_elements(a.losses) l)) from private.accept_entries(candidates, max_entries, max_bytes) a $$;
select is(pg_temp.accepted('[]', 3), '[]', 'accept_entries of nothing is empty');
select is(pg_temp.accepted('[{"entry": 1, "path": "a"}, {"entry": null, "path": "a", "excerpt": "x"},
  {"entry": 3, "path": "a", "losses": [{"path": "a/@b", "reason": "INVALID"}]}, {"entry": 4, "path": "a"}]', 2),
  '[1, 3] | a INVALID x, a/@b INVALID, a LIMIT',
  'accept_entries keeps the first valid entries, with the losses of their members');
select is(pg_temp.accepted('[{"entry": 1, "key": "k", "source": 1, "path": "a"},
  {"entry": 1, "key": "k", "source": 1, "path": "a"}, {"entry": 1, "key": "k", "source": 2, "path": "a"},
  {"entry": null, "key": "l", "path": "a"}, {"entry": 2, "key": "l", "path": "a"}]', 2),
  '[1, 2] | a REPEATED, a INVALID',
  'accept_entries keeps the first valid entry of each key and reports others that differ');
select is(pg_temp.accepted('[{"entry": "1234", "path": "a"}, {"entry": "5678", "path": "a", "reason": "MONEY"},
  {"entry": null, "path": "a", "reason": "MONEY"}]', 9, 15), '["1234"] | a MONEY, a MONEY',
  'accept_entries keeps as many bytes as there is room for, and gives the reason of the candidate');

select is(private.join_losses('[{"path": "a", "reason": "LIMIT"}]', '[{"path": "b", "reason": "INVALID"},
  {"path": "podcast:value", "reason": "MONEY"}]'), '[{"path": "podcast:value", "reason": "MONEY"},
  {"path": "a", "reason": "LIMIT"}, {"path": "b", "reason": "INVALID"}]', 'join_losses lists losses about money first');
create function pg_temp.losses(count int) returns jsonb language sql as $$
  select jsonb_agg(private.loss('p' || n, 'INVALID') order by n) from generate_series(1, count) n $$;
select is(private.join_losses(pg_temp.losses(100), pg_temp.losses(100)), pg_temp.losses(100) || pg_temp.losses(100),
  'join_losses keeps 200 losses');
select is(private.join_losses(pg_temp.losses(200) || private.loss('*', 'LIMIT', '50 more'),
  pg_temp.losses(7) || private.loss('podcast:value', 'MONEY')),
  jsonb_build_array(private.loss('podcast:value', 'MONEY')) || (pg_temp.losses(200) - 199)
    || private.loss('*', 'LIMIT', '58 more'),
  'join_losses counts the losses beyond 200, with those that the feed reader counted');

select * from tests.finish();
rollback;
