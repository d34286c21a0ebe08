-- get_feed_report: who may read it, the findings of the served feed in pages, and the facts that a rendering checks.
begin;
select tests.start();

select tests.podcast('show', 'owner'), tests.podcast('elsewhere', 'owner', hosting => 'external'),
  tests.podcast('new', 'owner');
select tests.person('member'), tests.person('stranger');
select tests.member('member', 'show'), tests.member('member', 'elsewhere'), tests.member('member', 'new');
select tests.publish_daily_episodes('show', 3);

-- Stores items with these findings by slug, and the document that lists them
create function pg_temp.store(findings jsonb) returns void language plpgsql security definer as $$
begin
  perform private.store_feed_items(tests.id('show'), f.version, f.context_hash, (
    select jsonb_agg(jsonb_build_object('episode_id', e.id, 'episode_updated_at', e.updated_at, 'crc32', 1,
      'uncompressed_bytes', 2, 'deflated', '', 'digest', encode(convert_to(e.title, 'UTF8'), 'base64'),
      'findings', findings -> e.slug))
    from public.episodes e where findings ? e.slug and e.podcast_id = tests.id('show')))
  from private.get_feed_for_rendering(tests.id('show'), 1) f;
end $$;
create function pg_temp.list(channel jsonb, checked_at timestamptz) returns void language plpgsql security definer as $$
begin
  perform private.store_feed_document(tests.id('show'), f.version, jsonb_build_object('etag', 'tag', 'last_modified',
    '2026-01-01Z', 'digest', 'words', 'uncompressed_bytes', 9, 'gzip_bytes', 9, 'findings', channel),
    '', f.items, '', checked_at)
  from private.get_feed_for_rendering(tests.id('show'), 1) f;
end $$;
create function pg_temp.report(size int default 100, cursor text default null) returns jsonb language sql as $$
  select public.get_feed_report(tests.id('show'), size, cursor)
$$;
-- Rules of a report with the title of their episode
create function pg_temp.found(report jsonb default pg_temp.report()) returns text[] language sql as $$
  select array(select concat_ws(' ', f ->> 'rule', f #>> '{place,episodeTitle}')
    from jsonb_array_elements(report #> '{data,findings}') with ordinality n (f, number) order by number)
$$;

grant execute on function pg_temp.report, pg_temp.found to authenticated;

select is(tests.result_of('member', $$ select public.get_feed_report(tests.id('show')) $$), 'PT409',
  'get_feed_report returns 409 before the feed is rendered');
select throws_ok($$ select tests.act_as('member'), public.get_feed_report(tests.id('show')) $$, 'PT409',
  'The feed is not rendered yet; request its report again in a few seconds',
  'get_feed_report says that the feed is not rendered yet');
select tests.act_as('postgres');

select pg_temp.store('{
  "e1": [{"rule": "item-enclosure", "tag": "enclosure", "excerpt": "x audio/mpeg"},
    {"rule": "item-duration", "tag": "itunes:duration"}],
  "e2": [],
  "e3": [{"rule": "item-transcript", "tag": "podcast:transcript"}, {"rule": "item-image", "tag": "itunes:image"}]}');
select pg_temp.list('[{"rule": "category", "tag": "itunes:category"}, {"rule": "author", "tag": "itunes:author"},
  {"rule": "a-later-rule", "tag": "x"}]', '2026-02-03 04:05:06Z');

select tests.access('get_feed_report', $$ select public.get_feed_report(tests.id('show')) $$,
  'PT403: stranger; ok 1: member owner');
select is(tests.result_of('member', $$ select public.get_feed_report(gen_random_uuid()) $$), 'PT404',
  'get_feed_report returns 404 for an unknown podcast');

select tests.act_as('member');
select throws_ok($$ select public.get_feed_report(tests.id('elsewhere')) $$, 'PT409',
  'The podcast is hosted elsewhere, so its feed is not checked here',
  'get_feed_report returns 409 for a podcast that is hosted elsewhere');
select is(pg_temp.report() #- '{data,findings}', '{"data": {"checkedAt": "2026-02-03T04:05:06.000Z",
  "feedUrl": "https://casts.test/functions/v1/public/feeds/show.xml",
  "counts": {"error": 1, "warning": 1, "advice": 4}}, "pagination": {"nextCursor": null, "hasMore": false}}',
  'get_feed_report returns when the feed was checked, its URL and the number of findings by severity');
select is(pg_temp.found(), '{item-enclosure e1,category,author,item-transcript e3,item-image e3,item-duration e1}',
  'get_feed_report lists errors first, then the channel, then newer episodes first, and no rule that it does not know');
select is((pg_temp.report() #> '{data,findings,0}') - 'message' - 'action', jsonb_build_object(
  'rule', 'item-enclosure', 'severity', 'error', 'tag', 'enclosure', 'excerpt', 'x audio/mpeg',
  'place', jsonb_build_object('kind', 'episode', 'episodeId', tests.id('e1'), 'episodeTitle', 'e1'),
  'specUrl', 'https://www.rssboard.org/rss-specification#ltenclosuregtSubelementOfLtitemgt'),
  'get_feed_report names the episode and tag of a finding, and the rule''s specification');
select is(pg_temp.report() #> '{data,findings,1}', '{"rule": "category", "severity": "warning",
  "place": {"kind": "channel"}, "tag": "itunes:category",
  "message": "The podcast has no category, which directories require", "action": "Choose at least one category",
  "specUrl": "https://github.com/Podcast-Standards-Project/PSP-1-Podcast-RSS-Specification#channel-itunes-category"}',
  'get_feed_report says what is wrong with the channel and what to do');

