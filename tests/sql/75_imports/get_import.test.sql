-- get_import: an import with all its items.
begin;
select tests.start();

create function tests.locked(name text, email text default null) returns void language plpgsql security definer as $$
begin
  perform tests.podcast(name || '/show', 'ola'), tests.import(name, name || '/show', 'pending'),
    tests.import_item('a', name);
  perform private.finish_staging(tests.id(name), jsonb_build_object('locked', true, 'lockedOwner', email),
    '{"pattern": null, "confidence": 0, "numbers": {}, "conflicts": []}', '[]');
end $$;
select tests.locked('nine'), tests.locked('ten', 'jane@example.com');
select tests.import_item('b', 'nine', 'pending', '{"episodeNumber": 5, "description": "long", "content": "long",
  "summary": "long", "persons": ["long"], "transcripts": ["long"], "seasonNumber": 2, "episodeType": "full",
  "enclosure": {"url": "https://a.example/b.mp3"}}');
update public.podcast_import_items set created_at = created_at - interval '1 second' where guid = 'b';
select tests.import_item('c', 'nine', 'failed');
create function tests.got(name text) returns jsonb language sql as $$ select public.get_import(tests.id(name)) $$;
select tests.act_as('ola');
select set_eq('select jsonb_object_keys(tests.got(''nine''))',
  $$ select attname::text from pg_attribute where attrelid = 'public.podcast_imports'::regclass and attnum > 0
    and not attisdropped union all select 'items' $$, 'get_import returns the columns of the import and items');
select is(jsonb_path_query_array(tests.got('nine'), '$.items[*].guid'), '["b", "a", "c"]',
  'get_import orders items by created_at and position');
select is(tests.got('nine') #> '{items,0,parsed_payload}',
  '{"episodeNumber": 5, "seasonNumber": 2, "episodeType": "full", "durationSeconds": null,
    "enclosure": {"url": "https://a.example/b.mp3"}}', 'get_import returns the listed members of the payload');
select ok(tests.got('nine')::text !~ 'long', 'get_import returns no long text of the feed');
select is(tests.got('nine') #>> '{items,2,error_message}', 'The source answered 500',
  'get_import returns the error message of an item');
select matches(tests.got('nine') ->> 'created_at', '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$',
  'get_import returns times in UTC');
select is(tests.got('ten') ->> 'locked_owner_email', 'j***@e***.com', 'get_import returns the masked owner email');

select * from tests.finish();
rollback;
