-- Texts: complete languages, the choice of a language, placeholders
begin;
select tests.start();

create function pg_temp.placeholders(text text) returns text[] language sql as $$
  select coalesce(array_agg(distinct m[1] order by m[1]), '{}') from regexp_matches($1, '\{(\w+)\}', 'g') m
$$;
select ok(count(distinct locale) >= 2, 'texts exist in several languages') from private.texts;
select is_empty($$
  select l.locale, e.key from (select distinct locale from private.texts) l
  cross join (select key from private.texts where locale = 'en') e
  except select locale, key from private.texts $$, 'each language has every text that English has');
select is_empty($$
  select t.locale, t.key from private.texts t where not exists (
    select from private.texts e where (e.locale, e.key) = ('en', t.key)) $$,
  'no language has a text that English lacks');
select is_empty($$
  select t.locale, t.key, t.text from private.texts t join private.texts e on (e.locale, e.key) = ('en', t.key)
  where pg_temp.placeholders(t.text) <> pg_temp.placeholders(e.text) $$,
  'each text has the placeholders of the English one');
select is_empty($$ select locale, key from private.texts where text ~ '[''"]|\{(?![a-z_]+\})|^\s|\s$|  ' 
    and key <> 'format.clock' and text !~ '\w''\w' $$,
  'texts use typographic quotation marks, well-formed placeholders and single spaces');
select is(cardinality(string_to_array(private.get_text(locale, 'format.months'), ' ')), 12,
  format('%s names twelve months', locale)) from (select distinct locale from private.texts) l;

-- install_texts
delete from private.texts where key = 'email.address';
update private.texts set text = 'old' where key = 'email.settings';
insert into private.texts values ('en', 'email.obsolete', 'x');
select private.install_texts();
select is((select count(*)::int from private.texts where key = 'email.address'),
  (select count(distinct locale)::int from private.texts), 'install_texts adds missing texts');
select is((select count(*)::int from private.texts where text = 'old'), 0, 'install_texts updates changed texts');
select is((select count(*)::int from private.texts where key = 'email.obsolete'), 0,
  'install_texts deletes texts that no language has');
create function private.texts_pt_br_of_tests() returns table (key text, text text) language sql set search_path = ''
as $$ values ('email.settings', 'Olá,') $$;
select private.install_texts();
select is((select text from private.texts where locale = 'pt-br'), 'Olá,',
  'install_texts installs a language as soon as a function has its texts');

-- language_of
select is(private.language_of(locale), language, format('the language of %s is %s', locale, language)) from (values
  ('en', 'en'), ('de', 'de'), ('de-AT', 'de'), ('DE_ch', 'de'), ('de-Latn-DE-1996', 'de'), ('pt-BR', 'pt-br'),
  ('pt', 'en'), ('fr-FR', 'en'), ('x', 'en'), ('', 'en'), (null, 'en')) v (locale, language);

-- get_text
select is(private.get_text('de', 'email.settings'),
  'Du bekommst diese E-Mail wegen deiner Benachrichtigungseinstellungen bei Castbase.',
  'get_text returns the text of a language');
select throws_ok($$ select private.get_text('de', 'email.nope') $$, 'PT500', 'Text ''email.nope'' is missing in ''de''',
  'get_text names a missing text');

-- render_text
select is(private.render_text(template, params), expected, format('render_text(%s)', to_json(template))) from (values
  ('Hello {name}, {name}!', '{"name": "Ann"}'::jsonb, 'Hello Ann, Ann!'),
  ('{a}{b}', '{"a": "{b}", "b": "{a}"}', '{b}{a}'),
  ('{count} new', '{"count": 3}', '3 new'),
  ('{missing}.', '{}', '.'),
  ('{nothing}.', '{"nothing": null}', '.'),
  ('{ {x {X} {1} }{a}', '{"a": "\\1 & $1 %s"}', '{ {x {X} {1} }\1 & $1 %s'),
  (E'a\n{a}\n', '{"a": "x\ny"}', E'a\nx\ny\n'),
  ('', '{}', '')) v (template, params, expected);

-- shorten_text
select is(private.shorten_text(value, 5), expected, format('shorten_text(%s, 5)', to_json(value))) from (values
  ('12345', '12345'), ('123456', '1234…'), ('123 456', '123…'), ('😀😀😀😀😀😀', '😀😀😀😀…'), (null, null))
  v (value, expected);

select * from tests.finish();
rollback;
