-- finish_redirect_check: what is stored of a check, and when the owner is told that a redirect fails.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
update public.podcasts set feed_redirect_url = 'https://new.example/feed' where id = tests.id('show');
create function pg_temp.finish(result jsonb, url text default 'https://new.example/feed') returns boolean
language sql as $$ select private.finish_redirect_check(tests.id('show'), url, result, '2027-03-01Z') $$;
create function pg_temp.told() returns setof text language plpgsql as $$
begin
  return query select concat_ws(' / ', i.name, n.title, n.body, n.link) from public.notifications n
    join tests.ids i on i.id = n.user_id where n.type = 'podcast.redirect_failing';
  delete from public.notifications n where n.type = 'podcast.redirect_failing';
end $$;
create function pg_temp.shown_check() returns jsonb language sql as $$
  select tests.value_as('ola', $s$ select public.get_podcast_lifecycle(tests.id('show')) -> 'redirect_check' $s$)::jsonb
$$;
create temp table failure as
  select '{"code": "HTTP_ERROR", "message": "The server responded with status 404", "episodes": 3}'::jsonb as result;

select is(pg_temp.finish('{"is_same_podcast": true, "matching_episodes": 2, "episodes": 3}'), true,
  'finish_redirect_check returns true for the current target');
select is(pg_temp.shown_check(),
  '{"checked_at": "2027-03-01T00:00:00.000Z", "code": null, "message": null, "is_same_podcast": true,
    "matching_episodes": 2, "episodes": 3}', 'get_podcast_lifecycle shows what the check found');
select is_empty('select pg_temp.told()', 'a check that succeeds tells no one');
select is(pg_temp.finish((select result from failure), 'https://former.example/'), false,
  'finish_redirect_check drops the result of a former target');
select is_empty('select pg_temp.told()', 'a failing check of a former target tells no one');

select pg_temp.finish((select result from failure));
select results_eq('select pg_temp.told()', $$ values ('ola / The redirect of show leads nowhere / The feed of the '
    'podcast sends apps and listeners to https://new.example/feed, where no feed can be read. Repair the feed there, '
    'or change the redirect. / /podcasts/' || tests.id('show')) $$, 'a check that fails tells the owner');
select is(pg_temp.shown_check() ->> 'code', 'HTTP_ERROR', 'get_podcast_lifecycle shows why a check failed');
select pg_temp.finish((select result from failure));
select is_empty('select pg_temp.told()', 'further checks that fail tell no one');
select pg_temp.finish('{"episodes": 3, "matching_episodes": 3, "is_same_podcast": null}');
select pg_temp.finish((select result from failure));
select is((select count(*) from pg_temp.told()), 1::bigint, 'a check that fails after a success tells the owner again');
update public.podcasts set feed_redirect_url = 'https://other.example/' where id = tests.id('show');
select is(pg_temp.shown_check(),
  'null', 'a new target has no check');
select pg_temp.finish('{"code": "OTHER_PODCAST", "message": "x", "is_same_podcast": false, "matching_episodes": 0,
  "episodes": 3}', 'https://other.example/');
select matches(t, '^ola / The redirect of show leads to another podcast / ',
  'a new target that fails tells the owner again, and that it is another podcast') from pg_temp.told() t;

-- Held back
create function pg_temp.due_after_check(starts_at timestamptz) returns interval language plpgsql as $$
begin
  update private.feed_redirects r set starts_at = due_after_check.starts_at;
  perform pg_temp.finish('{"episodes": 3, "matching_episodes": 3}', 'https://other.example/');
  return (select r.check_due_at - '2027-03-01Z' from private.feed_redirects r);
end $$;
select is(pg_temp.due_after_check('2027-03-01 05:00Z'), '5 hours', 'a redirect is checked again when it begins');
select is(pg_temp.due_after_check('2027-03-09Z'), '1 day', 'a redirect that is held back is checked daily');
select is(pg_temp.due_after_check('2027-03-01Z'), '1 day', 'a redirect in effect is checked daily');

-- A deleted podcast
update public.podcasts set feed_redirect_url = 'https://new.example/feed' where id = tests.id('show');
delete from public.podcasts where id = tests.id('show');
select pg_temp.finish((select result from failure));
select matches(t, '^ola / The redirect of show leads nowhere / .* / /podcasts$',
  'a failing redirect of a deleted podcast is told to its former owner') from pg_temp.told() t;
select is((select count(*) from private.events where type = 'podcast.redirect_failing'), 4::bigint,
  'each period of failure has one event');

select * from tests.finish();
rollback;
