-- Image columns take external URLs and objects of their own folder, for every writer.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.podcast('other', 'otto'),
  tests.episode('pilot', 'show'), tests.episode('second', 'show');
create function pg_temp.url(path text) returns text language sql as $$
  select 'https://casts.test/storage/v1/object/public/media/'
    || replace(replace(replace(replace(path, '{show}', tests.id('show')::text), '{other}', tests.id('other')::text),
    '{pilot}', tests.id('pilot')::text), '{second}', tests.id('second')::text) $$;
create temp table columns (tab text, col text, row_name text, folder text);
insert into columns values ('podcasts', 'cover_image_url', 'show', 'podcasts/{show}/images/cover/'),
  ('podcasts', 'header_image_url', 'show', 'podcasts/{show}/images/header/'),
  ('podcasts', 'banner_image_url', 'show', 'podcasts/{show}/images/banner/'),
  ('podcasts', 'profile_image_url', 'show', 'podcasts/{show}/images/profile/'),
  ('episodes', 'cover_image_url', 'pilot', 'podcasts/{show}/e/{pilot}/images/');
create function pg_temp.write(who text, tab text, col text, row_name text, url text) returns text language sql as $$
  select tests.result_of(who, format('update public.%I set %I = %L where id = tests.id(%L)', tab, col, url,
    row_name)) $$;

select is(pg_temp.write(who, tab, col, row_name, url), 'ok 1', format('%s.%s takes %s from %s', tab, col, what, who))
from columns, unnest(array['ana', 'ola', 'service']) who,
  lateral (values ('a foreign URL', 'https://images.test/a.jpg'),
  ('an object of its own folder', pg_temp.url(folder || 'a.jpg?v=1')),
  ('an own object of another format', pg_temp.url(folder || 'B-2_c.webp#x')), ('no URL', null),
  ('our path on another host', 'https://evil.test/' || folder || 'a.jpg')) u (what, url);
select is(pg_temp.write(who, tab, col, row_name, pg_temp.url(path)), 'PT400',
  format('%s.%s rejects %s from %s', tab, col, path, who))
from columns, unnest(array['ana', 'service', 'postgres']) who, unnest(array[
  'podcasts/{other}/images/cover/a.jpg', 'podcasts/{other}/e/{pilot}/images/a.jpg',
  'podcasts/{show}/e/{second}/images/a.jpg', 'podcasts/{show}/e/{pilot}/audio/a.mp3',
  'imports/' || gen_random_uuid() || '/' || gen_random_uuid() || '.jpg', 'podcasts/{show}/a.jpg', 'podcasts/{show}', '',
  folder, folder || '../a.jpg', folder || 'a/b.jpg', folder || '%2e%2e/a.jpg', folder || 'a.svg']) path;
select is(pg_temp.write('ana', 'podcasts', col, 'show', pg_temp.url('podcasts/{show}/images/' || type || '/a.jpg')),
  'PT400', format('podcasts.%s rejects the podcast''s own %s', col, type))
from columns, unnest(array['cover', 'header', 'banner', 'profile']) type
where tab = 'podcasts' and col <> type || '_image_url';
select is(pg_temp.write('ana', 'podcasts', 'cover_image_url', 'show',
  pg_temp.url('podcasts/{show}/e/{pilot}/images/a.jpg')), 'PT400',
  'a podcast''s cover column rejects the cover object of its episode');
select is(pg_temp.write('ana', 'episodes', 'cover_image_url', 'pilot',
  pg_temp.url('podcasts/{show}/images/cover/a.jpg')), 'PT400',
  'an episode''s cover column rejects the cover object of its podcast');

-- the message and the operation that copies
create function pg_temp.error_of_update(tab text, col text, row_name text, path text, out message text, out hint text,
  out detail text) language plpgsql as $$
declare
  statement text := format('update public.%I set %I = %L where id = tests.id(%L)', tab, col, pg_temp.url(path),
    row_name);
begin
  perform tests.act_as('ana');
  execute statement;
