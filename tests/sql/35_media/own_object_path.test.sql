-- Which URLs are ours: media_url and former_media_urls decide, on whole segments.
begin;
select tests.start();

create function pg_temp.url(path text) returns text language sql as $$
  select 'https://casts.test/storage/v1/object/public/media/' || path $$;
select is(private.own_object_path(url), wanted, format('own_object_path of %L returns %L', url, wanted)) from (values
  (pg_temp.url('podcasts/a/b.jpg'), 'podcasts/a/b.jpg'), (pg_temp.url('a.jpg?v=1767225600000'), 'a.jpg'),
  (pg_temp.url('a.jpg#x?y'), 'a.jpg'), (pg_temp.url('a.jpg?v=1#x'), 'a.jpg'),
  ('https://casts.test:443/storage/v1/object/public/media/a.jpg', 'a.jpg'),
  ('https://casts.test:80/storage/v1/object/public/media/a.jpg', null),
  ('https://casts.test:4430/storage/v1/object/public/media/a.jpg', null),
  ('HTTPS://Casts.TEST/storage/v1/object/public/media/A.jpg', 'A.jpg'),
  ('https://casts.test/Storage/v1/object/public/media/a.jpg', null),
  ('https://casts.test/storage/v1/object/public/mediaa.jpg', null),
  ('https://casts.test/storage/v1/object/public/media-old/a.jpg', null),
  ('https://casts.test/storage/v1/object/public/media', null),
  (pg_temp.url(''), ''), ('http://casts.test/storage/v1/object/public/media/a.jpg', null),
  ('https://casts.test.evil/storage/v1/object/public/media/a.jpg', null),
  ('https://evil.test/?https://casts.test/storage/v1/object/public/media/a.jpg', null),
  ('https://evil.test/podcasts/11111111-1111-4111-8111-111111111111/images/cover/a.jpg', null),
  ('https://x@casts.test/storage/v1/object/public/media/a.jpg', null),
  ('//casts.test/storage/v1/object/public/media/a.jpg', null), ('podcasts/a.jpg', null), ('', null), (null, null))
  u (url, wanted);

select private.set_setting('media_url', 'https://cdn.test/m');
select is(private.own_object_path('https://cdn.test/m/a.jpg?v=1'), 'a.jpg', 'own_object_path knows the URLs of a CDN');
select is(private.own_object_path(pg_temp.url('a.jpg')), 'a.jpg',
  'own_object_path knows the platform''s URLs behind a CDN by default');
select is(private.own_object_path('https://old.test/a.jpg'), null,
  'own_object_path returns null for a base that is not listed');
select private.set_setting('former_media_urls', ' https://OLD.test/ , https://older.test/x');
select is(private.own_object_path(url), wanted,
  format('own_object_path of %L with two former bases returns %L', url, wanted)) from (values
  ('https://old.test/a.jpg', 'a.jpg'), ('https://older.test/x/a.jpg?v=2', 'a.jpg'), ('https://older.test/xa.jpg', null),
  ('junk/a.jpg', null), ('https://cdn.test/m/a.jpg', 'a.jpg'), (pg_temp.url('a.jpg'), null)) u (url, wanted);
select private.set_setting('media_url', 'https://slash.test/m/');
select is(private.own_object_path('https://slash.test/m/a.jpg'), 'a.jpg',
  'own_object_path accepts a media_url that ends in a slash');
select private.set_setting('media_url', null), private.set_setting('former_media_urls', null);

-- callers of own_object_path
select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
create function pg_temp.cover(base text) returns text language sql as $$
  select base || format('/podcasts/%s/images/cover/a.jpg?v=1', tests.id('show')) $$;
create function pg_temp.path() returns text language sql as $$
  select format('podcasts/%s/images/cover/a.jpg', tests.id('show')) $$;
insert into storage.objects (bucket_id, name, metadata) values ('media', pg_temp.path(), '{"size": 100}');
select private.finish_image_upload(tests.id('ola'), tests.id('show'), 'cover', pg_temp.path(), 100, 'image/jpeg',
  '{"width": 1400, "height": 1400}');
create function pg_temp.describe_cover(base text) returns text language plpgsql as $$
begin
  update public.podcasts set cover_image_url = pg_temp.cover(base) where id = tests.id('show');
  return format('%s, %s, %s', tests.result_of('ola', $c$ select public.get_episode_cover(tests.id('pilot')) $c$),
    case when (select m.released_at is null from private.media_objects m where m.path = pg_temp.path()) then 'live'
      else 'released' end,
    case when private.is_object_referenced(pg_temp.path()) then 'referenced' else 'orphaned' end);
end $$;
select is(pg_temp.describe_cover('https://casts.test/storage/v1/object/public/media'), 'ok 1, live, referenced',
  'download, ledger and garbage collection recognize a URL below media_url');
select is(pg_temp.describe_cover('https://evil.test'), 'PT404, released, orphaned',
  'download, ledger and garbage collection treat the same path on another host as foreign');
select is(pg_temp.describe_cover('https://old.test/media'), 'PT404, released, orphaned',
  'download, ledger and garbage collection treat an unlisted base URL as foreign');
select private.set_setting('former_media_urls', 'https://old.test/media');
select is(pg_temp.describe_cover('https://old.test/media') , 'ok 1, released, referenced',
  'download and garbage collection recognize a former base URL once it is listed');
update public.podcasts set cover_image_url = null where id = tests.id('show');
select is(pg_temp.describe_cover('https://old.test/media'), 'ok 1, live, referenced',
  'the ledger revives an object that a former URL references again');

select * from tests.finish();
rollback;
