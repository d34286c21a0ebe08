-- list_automation_rules: the rules of a podcast, newest first.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');

select tests.access('list_automation_rules', $$ select public.list_automation_rules(tests.id('show')) $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');
select is(tests.result_of('ola', $$ select public.list_automation_rules(gen_random_uuid()) $$), 'PT404',
  'list_automation_rules returns 404 for an unknown podcast');
select is(tests.value_as('ada', $$ select public.list_automation_rules(tests.id('show')) $$)::jsonb,
  '{"rules": [], "total": 0}', 'list_automation_rules returns an empty list');

select tests.rule('r1', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action())),
  tests.rule('r2', 'show', 'episode.published'), tests.rule('r3', 'show', 'booking.confirmed'),
  tests.rule('other', 'theirs', 'booking.confirmed');
update public.automation_rules set created_at = '2026-01-01Z'::timestamptz + make_interval(days => right(name, 1)::int),
  is_enabled = name <> 'r2' where name like 'r_';
create function pg_temp.list(arguments text) returns text language sql as $$
  select concat((select string_agg(r ->> 'name', ' ' order by n)
    from jsonb_array_elements(l -> 'rules') with ordinality e (r, n)), ' of ', l ->> 'total')
  from (select tests.value_as('ada', format('select public.list_automation_rules(tests.id(''show'')%s)',
    arguments))::jsonb) v (l)
$$;
select is(pg_temp.list(arguments), listed, format('list_automation_rules(podcast%s) lists %s', arguments, listed))
from (values ('', 'r3 r2 r1 of 3'), (', true', 'r3 r1 of 2'), (', is_enabled => false', 'r2 of 1'),
  (', null', 'r3 r2 r1 of 3')) v (arguments, listed);
select is(tests.value_as('ada', $$ select public.list_automation_rules(tests.id('show')) #> '{rules,2}'
    = public.get_automation_rule(tests.id('r1')) -> 'rule' $$), 'true',
  'list_automation_rules returns rules with their actions');
insert into public.automation_rules (podcast_id, name, trigger_type)
select tests.id('show'), 'more', 'booking.confirmed' from generate_series(1, 97);
select is(tests.value_as('ada', $$ select jsonb_array_length(l -> 'rules') || ' of ' || (l ->> 'total')
    from public.list_automation_rules(tests.id('show')) l $$), '100 of 100', 'list_automation_rules lists all rules');

select * from tests.finish();
rollback;
