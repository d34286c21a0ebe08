-- get_episode_cover: the callers, the covers, and the paths that it accepts.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');
create temp table o as select tests.store_image_object('episode_cover', 700, 'pilot') as f;
grant select on o to public;
select is(tests.finish_image_upload('ana', 'episode_cover', f, 700, 'pilot'), 'ok 1',
  'finish_image_upload stores the episode''s cover') from o;

select tests.access('get_episode_cover', $$ select public.get_episode_cover(tests.id('pilot')) $$,
  '42501: anon service; PT403: stranger otto; ok 1: vic ana ola');
select is(tests.result_of('ana', 'select public.get_episode_cover(gen_random_uuid())'), 'PT404',
  'get_episode_cover returns 404 for an unknown episode');
select results_eq($$ select public.get_episode_cover(tests.id('pilot')) $$,
  $$ select jsonb_build_object('path', f, 'filename', 'pilot-cover.jpg') from o $$,
  'get_episode_cover returns the episode''s own cover') from tests.act_as('vic');
select tests.act_as('postgres');
update public.episodes set cover_image_url = null where id = tests.id('pilot');
select is(tests.result_of('vic', $$ select public.get_episode_cover(tests.id('pilot')) $$), 'PT404',
  'get_episode_cover returns 404 without any cover');
update public.podcasts set cover_image_url = tests.media_url(format('podcasts/%s/images/cover/x.png', id))
where id = tests.id('show');
select is(public.get_episode_cover(tests.id('pilot')) ->> 'filename', 'pilot-cover.png',
  'get_episode_cover returns the podcast''s cover for an episode without a cover') from tests.act_as('vic');
select tests.act_as('postgres');
alter table public.episodes disable trigger t330_guard_cover;  -- rows from before the guard
create function pg_temp.set_cover(path text) returns text language plpgsql as $$
begin
  update public.episodes set cover_image_url = 'https://casts.test/storage/v1/object/public/media/' || path
    where id = tests.id('pilot');
  return tests.result_of('vic', $c$ select public.get_episode_cover(tests.id('pilot')) $c$);
end $$;
select is(pg_temp.set_cover(replace(replace(path, '{show}', tests.id('show')::text), '{other}',
  tests.id('other')::text)),
  wanted, format('get_episode_cover of %s returns %s', path, wanted)) from (values
  ('podcasts/{show}/a.jpg', 'ok 1'), ('podcasts/{show}/e/x/images/a.webp?v=1#x', 'ok 1'),
  ('podcasts/{other}/images/cover/a.jpg', 'PT404'), ('imports/a.jpg', 'PT404'),
  ('podcasts/{show}/../{other}/a.jpg', 'PT404'), ('podcasts/{show}/%2e%2e/{other}/a.jpg', 'PT404'),
  ('podcasts/{show}//a.jpg', 'PT404'), ('podcasts/{show}/./a.jpg', 'PT404'),
  ('podcasts/{show}%2fa.jpg', 'PT404'), ('podcasts/{show}a/a.jpg', 'PT404'), ('podcasts/{show}.jpg', 'PT404'),
  ('podcasts/{show}/a.mp3', 'PT404'), ('podcasts/{show}/a.jpg.html', 'PT404'),
  ('podcasts/{show}/a.JPG', 'PT404'), ('podcasts/{show}/.jpg', 'PT404'), ('podcasts/{show}/a', 'PT404'),
  ('podcasts/{show}/', 'PT404'), ('x/podcasts/{show}/a.jpg', 'PT404'), ('/podcasts/{show}/a.jpg', 'PT404'))
  p (path, wanted);

select * from tests.finish();
rollback;
