-- Lists that clients write hold text under known keys alone: no unknown field is kept, and nothing is nested.
begin;
select tests.start();

select ok(private.is_list_of_texts(list::jsonb, '{url,text}'), format('is_list_of_texts accepts %s', list))
from unnest(array['[]', '[{}]', '[{"url": "a"}]', '[{"url": "a", "text": null}, {"text": "b"}]', '{}', '"a"',
  'null']) list;
select ok(not private.is_list_of_texts(list::jsonb, '{url,text}'), format('is_list_of_texts rejects %s', left(list,
  60)))
from unnest(array['["a"]', '[null]', '[[]]', '[{"url": 1}]', '[{"url": {}}]', '[{"url": "a", "x": "b"}]',
  '[{"URL": "a"}]', '[{"text": []}]', repeat('[', 1000) || repeat(']', 1000)]) list;

select tests.podcast('show', 'ola');
select is(tests.result_of('ola', format('update public.podcasts set %s = %L where id = tests.id(%L)', field, value,
  'show')), expected, format('podcasts.%s rejects %s', field, left(value, 60)))
from (values ('categories', '23514', '[{"category": "Arts", "x": "y"}]'),
  ('categories', '23514', '[{"category": "Arts", "x": [[[]]]}]'),
  ('funding', 'PT400', format('[{"url": "https://a.test", "text": "t", "x": %s}]',
    repeat('[', 5000) || repeat(']', 5000))),
  ('verify_texts', 'PT400', '[{"text": "t", "purpose": {"a": 1}}]')) v (field, expected, value);
select is(tests.result_of('ola',
  $$ update public.podcasts set categories = '[{"category": "Arts", "subcategory": null}]',
    funding = '[{"url": "https://a.test", "text": "t"}]',
  verify_texts = '[{"text": "t", "purpose": "p"}]' where id = tests.id('show') $$), 'ok 1',
    'podcasts accepts entries with known fields');
select is(tests.result_of('ola', format('insert into public.podcasts (title, categories) values (%L, %L)', 'x',
  jsonb_build_array(jsonb_build_object('category', repeat('x', 1000000))))), 'PT400',
  'podcasts rejects an unknown category of a megabyte with PT400');

select * from tests.finish();
rollback;
