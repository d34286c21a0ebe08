-- begin_direct_upload: the callers, the response, and the limits.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger');
select tests.episode('pilot', 'show'), tests.podcast('other', 'otto'), tests.episode('foreign', 'other');

select tests.access('begin_direct_upload',
  $$ select public.begin_direct_upload(tests.id('show'), tests.id('pilot'), 'audio/mpeg', 'a.mp3', 10) $$,
  '42501: anon service; PT403: stranger vic; ok 1: ana ola; PT403: otto');
select is(tests.result_of('ana', format('select public.begin_direct_upload(%s)', args)), wanted,
  format('begin_direct_upload(%s) returns %s', args, wanted))
from (values
  ($$gen_random_uuid(), tests.id('pilot'), 'audio/mpeg', 'a', 1$$, 'PT404'),
  ($$tests.id('show'), tests.id('foreign'), 'audio/mpeg', 'a', 1$$, 'PT404'),
  ($$tests.id('show'), tests.id('pilot'), 'image/png', 'a', 1$$, 'PT400'),
  ($$tests.id('show'), tests.id('pilot'), null, 'a', 1$$, 'PT400'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', '', 1$$, 'PT400'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', 'a', 0$$, 'PT400'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', 'a', 5242881$$, 'ok 1'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', 'a', 524288000$$, 'ok 1'),
  ($$tests.id('show'), tests.id('pilot'), 'audio/wav', 'a', 524288001$$, 'PT400')) c (args, wanted);
select is((select count(*) from private.direct_uploads), 4::bigint,
  'begin_direct_upload records nothing when it rejects');
select is((select count(*) from private.direct_uploads where ended_at is null), 1::bigint,
  'begin_direct_upload replaces the open upload of the same episode');
delete from private.direct_uploads;
select tests.empty_queue('storage_gc');

select tests.begin_direct_upload('first');
select is(tests.direct_upload('first', 'publicUrl'),
  'https://casts.test/storage/v1/object/public/media/' || tests.direct_upload('first', 'finalPath'),
  'begin_direct_upload returns the public URL of the final path');
select matches(tests.direct_upload('first', 'uploadPath'), format('^uploads/%s/[0-9a-f-]{36}\.m4a$', tests.id('show')),
  'begin_direct_upload returns an upload path outside the media');
select is(tests.direct_upload('first', 'storageUrl'), 'https://casts.test/storage/v1',
  'begin_direct_upload returns the URL of storage itself');

-- at most a hundred open uploads an account
delete from private.direct_uploads;
select tests.episode('e' || n, 'show') from generate_series(1, 102) n;
insert into private.direct_uploads (podcast_id, episode_id, staged_path, path, content_type, declared_bytes)
select tests.id('show'), tests.id('e' || n), 's' || n, 'p' || n, 'audio/wav', 10 from generate_series(1, 99) n;
select lives_ok($$ select tests.begin_direct_upload('hundredth', 'e100', 10) $$,
  'begin_direct_upload opens the hundredth upload of an account');
select throws_ok($$ select tests.begin_direct_upload('hundred and first', 'e101', 10) $$, 'PT429', null,
  'begin_direct_upload returns 429 for the next upload of an account');
update private.direct_uploads set created_at = now() - interval '20 hours' where path = 'p7';
select is(tests.describe_error($$ select tests.begin_direct_upload('hundred and first', 'e101', 10) $$),
  'PT429 / This account has too many open uploads; complete some, or wait until the oldest expires / '
  || format('TOO_MANY_OPEN_UPLOADS / {"rate_limit_reset_at": "%s"}',
    private.format_timestamp(now() + interval '4 hours')),
  'the 429 of begin_direct_upload says when the oldest open upload expires');
select lives_ok($$ select tests.begin_direct_upload('again', 'e100', 10) $$,
  'begin_direct_upload does not count the open upload that it replaces');
update private.direct_uploads set ended_at = now() where path = 'p1';
select lives_ok($$ select tests.begin_direct_upload('next', 'e101', 10) $$,
  'begin_direct_upload does not count uploads that ended');
update private.direct_uploads set declared_bytes = 1073741824 where path = 'p2';
delete from private.direct_uploads where path = 'p3';
select throws_ok($$ select tests.begin_direct_upload('too much', 'e3', 10) $$, 'PT409', null,
  'begin_direct_upload counts the declared bytes of open uploads against the allowance');
update private.direct_uploads set created_at = now() - interval '3 hours' where path = 'p2';
select throws_ok($$ select tests.begin_direct_upload('too much', 'e3', 10) $$, 'PT409', null,
  'begin_direct_upload counts the declared bytes of an upload for longer than two hours');
select lives_ok($$ select tests.begin_direct_upload('in place of p2', 'e2', 10) $$,
  'begin_direct_upload does not count the declared bytes of the upload that it replaces');

-- uploads begun in an hour
select private.set_setting('max_direct_uploads_per_hour', '0');
select throws_ok($$ select tests.begin_direct_upload('over the limit', 'e2', 10) $$, 'PT429',
  'Too many requests; try again later', 'begin_direct_upload returns 429 over max_direct_uploads_per_hour');
select tests.act_as('postgres');
select private.set_setting('max_direct_uploads_per_hour', null);
create function pg_temp.counted() returns int language sql as $$
  select coalesce(sum(request_count), 0)::int from private.rate_limits
  where key = 'direct_uploads:' || tests.id('ana') $$;
create temp table counted as select pg_temp.counted() as before;
select tests.begin_direct_upload('counts', 'e2', 10);
select throws_ok($$ select tests.begin_direct_upload('refused', 'e3', 1073741824) $$, 'PT400', null,
  'begin_direct_upload returns 400 for more than 500 MB');
select is(pg_temp.counted() - before, 1,
  'begin_direct_upload counts only accepted calls against max_direct_uploads_per_hour') from counted;

-- staged bytes beside declared bytes
delete from private.direct_uploads;
select tests.begin_direct_upload('one', 'e1', 500000000), tests.stage_direct_upload('one', 500000000);
select lives_ok($$ select tests.begin_direct_upload('two', 'e1', 500000000) $$,
  'begin_direct_upload does not count the declared bytes of a replaced upload');
delete from private.direct_uploads;
select set_config('storage.allow_delete_query', 'true', true);
delete from storage.objects where bucket_id = 'staging';
select tests.begin_direct_upload('small', 'e1', 1), tests.stage_direct_upload('small', 1073741824 - 1000);
select throws_ok($$ select tests.begin_direct_upload('beside', 'e2', 1001) $$, 'PT409', null,
  'begin_direct_upload counts the staged bytes of an open upload when they exceed the declared bytes');

-- uploads of a deleted episode
delete from public.episodes where id = tests.id('e101');
select is((select count(*) from private.direct_uploads where episode_id = tests.id('e101')), 0::bigint,
  'direct_uploads rows are deleted with their episode');

select * from tests.finish();
rollback;
