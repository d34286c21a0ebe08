-- private.date_future_items: items that the feed dates in the future. The preview warns of them; confirm_import
-- publishes them with the newest past date, or schedules them.
begin;
select tests.start();

select tests.podcast('show', 'ola');
-- Stages items with these dates, from the feed's first to its last
create function pg_temp.stage(variadic dates text[]) returns void language plpgsql security definer as $$
begin
  delete from public.podcast_imports;
  perform tests.import('one', 'show', 'pending');
  update public.podcast_imports set detection = null, created_at = '2026-01-10T12:00:00Z';
  perform private.stage_import_items(tests.id('one'), (
    select jsonb_agg(jsonb_build_object('position', n, 'guid', chr(96 + n::int), 'pubDate', d))
    from unnest(dates) with ordinality u (d, n)));
  perform private.finish_staging(tests.id('one'), '{}', null, null, '2026-01-10T12:00:00Z');
end $$;
create function pg_temp.confirm(rest text default '') returns text language plpgsql as $$
declare result text; begin
  perform tests.act_as('ola');
  result := tests.outcome_of(format('select public.confirm_import(tests.id(''one'')%s)', rest));
  perform tests.act_as('postgres');
  return result;
end $$;
create function pg_temp.listed() returns text language sql as $$
  select string_agg(guid || ' ' || to_char(published_at at time zone 'UTC', 'YYYY-MM-DD US'), ', '
    order by published_at desc, guid)
  from public.podcast_import_items $$;

select pg_temp.stage('2100-01-01T10:00:00Z', '2024-05-02Z', '2028-03-01Z', '2024-05-01Z');
select is((select warnings from public.podcast_imports), '[{"code": "DATE_IN_FUTURE", "count": 2, "message":
  "An episode is dated in the future; it is published with the newest past date unless you schedule it"}]',
  'finish_staging warns of items that are dated in the future');
select is((select jsonb_object_agg(guid, warnings #> '{0,code}') from public.podcast_import_items),
  '{"a": "DATE_IN_FUTURE", "b": null, "c": "DATE_IN_FUTURE", "d": null}',
  'finish_staging adds DATE_IN_FUTURE to the items that are dated in the future');
select is(pg_temp.listed(), 'a 2100-01-01 000000, c 2028-03-01 000000, b 2024-05-02 000000, d 2024-05-01 000000',
  'finish_staging keeps the future dates of the feed in the preview');
select is(pg_temp.confirm(', future_items => ''hide'''), '22P02',
  'confirm_import rejects an unknown choice of future_items');
select is(pg_temp.confirm(', future_items => null')::jsonb ->> 'status', 'running',
  'confirm_import accepts future_items null');
select is(pg_temp.listed(), 'a 2024-05-02 000002, c 2024-05-02 000001, b 2024-05-02 000000, d 2024-05-01 000000',
  'confirm_import dates future items above the newest past one, in their order');
select is((select future_items from public.podcast_imports), 'publish',
  'confirm_import publishes future items by default, and stores the choice');

select pg_temp.stage('2100-01-01Z', '2024-05-02Z');
select pg_temp.confirm(', future_items => ''schedule''');
select is(pg_temp.listed(), 'a 2100-01-01 000000, b 2024-05-02 000000',
  'confirm_import keeps the dates of future items that are scheduled');
select is((select future_items from public.podcast_imports), 'schedule',
  'confirm_import stores the choice to schedule');

-- Of an episode that the podcast has
insert into public.episodes (podcast_id, guid, title, status) values (tests.id('show'), 'a', 'Old', 'draft');
select pg_temp.stage('2100-01-01Z', '2100-01-02Z', '2024-05-01Z');
select is((select warnings #> '{0,count}' from public.podcast_imports), '1',
  'finish_staging does not warn of the date of an episode that the podcast has');
select pg_temp.confirm(', refresh_fields => ''{title}''');
select is(pg_temp.listed(), 'a 2100-01-01 000000, b 2024-05-01 000002, c 2024-05-01 000000',
  'confirm_import keeps the date of an item that refreshes an episode');
delete from public.episodes;

select pg_temp.stage('2100-01-01Z', '2100-01-01Z', '2100-01-01Z');
select pg_temp.confirm();
select is(pg_temp.listed(), 'a 2026-01-09 000003, b 2026-01-09 000002, c 2026-01-09 000001',
  'confirm_import dates items of a feed without past dates a day before the import, in the feed''s order');
select pg_temp.stage('2100-01-01Z', null, '2024-05-01Z');
select pg_temp.confirm();
select is(pg_temp.listed(), 'a 2024-05-01 000002, b 2024-05-01 000001, c 2024-05-01 000000',
  'confirm_import dates future items above those whose dates are estimated');

-- A later import
insert into public.episodes (podcast_id, guid, title) values (tests.id('show'), 'b', 'B');
select pg_temp.stage('2101-01-01Z', '2100-01-01Z', '2024-05-01Z');
select pg_temp.confirm();
select is(pg_temp.listed(), 'b 2100-01-01 000000, a 2024-05-01 000002, c 2024-05-01 000000',
  'confirm_import dates future items above the duplicates of before, and keeps the dates of duplicates');

-- A limit
delete from public.episodes;
select pg_temp.stage('2100-01-01Z', '2024-05-02Z', '2024-05-01Z');
select is(pg_temp.confirm(', "limit" => 1')::jsonb ->> 'selectedCount', '1',
  'confirm_import counts a future item as the newest');
select is((select array_agg(guid) from public.podcast_import_items where status = 'pending'), '{a}',
  'confirm_import selects a future item as the newest');

-- A queue that rejects messages
create function tests.closed() returns trigger
  language plpgsql as $$ begin raise sqlstate '53100' using message = 'disk full'; end $$;
create trigger closed before insert on pgmq.q_import_items for each row execute function tests.closed();
select pg_temp.stage('2100-01-01Z', '2024-05-02Z');
select is(pg_temp.confirm()::jsonb ->> 'hint', 'DISPATCH_FAILED',
  'confirm_import reports a queue that rejects messages');
select is(pg_temp.listed(), 'a 2100-01-01 000000, b 2024-05-02 000000',
  'confirm_import with DISPATCH_FAILED keeps future dates');
select is((select future_items from public.podcast_imports), null,
  'confirm_import with DISPATCH_FAILED leaves future_items null');

select * from tests.finish();
rollback;
