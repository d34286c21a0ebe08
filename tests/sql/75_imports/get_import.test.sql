-- get_import: an import with all its items.
begin;
select tests.start();

select tests.locked_import('nine'), tests.locked_import('ten', 'jane@example.com');
select tests.import_item('b', 'nine', 'pending', '{"episodeNumber": 5, "description": "long", "content": "long",
  "summary": "long", "persons": ["long"], "transcripts": ["long"], "seasonNumber": 2, "episodeType": "full",
  "enclosure": {"url": "https://a.example/b.mp3"}}');
update public.podcast_import_items set created_at = created_at - interval '1 second' where guid = 'b';
select tests.import_item('c', 'nine', 'failed');
create function tests.get_import(name text) returns jsonb language sql as $$
  select public.get_import(tests.id(name)) $$;
select tests.act_as('ola');
select set_eq('select jsonb_object_keys(tests.get_import(''nine''))',
  $$ select attname::text from pg_attribute where attrelid = 'public.podcast_imports'::regclass and attnum > 0
    and not attisdropped and attname <> 'feed_due_at' union all values ('channel'), ('items'), ('storage'),
    ('refreshed_count') $$, 'get_import returns the columns of the import, its channel, storage, refreshes and items');
select is(jsonb_path_query_array(tests.get_import('nine'), '$.items[*].guid'), '["b", "a", "c"]',
  'get_import orders items by created_at and position');
select is(tests.get_import('nine') #> '{items,0,parsed_payload}',
  '{"episodeNumber": 5, "seasonNumber": 2, "episodeType": "full", "durationSeconds": null,
    "enclosure": {"url": "https://a.example/b.mp3"}}', 'get_import returns the listed members of the payload');
select ok(tests.get_import('nine')::text !~ 'long', 'get_import returns no long text of the feed');
select is(tests.get_import('nine') #>> '{items,2,error_message}', 'The source answered 500',
  'get_import returns the error message of an item');
select matches(tests.get_import('nine') ->> 'created_at', '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$',
  'get_import returns times in UTC');
select is(tests.get_import('ten') -> 'channel', '{}', 'get_import returns the fields of the channel');
select is(tests.get_import('ten') ->> 'locked_owner_email', 'j***@e***.com',
  'get_import returns the masked owner email');

select * from tests.finish();
rollback;