exception when others then
  perform tests.act_as('postgres');
  get stacked diagnostics message = message_text, hint = pg_exception_hint, detail = pg_exception_detail;
end $$;
select is(pg_temp.error_of_update('podcasts', 'header_image_url', 'show', 'podcasts/{other}/images/cover/a.jpg')::text,
  '("header_image_url cannot use an object that is stored for something else; copy it first"'
    ',IMAGE_NOT_OWNED,'
    '"POST /api/media/import-artwork with podcastId and imageType copies it and sets the column")',
  'the error of a podcast''s image column names import-artwork');
select is((pg_temp.error_of_update('podcasts', 'cover_image_url', 'show', 'imports/a/b.jpg')).detail,
  'POST /api/media/move-artwork copies imports/a/b.jpg and sets the column',
  'the error of a temporary import names move-artwork with the path');
select is((pg_temp.error_of_update('episodes', 'cover_image_url', 'pilot', 'imports/a/b.jpg')).detail,
  'PUT /api/media/upload/{uploadId} with imageType episode_cover stores a copy and sets the column',
  'the error of an episode''s cover names the upload');
select tests.act_as('postgres');

-- a podcast that is pending deletion
select tests.set_status('show', 'pending_deletion');
select is(tests.result_of('ana', format('update public.podcasts set %s = null', c)), 'PT409',
  'a podcast that is pending deletion keeps its ' || c)
  from unnest(array['cover_image_url', 'header_image_url', 'banner_image_url', 'profile_image_url']) c;
select tests.set_status('show', 'active');

-- inserts
select is(tests.result_of('ola', format('insert into public.podcasts (title, %I) values (%L, %L)', col, 'New', url)),
  wanted, format('an insert of a podcast with %s = %s returns %s', col, url, wanted))
from columns, lateral (values (pg_temp.url('podcasts/{other}/images/cover/a.jpg'), 'PT400'),
  ('https://images.test/a.jpg', 'ok 1')) u (url, wanted) where tab = 'podcasts';
select is(tests.result_of('ana',
  format('insert into public.episodes (podcast_id, title, cover_image_url) values (tests.id(%L), %L, %L)', 'show',
  'New', url)), wanted, format('an insert of an episode with the cover %s returns %s', url, wanted))
from (values (pg_temp.url('podcasts/{show}/images/cover/a.jpg'), 'PT400'), ('https://images.test/a.jpg', 'ok 1'))
  u (url, wanted);

-- rows that hold such URLs already
alter table public.podcasts disable trigger t330_guard_images;
alter table public.episodes disable trigger t330_guard_cover;
update public.podcasts set cover_image_url = pg_temp.url('podcasts/{other}/images/cover/a.jpg'),
  header_image_url = pg_temp.url('imports/a.jpg') where id = tests.id('show');
update public.episodes set cover_image_url = pg_temp.url('podcasts/{show}/images/cover/a.jpg')
where id = tests.id('pilot');
alter table public.podcasts enable trigger t330_guard_images;
alter table public.episodes enable trigger t330_guard_cover;
select is(tests.result_of('ana', statement), wanted,
  format('%s on a row with older URLs returns %s', statement, wanted)) from (values
  ('update public.podcasts set title = ''Other'', cover_image_url = cover_image_url, '
    'header_image_url = header_image_url where id = tests.id(''show'')', 'ok 1'),
  ($$update public.podcasts set banner_image_url = 'https://images.test/b.jpg' where id = tests.id('show')$$, 'ok 1'),
  ($$update public.podcasts set cover_image_url = cover_image_url || '&w=2' where id = tests.id('show')$$, 'PT400'),
  ($$update public.podcasts set cover_image_url = null, header_image_url = null where id = tests.id('show')$$, 'ok 1'),
  ($$update public.episodes set title = 'Other', cover_image_url = cover_image_url where id = tests.id('pilot')$$,
    'ok 1'),
  ($$update public.episodes set cover_image_url = null where id = tests.id('pilot')$$, 'ok 1')) s (statement, wanted);

select * from tests.finish();
rollback;
