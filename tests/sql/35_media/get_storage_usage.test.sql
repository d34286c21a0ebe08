-- get_storage_usage: one's own account, and no other.
begin;
select tests.start();

select tests.podcast('small', 'ola'), tests.podcast('large', 'ola'), tests.podcast('empty', 'ola'), tests.podcast('theirs', 'otto');
select tests.member('ana', 'large', 'admin'), tests.member('vic', 'large'), tests.person('stranger');
select tests.episode('pilot', 'large'), tests.upload_audio('pilot', 5000), tests.episode('short', 'small'), tests.upload_audio('short', 10), tests.episode('foreign', 'theirs'), tests.upload_audio('foreign', 77);
create function pg_temp.usage(who text) returns jsonb language plpgsql as $$
declare
  seen jsonb;
begin
  perform tests.act_as(who);
  seen := public.get_storage_usage();
  perform tests.act_as('postgres');
  return seen;
end $$;
create function pg_temp.entry(podcast text, used bigint) returns jsonb language sql as $$
  select jsonb_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'usedBytes', used) from public.podcasts p where p.id = tests.id(podcast) $$;

select is(tests.result_of(who, 'select public.get_storage_usage()'), wanted, format('get_storage_usage as %s is %s', who, wanted))
from (values ('anon', '42501'), ('service', '42501'), ('stranger', 'ok 1'), ('vic', 'ok 1'), ('ana', 'ok 1'), ('ola', 'ok 1')) w (who, wanted);
select is(tests.result_of('anon', 'select private.get_storage_usage()'), '42501', 'nor behind the grants');
select is(pg_temp.usage(who), '{"usedBytes": 0, "limitBytes": 1073741824, "stagedBytes": 0, "temporaryBytes": 0, "podcasts": []}', format('%s, who owns nothing, sees nothing of the podcast', who)) from unnest(array['stranger', 'vic', 'ana']) who;
select is(pg_temp.usage('ola'), jsonb_build_object('usedBytes', 5010, 'limitBytes', 1073741824, 'stagedBytes', 0, 'temporaryBytes', 0, 'podcasts',
  jsonb_build_array(pg_temp.entry('large', 5000), pg_temp.entry('small', 10), pg_temp.entry('empty', 0))), 'an owner sees each podcast, the largest first');
select is(pg_temp.usage('otto') -> 'podcasts', jsonb_build_array(pg_temp.entry('theirs', 77)), 'and the other owner the other');

-- what counts
insert into private.media_objects (path, account_id, podcast_id, usage, bytes, content_type, width, height) values ('b', tests.id('ola'), tests.id('empty'), 'banner', 300, 'image/png', 600, 315);
insert into private.media_objects (path, account_id, usage, bytes, content_type, width, height) values ('t1', tests.id('ola'), 'temporary', 40, 'image/png', 1400, 1400), ('t2', tests.id('ola'), 'temporary', 2, 'image/png', 1400, 1400), ('t3', tests.id('ana'), 'temporary', 9, 'image/png', 1400, 1400);
select is(pg_temp.usage('ola') - 'podcasts', '{"usedBytes": 5352, "limitBytes": 1073741824, "stagedBytes": 0, "temporaryBytes": 42}', 'images and temporary imports count too');
select is(pg_temp.usage('ola') -> 'podcasts' -> 1, pg_temp.entry('empty', 300), 'each with its podcast');
select is(pg_temp.usage('ana') - 'podcasts', '{"usedBytes": 9, "limitBytes": 1073741824, "stagedBytes": 0, "temporaryBytes": 9}', 'an admin''s imports are the admin''s own');
update private.media_objects set released_at = now() where path in ('b', 't1');
select is(pg_temp.usage('ola') - 'podcasts', '{"usedBytes": 5012, "limitBytes": 1073741824, "stagedBytes": 0, "temporaryBytes": 2}', 'what waits for the sweep counts no more');
select is(pg_temp.usage('ola') -> 'podcasts' -> 2, pg_temp.entry('empty', 0), 'nor with its podcast');
delete from public.episodes where id = tests.id('short');
select is((pg_temp.usage('ola') -> 'usedBytes')::int, 5002, 'nor what was deleted');
select is((pg_temp.usage(who) -> 'usedBytes')::numeric, (select sum((p -> 'usedBytes')::numeric) + (pg_temp.usage(who) -> 'temporaryBytes')::numeric from jsonb_array_elements(pg_temp.usage(who) -> 'podcasts') p), who || ': the sum is the podcasts'' and the imports''') from unnest(array['ola', 'otto']) who;

-- whose it is
update public.podcasts set owner_id = tests.id('ana') where id = tests.id('large');
select is(pg_temp.usage('ana') - 'limitBytes', jsonb_build_object('usedBytes', 5009, 'stagedBytes', 0, 'temporaryBytes', 9, 'podcasts', jsonb_build_array(pg_temp.entry('large', 5000))), 'a transferred podcast is its new owner''s');
select is((pg_temp.usage('ola') -> 'usedBytes')::int, 2, 'and the old one''s no more');
select is((select count(*) from jsonb_array_elements(pg_temp.usage('ola') -> 'podcasts')), 2::bigint, 'not even by name');
update public.billing_accounts set plan_code = 'pro' where user_id = tests.id('ana');
select is((pg_temp.usage('ana') -> 'limitBytes')::bigint, 107374182400, 'the plan says how much is allowed');
update public.podcasts set status = 'pending_deletion' where id = tests.id('large');
select is((pg_temp.usage('ana') -> 'usedBytes')::int, 5009, 'a podcast on its way out counts until it is gone');
delete from public.podcasts where id = tests.id('large');
select is(pg_temp.usage('ana') -> 'usedBytes', '9', 'and then no more');

select * from tests.finish();
rollback;