create function pg_temp.walk(size int) returns text[] language plpgsql as $$
declare
  page  jsonb;
  seen  text[] := '{}';
  place text;
begin
  loop
    page := pg_temp.report(size, place);
    seen := seen || pg_temp.found(page);
    place := page #>> '{pagination,nextCursor}';
    if (page #>> '{pagination,hasMore}')::boolean <> (place is not null) then
      raise exception 'hasMore and nextCursor disagree';
    end if;
    exit when place is null;
  end loop;
  return seen;
end $$;
select is(pg_temp.walk(size), pg_temp.found(), format('get_feed_report returns each finding once in pages of %s', size))
from unnest(array[1, 2, 5, 6, 500]) size;
select throws_ok(format('select pg_temp.report(%s)', n), 'PT400', null,
  format('get_feed_report returns 400 for limit %s', n)) from unnest(array['0', '501', '-1', 'null']) n;
select throws_ok(format('select pg_temp.report(5, %L)', c), 'PT400', null,
  format('get_feed_report returns 400 for cursor "%s"', c))
from unnest(array['x', '', 'fatal-1-1', 'error-1', 'error-1-9999999999', 'error-1-1x']) c;

-- What is served
select tests.act_as('postgres');
update public.episodes set title = 'e1, revised' where id = tests.id('e1');
select pg_temp.store('{"e1": []}');
select is(tests.result_of('member',
  $$ select from unnest(pg_temp.found()) f where f = 'item-enclosure e1, revised' $$), 'ok 1',
  'get_feed_report reports no rendered item before a document lists it');
select pg_temp.list('[]', '2026-02-03 05:00:00Z');
select tests.act_as('member');
select is(pg_temp.found(), '{item-transcript e3,item-image e3}',
  'get_feed_report reports the findings of the document that is served');
select tests.act_as('postgres');
delete from public.episodes where id = tests.id('e3');
select tests.act_as('member');
select is(pg_temp.report() #> '{data,findings,0,place}' ?& '{episodeId}', true,
  'get_feed_report reports a deleted episode while the feed lists it');
select is(pg_temp.report() #> '{data,findings,0,place}' ? 'episodeTitle', false,
  'get_feed_report returns no title of a deleted episode');
select tests.act_as('postgres');
select private.confirm_feed_document(tests.id('show'), tests.feed_version(),
  '[{"rule": "owner-missing", "tag": "itunes:owner"}]', '2026-02-03 06:00:00Z');
select tests.act_as('member');
select is((pg_temp.found())[1] || (pg_temp.report() #>> '{data,checkedAt}'), 'owner-missing2026-02-03T06:00:00.000Z',
  'confirm_feed_document stores the findings and the time of the check');
select tests.act_as('postgres');

-- An item that is kept gets the findings of its last check
select pg_temp.store('{"e2": [{"rule": "item-image", "tag": "itunes:image"}]}');
select tests.act_as('member');
select ok('item-image e2' = any (pg_temp.found()),
  'store_feed_items stores the findings of an item that was rendered unchanged');
select tests.act_as('postgres');
select throws_ok($$ select pg_temp.store('{"e2": {}}') $$, '23514', null, 
  'feed_items rejects findings that are not a list');
select throws_ok(format($$ select pg_temp.store('{"e2": ["%s"]}') $$, repeat('x', 70000)), '23514', null,
  'feed_items rejects findings of more than 64 KiB');

-- Facts of a rendering
create function pg_temp.fact(podcast text, fact text) returns jsonb language sql security definer as $$
  select f.podcast -> fact from private.get_feed_for_rendering(tests.id(podcast), 1) f
$$;
update public.podcasts set owner_email = null where id = tests.id('new');
select is(pg_temp.fact('new', 'has_owner_email'), 'false',
  'get_feed_for_rendering returns whether there is an owner''s address');
update public.podcasts set owner_email = 'ana@test.example' where id = tests.id('new');
select is(pg_temp.fact('new', 'has_owner_email'), 'true',
  'get_feed_for_rendering returns that there is an owner''s address which the feed hides');
select is(pg_temp.fact('new', 'cover_size'), 'null',
  'get_feed_for_rendering returns no size of artwork that is not ours');
insert into private.media_objects (path, account_id, podcast_id, usage, bytes, content_type, width, height)
select 'podcasts/x/images/cover/1.png', tests.id('owner'), tests.id('new'), 'cover', 1, 'image/png', 3200, 3100;
select is(pg_temp.fact('new', 'cover_size'), '{"width": 3200, "height": 3100}',
  'get_feed_for_rendering returns the size of the podcast''s stored artwork');
insert into private.media_objects (path, account_id, podcast_id, episode_id, usage, bytes, content_type, width, height)
select 'podcasts/x/e/1.png', tests.id('owner'), tests.id('show'), tests.id('e2'), 'episode_cover', 1, 'image/png',
  1400, 1400;
update public.episodes set summary = 'stale' where id = tests.id('e2');
select is((select s -> 'cover_size' from private.get_feed_for_rendering(tests.id('show'), 1) f,
  jsonb_array_elements(f.stale) s where s ->> 'slug' = 'e2'), '{"width": 1400, "height": 1400}',
  'get_feed_for_rendering returns the size of an episode''s stored artwork');
select pg_temp.store('{"e1": [], "e2": []}');
select is(tests.stale_episodes(), '{}', 'store_feed_items makes checked items fresh');
update public.podcasts set type = 'serial' where id = tests.id('show');
select is(tests.stale_episodes(), '{e2,e1}', 'another type of the podcast makes all items stale, to check them again');

select * from tests.finish();
rollback;
