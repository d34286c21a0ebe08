-- API roles cannot call the feed's private functions or read its tables.
begin;
select tests.start();

select is_empty($$
  select p.proname, who from pg_proc p, unnest(array['anon', 'authenticated']) who
  where p.pronamespace = 'private'::regnamespace
    and p.proname in ('get_feed_for_rendering', 'store_feed_items', 'store_feed_document', 'confirm_feed_document',
      'lock_feed_document', 'get_feed_gzip')
    and has_function_privilege(who, p.oid, 'EXECUTE') $$, 'private feed functions are not executable by clients');
select is_empty($$
  select r, who from unnest(array['feed_items', 'feed_documents', 'feed_pages', 'feed_entries']) r,
    unnest(array['anon', 'authenticated', 'service_role']) who
  where has_table_privilege(who, 'private.' || r, 'SELECT, INSERT, UPDATE, DELETE') $$,
    'private feed tables are not accessible to API roles');

select * from tests.finish();
rollback;
