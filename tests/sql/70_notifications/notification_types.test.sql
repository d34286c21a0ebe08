-- The catalogue of notification types: each type has its texts
begin;
select tests.start();

select is_empty($$
  select t.type, part from public.notification_types t, unnest(array['title', 'body', 'action', 'label']) part
  where not exists (select from private.texts x where (x.locale, x.key) = ('en', t.type || '.' || part)) $$,
  'each notification type has a title, a body, an action and a label');

select * from tests.finish();
rollback;
