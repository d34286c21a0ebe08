-- The messages of imports take turns by the account of their podcast.
begin;
select tests.start();

select tests.podcast('one', 'ola'), tests.podcast('two', 'ola'), tests.podcast('other', 'eve');
select private.enqueue(queue, jsonb_build_object('podcast_id', tests.id(show)))
from unnest('{import_items,import_files}'::text[]) queue, unnest('{one,two,other}'::text[]) show;
select is((
  select string_agg(f.key, ' ' order by f.key) from (
    select p.display_name || count(*) as key from pgmq.q_import_items q
    join public.profiles p on p.id::text = private.fair_key(q.message, q.headers, 'account_id') group by p.id) f),
  (select string_agg(f.key, ' ' order by f.key) from (
    select p.display_name || case p.id when tests.id('ola') then 2 else 1 end as key from public.profiles p
    where p.id in (tests.id('ola'), tests.id('eve'))) f),
  'add_account_to_message gives all imports of an account one turn');
select is((select message from pgmq.q_import_files limit 1) - 'podcast_id', '{}',
  'add_account_to_message leaves the message as it is');
select lives_ok($$ select private.enqueue('import_items', '"text"'), private.enqueue('import_items', '{}') $$,
  'add_account_to_message accepts an invalid message');

select * from tests.finish();
rollback;
