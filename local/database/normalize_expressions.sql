-- Postgres prints an expression as it was first parsed. Parsing that text gives another one: `a between 1 and 9 and b`
-- loses a pair of brackets. Migrations consist of printed text, so both databases parse their own text once more.
do $$
declare
  each record;
begin
  for each in
    select conrelid::regclass as relation, conname, pg_get_constraintdef(oid) as definition,
      obj_description(oid, 'pg_constraint') as comment
    from pg_constraint
    where contype = 'c' and conislocal and conrelid <> 0
      and connamespace in ('public'::regnamespace, to_regnamespace('private'))
  loop
    execute format('alter table %s drop constraint %I, add constraint %I %s',
      each.relation, each.conname, each.conname, each.definition);
    if each.comment is not null then
      execute format('comment on constraint %I on %s is %L', each.conname, each.relation, each.comment);
    end if;
  end loop;
  for each in
    select polrelid::regclass as relation, polname, pg_get_expr(polqual, polrelid) as reading,
      pg_get_expr(polwithcheck, polrelid) as writing
    from pg_policy join pg_class c on c.oid = polrelid
    where c.relnamespace in ('public'::regnamespace, to_regnamespace('private'))
  loop
    execute concat_ws(' ', format('alter policy %I on %s', each.polname, each.relation),
      'using (' || each.reading || ')', 'with check (' || each.writing || ')');
  end loop;
  for each in
    select oid::regclass as relation, reloptions, pg_get_viewdef(oid) as definition
    from pg_class where relkind = 'v' and relnamespace in ('public'::regnamespace, to_regnamespace('private'))
  loop
    execute concat_ws(' ', format('create or replace view %s', each.relation),
      'with (' || array_to_string(each.reloptions, ', ') || ')', 'as', each.definition);
  end loop;
end $$;
