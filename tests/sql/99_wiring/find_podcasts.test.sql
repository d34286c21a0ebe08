begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.podcast('other', 'ola'),
  tests.episode('finale', 'other');
select results_eq($$
    select k.name, f.podcast_id from private.find_podcasts(array(select tests.id(n)::text
      from unnest(array['show', 'pilot', 'finale', 'ola']) n)) f
    join (select n as name, tests.id(n)::text as key from unnest(array['show', 'pilot', 'finale', 'ola']) n) k
      using (key) order by k.name $$,
  $$ values ('finale', tests.id('other')), ('pilot', tests.id('show')), ('show', tests.id('show')) $$,
  'find_podcasts returns the podcast of each id that belongs to one');
select results_eq($$ select f.key = p.slug, f.podcast_id from public.podcasts p,
    private.find_podcasts(array[p.slug, '192.0.2.1', '00000000-0000-0000-0000-00000000000x', '']) f
    where p.id = tests.id('show') $$,
  $$ values (true, tests.id('show')) $$, 'find_podcasts returns the podcast of a slug and ignores other texts');
select tests.act_as('ola');
select public.create_podcast(title => 'Claimant', slug => tests.id('pilot')::text);
select tests.act_as('postgres');
select results_eq($$ select f.podcast_id from private.find_podcasts(array[tests.id('pilot')::text]) f $$,
  $$ values (tests.id('show')) $$, 'find_podcasts returns the podcast of an id that another podcast has as its slug');
select is_empty($$ select * from private.find_podcasts('{}') $$, 'find_podcasts returns nothing without keys');

select * from tests.finish();
rollback;
