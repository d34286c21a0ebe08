-- Machine codes: private.error_codes() lists those of errors, private.import_codes() the others of imports.
begin;
select tests.start();

create temp table sources as
  select oid::regprocedure::text as function, body from tests.functions;
create temp table codes as
  select s.function, m[1] as code
  from sources s, regexp_matches(s.body, '\mhint = ''([A-Z_]+)''', 'g') m
  union all
  select s.function, m[1]
  from sources s,
    regexp_matches(s.body, 'error_response\(\s*\d+, ''(?:[^'']|'''')*'',\s+(?:code => )?''([A-Z_]+)''', 'g') m
  union all  -- the last argument of a trigger that raises the code of its table
  select t.tgname, split_part(encode(t.tgargs, 'escape'), '\000', 4)
  from pg_trigger t where t.tgfoid = 'private.guard_row_count'::regproc;

select is_empty('select function, code from codes where code <> all (private.error_codes())',
  'every code that a function raises or returns is in private.error_codes()');
select is_empty('select unnest(private.error_codes()) except select code from codes',
  'every code of private.error_codes() is raised or returned by a function');
select is(private.error_codes(), array(select distinct c from unnest(private.error_codes()) c order by 1),
  'private.error_codes() is sorted and has no duplicate');
select is_empty($$
  select s.function from sources s
  where regexp_count(s.body, '\mhint\s*=(?! tg_argv)|\merror_response\(')
    <> (select count(*) from codes c where c.function = s.function) $$,
  'every error with a hint, and every returned error, has a literal code');

-- errors.ts makes Retry-After of it; a raise without text never leaves its function
select is_empty($$
  select s.function from sources s, regexp_matches(s.body, 'raise sqlstate ''PT429'' using(?:''[^'']*''|[^;])*', 'g') m
  where strpos(m[1], 'rate_limit_reset_at') = 0 $$,
  'every 429 has rate_limit_reset_at');
select is_empty($$ select function from sources where body ~ 'error_response\(\s*429' $$,
  'no function returns a 429, whose response would have no Retry-After');

create temp table literals as
  select s.function, m[1] as code
  from sources s, regexp_matches(s.body, '[''"]([A-Z]+(?:_[A-Z]+)+)[''"]', 'g') m
  where s.function not in ('private.error_codes()', 'private.import_codes()', 'private.import_loss_reasons()');
select is_empty($$
  select l.function, l.code from literals l
  where l.code <> all (private.error_codes() || private.import_codes() || private.import_loss_reasons()) $$,
  'every upper-case literal of a function is in private.error_codes(), import_codes() or import_loss_reasons()');
select is_empty('select unnest(private.import_codes()) except select code from literals',
  'every code of private.import_codes() is used by a function');
select is_empty('select unnest(private.import_codes()) intersect select unnest(private.error_codes())',
  'private.import_codes() has no code of private.error_codes()');
select is(private.import_codes(), array(select distinct c from unnest(private.import_codes()) c order by 1),
  'private.import_codes() is sorted and has no duplicate');

select * from tests.finish();
rollback;
