-- list_automation_templates: the templates of a podcast, newest first, by pages.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');

select tests.access('list_automation_templates', $$ select public.list_automation_templates(tests.id('show')) $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');
select is(tests.result_of('ola', $$ select public.list_automation_templates(gen_random_uuid()) $$), 'PT404',
  'list_automation_templates returns 404 for an unknown podcast');
select is(tests.value_as('ada', $$ select public.list_automation_templates(tests.id('show')) $$)::jsonb,
  '{"templates": [], "total": 0}', 'list_automation_templates returns an empty list');

select tests.template('t' || n, 'show', jsonb_build_object('category',
  (enum_range(null::public.automation_template_category))[n % 4 + 1])) from generate_series(1, 6) n;
select tests.template('other', 'theirs');
update public.automation_templates t set created_at = '2026-01-01Z'::timestamptz + make_interval(days => i.n)
from (select id, right(name, 1)::int as n from public.automation_templates where name like 't_') i where i.id = t.id;
create function pg_temp.list(arguments text) returns text language sql as $$
  select concat((select string_agg(t ->> 'name', ' ' order by n)
    from jsonb_array_elements(l -> 'templates') with ordinality e (t, n)), ' of ', l ->> 'total')
  from (select tests.value_as('ada', format('select public.list_automation_templates(tests.id(''show'')%s)',
    arguments))::jsonb) v (l)
$$;
select is(pg_temp.list(arguments), listed, format('list_automation_templates(podcast%s) lists %s', arguments, listed))
from (values
  ('', 't6 t5 t4 t3 t2 t1 of 6'), (', "limit" => 2', 't6 t5 of 6'), (', "limit" => 2, "offset" => 4', 't2 t1 of 6'),
  (', "limit" => 200, "offset" => 5', 't1 of 6'), (', "offset" => 6', ' of 6'),
  (', category => ''guest''', 't5 t1 of 2'),
  (', ''guest'', 1, 1', 't1 of 2'), (', category => null', 't6 t5 t4 t3 t2 t1 of 6')) v (arguments, listed);
select is(tests.value_as('ada', format($$ select tests.describe_error($q$
    select public.list_automation_templates(tests.id('show'), %s) $q$) $$, arguments)), 'PT400 / ' || message,
  format('list_automation_templates(podcast, %s) returns 400', arguments))
from (values ('"limit" => 0', 'limit must be at least 1'), ('"limit" => -1', 'limit must be at least 1'),
  ('"limit" => null', 'limit must be at least 1'), ('"offset" => -1', 'offset must be between 0 and 100000'),
  ('"offset" => 100001', 'offset must be between 0 and 100000'),
  ('"offset" => null', 'offset must be between 0 and 100000')) v (arguments, message);

update public.automation_templates set created_at = '2026-02-01Z';
select is(pg_temp.list(', "limit" => 3'), (
    select string_agg(t.name, ' ' order by t.id desc) || ' of 6' from (
      select id, name from public.automation_templates where podcast_id = tests.id('show') order by id desc limit 3) t),
  'list_automation_templates orders templates of the same time by id');
select is(tests.value_as('ada', $$ select public.list_automation_templates(tests.id('show'), "limit" => 1) #>
    '{templates,0}' = public.get_automation_template(id) -> 'template' from public.automation_templates
    order by id desc limit 1 $$), 'true', 'list_automation_templates returns templates with all fields');
insert into public.automation_templates (podcast_id, name, subject, body_text)
select tests.id('show'), 'more', 'Hi', 'Hi' from generate_series(1, 194);
select is(tests.value_as('ada', $$ select jsonb_array_length(l -> 'templates') || ' of ' || (l ->> 'total')
    from public.list_automation_templates(tests.id('show')) l $$), '100 of 200',
  'list_automation_templates lists 100 by default');

select * from tests.finish();
rollback;
